/* Signals that are held back while a tracee runs something for fmc. */
#include "tracer/tracee/tracee.h"

#include <signal.h>
#include <sys/ptrace.h>

enum status tracee_block_signals(struct tracee *tracee, uint64_t *before)
{
	const uint64_t all = ~(UINT64_C(1) << (SIGTRAP - 1)); /* it ends at a trap */
	if (ptrace(PTRACE_GETSIGMASK, tracee->tid, (void *)sizeof *before, before) != 0)
		return STATUS_GONE;
	return tracee_unblock_signals(tracee, all);
}

enum status tracee_unblock_signals(struct tracee *tracee, uint64_t before)
{
	return ptrace(PTRACE_SETSIGMASK, tracee->tid, (void *)sizeof before, &before) == 0 ? STATUS_OK
											   : STATUS_GONE;
}
