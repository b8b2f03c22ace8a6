#include "tracer/target/target.h"

#include <fmc/tracer/clock.h>

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

/*
 * Every waitpid() for threads of targets is in this file (target.h says where the others are). What came is named by stops.c.
 */

static int64_t now_ms(void)
{
	return (int64_t)(clock_now() / 1000000);
}

/* Without __WALL waitpid() knew nothing of threads (until Linux 4.7), which don't report to a parent by SIGCHLD. */
bool wait_for_thread(pid_t tid, int *status)
{
	pid_t got;
	do
		got = waitpid(tid, status, __WALL);
	while (got < 0 && errno == EINTR);
	return got == tid;
}

bool wait_for_thread_or_interrupt(pid_t tid, int *status, bool *interrupted)
{
	pid_t got;
	do {
		got = waitpid(tid, status, __WALL);
		*interrupted = got < 0 && errno == EINTR && tracer_interrupted();
	} while (got < 0 && errno == EINTR && !*interrupted);
	return got == tid;
}

bool wait_for_copy(pid_t tid)
{
	int status;
	return wait_for_thread(tid, &status) && WIFSTOPPED(status);
}

bool wait_is_ours(pid_t pid)
{
	siginfo_t info;
	return waitid(P_PID, (id_t)pid, &info, WNOHANG | WNOWAIT | WEXITED | WSTOPPED | __WALL) == 0;
}

/*
 * One wait for whatever of this target's comes. With descendants about, everybody has to be waited for,
 * because the thread of interest may depend on them.
 */
static pid_t wait_once(struct target *target, struct tracee *tracee, int flags, int *status)
{
	if (tracee && !target->descendants_length && !target->replacing)
		return waitpid(tracee->tid, status, flags | __WALL);
	return waitpid(-1, status, flags | __WALL);
}

/*
 * In execve the kernel kills all other threads and waits until they are gone; each of them stops at its PTRACE_EVENT_EXIT first
 * and has to be let go there, else the call never returns. Any other stop of the caller's means that the call has failed. False:
 * the status isn't dealt with.
 */
static bool serve_replaced(struct target *target, struct tracee *who, int status)
{
	if (STOPS_EVENT(status) == PTRACE_EVENT_EXEC)
		return false;
	if (who == target->replacing) {
		if (STOPS_EVENT(status) != PTRACE_EVENT_EXIT)
			target->replacing = NULL;
		return false;
	}
	if (WIFEXITED(status) || WIFSIGNALED(status)) {
		target_mark_dead(target, who);
		return true;
	}
	if (STOPS_EVENT(status) != PTRACE_EVENT_EXIT)
		return false;
	resume_by_tid(who->tid, 0);
	tracee_enter(who, TRACEE_RUNNING);
	return true;
}

/* The target's relative to whom the thread belongs; NULL: none. */
static struct target *relative_of_thread(const struct target *target, pid_t tid)
{
	struct target *other = target_relative(target);
	while (other && other != target && !target_by_tid(other, tid))
		other = target_relative(other);
	return other == target ? NULL : other;
}

static bool take_early_of(struct target *target, struct tracee *tracee, struct tracee **who, int *status)
{
	if (!target->early_length)
		return false;
	if (tracee) {
		*who = tracee;
		return target_take_early(target, tracee->tid, status);
	}
	for (size_t i = 0; i < target->early_length; i++) {
		*who = target_by_tid(target, target->early[i].tid);
		if (*who)
			return target_take_early(target, (*who)->tid, status);
	}
	return false;
}

enum status target_wait(struct target *target, struct tracee *tracee, int timeout_ms, struct stop *stop)
{
	int64_t deadline = timeout_ms > 0 ? now_ms() + timeout_ms : 0;
	int flags = timeout_ms == 0 ? WNOHANG : 0;
	if (target->has_pushed_back && (!tracee || target->pushed_back.tracee == tracee)) {
		target->has_pushed_back = false;
		*stop = target->pushed_back;
		return STATUS_OK;
	}
	for (;;) {
		int status;
		struct tracee *who;
		if (!take_early_of(target, tracee, &who, &status)) {
			pid_t got = wait_once(target, tracee, flags, &status);
			if (got == 0)
				return STATUS_TIMEOUT;
			if (got < 0 && errno == EINTR) {
				if (tracer_interrupted())
					return STATUS_INTERRUPTED;
				reap_after_leader(target, tracee);
				if (deadline && now_ms() >= deadline)
					return STATUS_TIMEOUT;
				continue;
			}
			if (got < 0)
				return STATUS_NO_TRACEES;
			who = target_by_tid(target, got);
			if (!who) {
				struct target *relative = relative_of_thread(target, got);
				if (relative) {
					if (!target_keep_early(relative, got, status))
						return STATUS_NO_MEMORY;
					continue;
				}
				/* Another target's, killed from outside: it is let die, its own reaps it. */
				if (STOPS_EVENT(status) == PTRACE_EVENT_EXIT && !target->descendants_length)
					resume_by_tid(got, 0);
				else if (target->descendants_length &&
					 !descendants_is_newborn(target, got, status))
					descendants_serve(target, got, status);
				else if (!target_keep_early(target, got, status))
					return STATUS_NO_MEMORY;
				continue;
			}
			if (target->replacing && serve_replaced(target, who, status))
				continue;
			/* A leader that ends takes its number from the thread that has called exec. */
			if (tracee && who != tracee && STOPS_EVENT(status) != PTRACE_EVENT_EXEC) {
				if (!target_keep_early(target, got, status))
					return STATUS_NO_MEMORY;
				continue;
			}
		}
		enum status result = stops_classify(target, who, status, stop);
		if (result == STATUS_TIMEOUT)
			continue;
		who->interrupting = false;
		return result;
	}
}

void target_push_back(const struct stop *stop)
{
	struct target *target = stop->tracee->target;
	target->pushed_back = *stop;
	target->has_pushed_back = true;
}
