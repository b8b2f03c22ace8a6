#include "tracer/live/live.h"
#include "tracer/proc/call_traits.h"
#include "tracer/snapshot/attach.h"

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

/* Waiting for the threads of a live process, and what a stop of one means. */

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

/*
 * The call that it is after says EINTR because of our interruption, or because of a signal that is ignored, which wakes
 * nobody but who is traced: it begins again. A handler that is to run makes the kernel say EINTR after all. The kernel looks
 * at this only when it has some signal to look at: the interruption sees to that.
 */
static void begin_again(struct live *live, struct tracee *tracee)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (!regs || (int64_t)regs->rax != -EINTR || !call_is_cut((long)regs->orig_rax) ||
	    live_interrupt(live, tracee) != STATUS_OK)
		return;
	tracee_change_regs(tracee)->rax = (unsigned long long)KERNEL_RESTART;
	registers_write_back(tracee);
}

static enum status at_syscall(struct live *live, struct tracee *tracee, struct live_event *event)
{
	struct __ptrace_syscall_info info;
	if (ptrace(PTRACE_GET_SYSCALL_INFO, tracee->tid, (void *)sizeof info, &info) <= 0)
		return STATUS_TIMEOUT; /* killed: its end follows */
	event->rip = info.instruction_pointer;
	event->rsp = info.stack_pointer;
	if (info.op == PTRACE_SYSCALL_INFO_ENTRY) {
		event->kind = LIVE_CALL;
		event->number = (long)info.entry.nr;
		for (int i = 0; i < 6; i++)
			event->arguments[i] = info.entry.args[i];
		return STATUS_OK;
	}
	event->kind = LIVE_RETURN;
	if (info.exit.rval == -EINTR)
		begin_again(live, tracee);
	return STATUS_OK;
}

/* A trap that live_interrupt() asked for, a job-control stop, or the end of one. */
static enum status at_trap(struct live *live, struct tracee *tracee, int signal, struct live_event *event)
{
	struct live_thread *thread = live_thread_of(live, tracee);
	const bool asked = thread->interrupted;
	event->kind = signal == SIGTRAP ? LIVE_PAUSED : LIVE_SUSPENDED;
	thread->interrupted = false;
	if (signal == SIGTRAP)
		begin_again(live, tracee);
	thread->last = *event;
	if (asked)
		return STATUS_OK;
	live_resume(live, tracee); /* goes on, or listens for the end of the job-control stop */
	return STATUS_TIMEOUT;
}

/* Replaced by another program: it is alone. */
static void forget_others(struct live *live, const struct tracee *tracee)
{
	for (uint32_t i = 0; i < live->target->tracees_length; i++)
		if (live->target->tracees[i] != tracee)
			live->target->tracees[i]->life = TRACEE_DEAD;
	live->over = true;
}

static enum status at_event(struct live *live, struct tracee *tracee, int status, struct live_event *event)
{
	switch (EVENT(status)) {
	case PTRACE_EVENT_STOP:
		return at_trap(live, tracee, status & 0x7f, event);
	case PTRACE_EVENT_EXEC:
		event->kind = LIVE_EXEC;
		forget_others(live, tracee);
		return STATUS_OK;
	default: /* it has made a thread or a process, which will show itself */
		live_resume(live, tracee);
		return STATUS_TIMEOUT;
	}
}

/* Its first stop: a thread of the process, or a process of its own. */
static enum status newcomer(struct live *live, pid_t tid, struct live_event *event)
{
	char path[64];
	take(tid);
	snprintf(path, sizeof path, "/proc/%d/task/%d", live->target->pid, tid);
	if (access(path, F_OK) == 0) {
		event->tracee = live_add(live, tid);
		if (!event->tracee)
			return STATUS_NO_MEMORY;
		event->tracee->life = TRACEE_STOPPED;
		event->kind = LIVE_BORN;
		return STATUS_OK;
	}
	if (live->shown && syscall(SYS_kcmp, live->target->pid, tid, KCMP_VM, 0, 0) != 0)
		live->shown(live->shown_context, tid);
	ptrace(PTRACE_DETACH, tid, NULL, NULL);
	return STATUS_TIMEOUT;
}

