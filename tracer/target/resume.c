#include "tracer/target/target.h"

#include <errno.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

/* Every ptrace request that lets a tracee run is in this file. */

/* The kernel knows just this length of the head of a list of robust mutexes. */
#define ROBUST_HEAD 24

/* About to run for the first time: what only the thread itself can tell the kernel. */
static enum status tell_robust_list(struct tracee *tracee)
{
	const uint64_t arguments[6] = {tracee->robust_due, ROBUST_HEAD};
	int64_t result;
	tracee->robust_due = 0;
	return tracee_syscall(tracee, SYS_set_robust_list, arguments, &result);
}

/* Where the thread dies of it, its end comes with the next wait, as that of any thread that has been resumed. */
static enum status announce(struct tracee *tracee)
{
	const enum status status = tracee->robust_due ? tell_robust_list(tracee) : STATUS_OK;
	if (status != STATUS_OK && tracee->life == TRACEE_EXITING)
		resume_by_tid(tracee->tid, 0);
	else if (status != STATUS_OK)
		tracee_enter(tracee, TRACEE_RUNNING);
	return status;
}

static enum status resume(struct tracee *tracee, enum __ptrace_request request, int signal)
{
	if (tracee->life != TRACEE_STOPPED && tracee->life != TRACEE_EXITING)
		return tracee->life == TRACEE_DEAD ? STATUS_GONE : STATUS_BUG;
	enum status status = announce(tracee);
	if (status != STATUS_OK)
		return status;
	if (!signal) {
		signal = tracee->deferred_signal;
		tracee->deferred_signal = 0;
	}
	if (tracee->at_syscall)
		tracee->target->answers->before_call(tracee);
	tracee->at_syscall = false;
	tracee->at_signal = 0;
	/* A failure means that it was killed meanwhile: its death is still to be waited for, so it counts as
	 * running. */
	status = registers_write_back(tracee);
	registers_forget(tracee);
	if (tracee->life == TRACEE_STOPPED)
		tracee_enter(tracee, TRACEE_RUNNING);
	tracee->stepping = request == PTRACE_SINGLESTEP;
	if ((tracee->after_call.due || tracee->cut_call.goes_on) && request == PTRACE_CONT)
		request = PTRACE_SYSCALL;
	/* The stop that was asked for has been taken up by one that is no business of the caller's. */
	if (tracee->interrupting)
		ptrace(PTRACE_INTERRUPT, tracee->tid, NULL, NULL);
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

void resume_by_tid(pid_t tid, int signal)
{
	ptrace(PTRACE_CONT, tid, NULL, (void *)(long)signal);
}

enum status tracee_interrupt(struct tracee *tracee)
{
	tracee->interrupting = ptrace(PTRACE_INTERRUPT, tracee->tid, NULL, NULL) == 0;
	return tracee->interrupting ? STATUS_OK : STATUS_GONE;
}
