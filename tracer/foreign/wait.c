#include "tracer/foreign/foreign.h"
#include "tracer/snapshot/attach.h"

#include <fmc/tracer/call_traits.h>
#include <fmc/tracer/clock.h>

#include <errno.h>
#include <linux/kcmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Waiting for the threads of a foreign process, and what a stop of one means. */

#define EVENT(status)  ((unsigned)(status) >> 8)
#define KERNEL_RESTART (-514) /* ERESTARTNOHAND of the kernel: begin again unless a handler runs */
#define SYSCALL_STOP   (SIGTRAP | 0x80)
#define RELEASE_MS     1000

static int64_t now_ms(void)
{
	return (int64_t)(clock_now() / 1000000);
}

/* A stop that has been looked at is taken from the kernel's list, except one before a signal. */
static void take(pid_t tid)
{
	siginfo_t info;
	while (waitid(P_PID, (id_t)tid, &info, WSTOPPED | WNOHANG | __WALL | __WNOTHREAD) != 0 &&
	       errno == EINTR)
		;
}

/* The call that it is after says EINTR, which it wouldn't without a tracer where no handler runs. */
static bool is_cut(struct tracee *tracee)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	return regs && (int64_t)regs->rax == -EINTR && call_traits((long)regs->orig_rax)->cut;
}

/*
 * It says so because of our interruption, or because of a signal that is ignored, which wakes nothing but a traced thread: it begins
 * again. A handler that is to run makes the kernel say EINTR after all. The kernel looks at this only while it looks at signals.
 */
static void begin_again_at_signal(struct tracee *tracee)
{
	if (!is_cut(tracee))
		return;
	tracee_change_regs(tracee)->rax = (unsigned long long)KERNEL_RESTART;
	(void)registers_write_back(tracee); /* a death is told by the next wait */
}

/* The same where it has none to look at: the interruption sees to that. */
static void begin_again(struct foreign *foreign, struct tracee *tracee)
{
	if (is_cut(tracee) && foreign_interrupt(foreign, tracee) == STATUS_OK)
		begin_again_at_signal(tracee);
}

static enum status at_syscall(struct foreign *foreign, struct tracee *tracee, struct foreign_event *event)
{
	struct __ptrace_syscall_info info;
	if (ptrace(PTRACE_GET_SYSCALL_INFO, tracee->tid, (void *)sizeof info, &info) <= 0)
		return STATUS_TIMEOUT; /* killed: its end follows */
	event->rip = info.instruction_pointer;
	event->rsp = info.stack_pointer;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
		event->kind = FOREIGN_CALL;
		event->number = (long)info.entry.nr;
		for (int i = 0; i < 6; i++)
			event->arguments[i] = info.entry.args[i];
		return STATUS_OK;
	}
	event->kind = FOREIGN_RETURN;
	if (info.exit.rval == -EINTR)
		begin_again(foreign, tracee);
	return STATUS_OK;
}

/* A trap that foreign_interrupt() asked for, a job-control stop, or the end of one. */
static enum status at_trap(struct foreign *foreign, struct tracee *tracee, int signal,
			   struct foreign_event *event)
{
	struct foreign_thread *thread = foreign_thread_of(foreign, tracee);
	const bool asked = thread->interrupted;
	event->kind = signal == SIGTRAP ? FOREIGN_PAUSED : FOREIGN_SUSPENDED;
	thread->interrupted = false;
	if (signal == SIGTRAP)
		begin_again(foreign, tracee);
	thread->last = *event;
	if (asked)
		return STATUS_OK;
	foreign_resume(foreign, tracee); /* goes on, or listens for the end of the job-control stop */
	return STATUS_TIMEOUT;
}

/* Replaced by another program: it is alone. */
static void forget_others(struct foreign *foreign, const struct tracee *tracee)
{
	for (uint32_t i = 0; i < foreign->target->tracees_length; i++)
		if (foreign->target->tracees[i] != tracee && foreign->target->tracees[i]->life != TRACEE_DEAD)
			tracee_enter(foreign->target->tracees[i], TRACEE_DEAD);
	foreign->over = true;
}

static enum status at_event(struct foreign *foreign, struct tracee *tracee, int status,
			    struct foreign_event *event)
{
	switch (EVENT(status)) {
	case PTRACE_EVENT_STOP:
		return at_trap(foreign, tracee, status & 0x7f, event);
	case PTRACE_EVENT_EXEC:
		event->kind = FOREIGN_EXEC;
		forget_others(foreign, tracee);
		return STATUS_OK;
	default: /* it has made a thread or a process, which will show itself */
		foreign_resume(foreign, tracee);
		return STATUS_TIMEOUT;
	}
}

/* Its first stop: a thread of the process, or a process of its own. */
static enum status newcomer(struct foreign *foreign, pid_t tid, struct foreign_event *event)
{
	char path[64];
	take(tid);
	snprintf(path, sizeof path, "/proc/%d/task/%d", foreign->target->pid, tid);
	if (access(path, F_OK) == 0) {
		event->tracee = foreign_add(foreign, tid);
		if (!event->tracee)
			return STATUS_NO_MEMORY;
		tracee_enter(event->tracee, TRACEE_STOPPED);
		event->kind = FOREIGN_BORN;
		return STATUS_OK;
	}
	if (foreign->shown && syscall(SYS_kcmp, foreign->target->pid, tid, KCMP_VM, 0, 0) != 0)
		foreign->shown(foreign->shown_context, tid);
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
	return STATUS_TIMEOUT;
}