static enum status ended(struct live *live, struct tracee *tracee, const siginfo_t *info,
			 struct live_event *event)
{
	int status;
	while (waitpid(info->si_pid, &status, __WALL | __WNOTHREAD) < 0 && errno == EINTR)
		;
	if (!tracee)
		return STATUS_TIMEOUT;
	tracee->life = TRACEE_DEAD;
	event->kind = LIVE_EXITED;
	if (info->si_pid != live->target->pid)
		return STATUS_OK;
	live->over = live->target->gone = true;
	*event = (struct live_event){.kind = LIVE_ENDED, .value = status};
	return STATUS_OK;
}

/* STATUS_TIMEOUT: nothing that anybody needs to know. */
static enum status classify(struct live *live, const siginfo_t *info, struct live_event *event)
{
	struct tracee *tracee = target_by_tid(live->target, info->si_pid);
	const int status = info->si_status;
	enum status result = STATUS_OK;
	*event = (struct live_event){.tracee = tracee};
	if (info->si_code != CLD_TRAPPED && info->si_code != CLD_STOPPED)
		return ended(live, tracee, info, event);
	if (!tracee)
		return newcomer(live, info->si_pid, event);
	tracee->life = TRACEE_STOPPED;
	registers_forget(tracee);
	if (status == SYSCALL_STOP || EVENT(status))
		take(tracee->tid);
	if (status == SYSCALL_STOP) {
		result = at_syscall(live, tracee, event);
	} else if (EVENT(status)) {
		result = at_event(live, tracee, status, event);
	} else {
		event->kind = LIVE_SIGNAL;
		event->number = status;
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

enum status live_wait(struct live *live, int timeout_ms, struct live_event *event)
{
	const int64_t deadline = now_ms() + timeout_ms;
	for (;;) {
		siginfo_t info = {0};
		if (waitid(P_ALL, 0, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL | __WNOTHREAD) !=
		    0) {
			if (errno == EINTR)
				continue;
			live->over = live->target->gone = true;
			*event = (struct live_event){.kind = LIVE_ENDED};
			return STATUS_OK;
		}
		if (info.si_pid) {
			const enum status status = classify(live, &info, event);
			if (status == STATUS_OK && event->tracee)
				live_thread_of(live, event->tracee)->last = *event;
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

static uint32_t interrupt_running(struct live *live, bool calls)
{
	uint32_t running = 0;
	for (uint32_t i = 0; i < live->target->tracees_length; i++) {
		struct tracee *tracee = live->target->tracees[i];
		const struct live_thread *thread = &live->threads[i];
		if (tracee->life != TRACEE_RUNNING || thread->suspended || (!calls && thread->in_call))
			continue;
		running++;
		if (!thread->interrupted)
			live_interrupt(live, tracee);
	}
	return running;
}

enum status live_stop(struct live *live, bool calls, int timeout_ms)
{
	const int64_t deadline = now_ms() + timeout_ms;
	while (!live->over && interrupt_running(live, calls)) {
		struct live_event event;
		const int64_t left = deadline - now_ms();
		if (left <= 0)
			return STATUS_TIMEOUT;
		const enum status status = live_wait(live, (int)left, &event);
		if (status != STATUS_OK)
			return status;
		if (event.kind == LIVE_SIGNAL)
			live_resume(live, event.tracee);
	}
	return live->over ? STATUS_GONE : STATUS_OK;
}

/* A thread that has been interrupted, but has come to the beginning of a call first, would have the call cut short. */
static bool begin_calls(struct live *live)
{
	bool interrupted = false;
	for (uint32_t i = 0; i < live->target->tracees_length; i++) {
		struct tracee *tracee = live->target->tracees[i];
		if (tracee->life == TRACEE_STOPPED && live->threads[i].last.kind == LIVE_CALL)
			live_resume(live, tracee);
		interrupted |= tracee->life == TRACEE_RUNNING && live->threads[i].interrupted;
	}
	return interrupted;
}

void live_release(struct live *live)
{
	const int64_t deadline = now_ms() + RELEASE_MS;
	struct live_event event;
	while (begin_calls(live) && !live->over && now_ms() < deadline)
		if (live_wait(live, RELEASE_MS, &event) == STATUS_OK && event.kind == LIVE_SIGNAL)
			live_resume(live, event.tracee);
}
