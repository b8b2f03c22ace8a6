#include "tracer/private.h"

#include <errno.h>
#include <sys/ptrace.h>

/* Every ptrace request that lets a tracee run is in this file. */

static enum status resume(struct tracee *tracee, enum __ptrace_request request, int signal)
{
	if (tracee->life != TRACEE_STOPPED && tracee->life != TRACEE_EXITING)
		return tracee->life == TRACEE_DEAD ? STATUS_GONE : STATUS_BUG;
	if (!signal) {
		signal = tracee->deferred_signal;
		tracee->deferred_signal = 0;
	}
	/* A failure means that it was killed meanwhile: its death is still to be waited for, so it counts as
	 * running. */
	enum status status = registers_write_back(tracee);
	registers_forget(tracee);
	if (tracee->life == TRACEE_STOPPED)
		tracee->life = TRACEE_RUNNING;
	tracee->stepping = request == PTRACE_SINGLESTEP;
	if (status == STATUS_OK && ptrace(request, tracee->tid, NULL, (void *)(long)signal) != 0)
		status = STATUS_GONE;
	return status;
}

enum status target_resume(struct tracee *tracee, int signal)
{
	return resume(tracee, PTRACE_CONT, signal);
}

enum status target_step(struct tracee *tracee, int signal)
{
	return resume(tracee, PTRACE_SINGLESTEP, signal);
}

enum status resume_foreign(pid_t tid, int signal)
{
	return ptrace(PTRACE_CONT, tid, NULL, (void *)(long)signal) == 0 ? STATUS_OK : STATUS_GONE;
}

enum status tracee_interrupt(struct tracee *tracee)
{
	return ptrace(PTRACE_INTERRUPT, tracee->tid, NULL, NULL) == 0 ? STATUS_OK : STATUS_GONE;
}