static enum status ended(struct foreign *foreign, struct tracee *tracee, const siginfo_t *info,
			 struct foreign_event *event)
{
	int status;
	while (waitpid(info->si_pid, &status, __WALL | __WNOTHREAD) < 0 && errno == EINTR)
		;
	if (!tracee)
		return STATUS_TIMEOUT;
	tracee_enter(tracee, TRACEE_DEAD);
	event->kind = FOREIGN_EXITED;
	if (info->si_pid != foreign->target->pid)
		return STATUS_OK;
	foreign->over = foreign->target->gone = true;
	*event = (struct foreign_event){.kind = FOREIGN_ENDED, .value = status};
	return STATUS_OK;
}

/* STATUS_TIMEOUT: nothing that anybody needs to know. */
static enum status classify(struct foreign *foreign, const siginfo_t *info, struct foreign_event *event)
{
	struct tracee *tracee = target_by_tid(foreign->target, info->si_pid);
	const int status = info->si_status;
	enum status result = STATUS_OK;
	*event = (struct foreign_event){.tracee = tracee};
	if (info->si_code != CLD_TRAPPED && info->si_code != CLD_STOPPED)
		return ended(foreign, tracee, info, event);
	if (!tracee)
		return newcomer(foreign, info->si_pid, event);
	tracee_enter(tracee, TRACEE_STOPPED);
	registers_forget(tracee);
	if (status == SYSCALL_STOP || EVENT(status))
		take(tracee->tid);
	if (status == SYSCALL_STOP) {
		result = at_syscall(foreign, tracee, event);
	} else if (EVENT(status)) {
		result = at_event(foreign, tracee, status, event);
	} else {
		event->kind = FOREIGN_SIGNAL;
		event->number = status;
		begin_again_at_signal(tracee);
	}
	return result;
}

/* SIGCHLD comes with each stop, is blocked in the thread that traces, and so can't be missed. */
static void sleep_until_child(int64_t milliseconds)
{
	sigset_t child;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	if (milliseconds > 5) /* another thread of fmc may have taken it */
		milliseconds = 5;
	const struct timespec time = {.tv_nsec = milliseconds * 1000000};
	sigtimedwait(&child, NULL, &time);
}

enum status foreign_wait(struct foreign *foreign, int timeout_ms, struct foreign_event *event)
{
	const int64_t deadline = now_ms() + timeout_ms;
	for (;;) {
		siginfo_t info = {0};
		if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL | __WNOTHREAD) !=
		    0) {
			if (errno == EINTR)
				continue;
			foreign->over = foreign->target->gone = true;
			*event = (struct foreign_event){.kind = FOREIGN_ENDED};
			return STATUS_OK;
		}
		if (info.si_pid) {
			const enum status status = classify(foreign, &info, event);
			if (status == STATUS_OK && event->tracee)
				foreign_thread_of(foreign, event->tracee)->last = *event;
			if (status != STATUS_TIMEOUT)
				return status;
			continue;
		}
		const int64_t left = deadline - now_ms();
		if (left <= 0)
			return STATUS_TIMEOUT;
		sleep_until_child(left);
	}
}

static uint32_t interrupt_running(struct foreign *foreign, bool calls)
{
	uint32_t running = 0;
	for (uint32_t i = 0; i < foreign->target->tracees_length; i++) {
		struct tracee *tracee = foreign->target->tracees[i];
		const struct foreign_thread *thread = &foreign->threads[i];
		if (tracee->life != TRACEE_RUNNING || thread->suspended || (!calls && thread->in_call))
			continue;
		running++;
		if (!thread->interrupted)
			(void)foreign_interrupt(foreign, tracee); /* a death is told by the next wait */
	}
	return running;
}

enum status foreign_stop(struct foreign *foreign, bool calls, int timeout_ms)
{
	const int64_t deadline = now_ms() + timeout_ms;
	while (!foreign->over && interrupt_running(foreign, calls)) {
		struct foreign_event event;
		const int64_t left = deadline - now_ms();
		if (left <= 0)
			return STATUS_TIMEOUT;
		const enum status status = foreign_wait(foreign, (int)left, &event);
		if (status != STATUS_OK)
			return status;
		if (event.kind == FOREIGN_SIGNAL)
			foreign_resume(foreign, event.tracee);
	}
	return foreign->over ? STATUS_GONE : STATUS_OK;
}

/* A thread that has been interrupted, but has come to the beginning of a call first, would have the call cut short. */
static bool begin_calls(struct foreign *foreign)
{
	bool interrupted = false;
	for (uint32_t i = 0; i < foreign->target->tracees_length; i++) {
		struct tracee *tracee = foreign->target->tracees[i];
		if (tracee->life == TRACEE_STOPPED && foreign->threads[i].last.kind == FOREIGN_CALL)
			foreign_resume(foreign, tracee);
		interrupted |= tracee->life == TRACEE_RUNNING && foreign->threads[i].interrupted;
	}
	return interrupted;
}

void foreign_release(struct foreign *foreign)
{
	const int64_t deadline = now_ms() + RELEASE_MS;
	struct foreign_event event;
	while (begin_calls(foreign) && !foreign->over && now_ms() < deadline)
		if (foreign_wait(foreign, RELEASE_MS, &event) == STATUS_OK && event.kind == FOREIGN_SIGNAL)
			foreign_resume(foreign, event.tracee);
}
