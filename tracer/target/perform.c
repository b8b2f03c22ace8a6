#include "tracer/tracee/tracee.h"

/* One instruction of a tracee, undisturbed. */

/* Those that the instruction itself may cause: the kernel would end a process in which they were held back. */
static uint64_t own_signals(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
	uint64_t set = 0;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
		set |= UINT64_C(1) << (signals[i] - 1);
	return set;
}

static enum status step_and_wait(struct tracee *tracee, struct stop *stop)
{
	enum status status = target_step(tracee, 0);
	if (status != STATUS_OK)
		return status;
	do
		status = target_wait(tracee->target, tracee, -1, stop);
	while (status == STATUS_INTERRUPTED);
	return status;
}

enum status tracee_perform(struct tracee *tracee, struct stop *stop)
{
	uint64_t mask;
	const int held = tracee->deferred_signal;
	enum status status = tracee_block_signals(tracee, &mask);
	if (status == STATUS_OK)
		status = tracee_unblock_signals(tracee, mask | ~own_signals());
	if (status != STATUS_OK)
		return status;
	tracee->deferred_signal = 0;
	status = step_and_wait(tracee, stop);
	tracee->deferred_signal = held;
	if (status == STATUS_OK && tracee->life == TRACEE_STOPPED)
		status = tracee_unblock_signals(tracee, mask);
	return status;
}
