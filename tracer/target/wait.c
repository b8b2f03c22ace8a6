#include "tracer/target/tracee.h"

#include <fmc/tracer/clock.h>

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

/*
 * Every waitpid() of the program is in this file. A wait status is named once (classify), dealt with here
 * when it is no business of the caller's, and else given to him.
 */

#define EVENT(status) ((unsigned)(status) >> 16)

static int64_t now_ms(void)
{
	return (int64_t)(clock_now() / 1000000);
}

static bool take_early(struct target *target, pid_t tid, int *status)
{
	for (size_t i = 0; i < target->early_length; i++) {
		if (target->early[i].tid != tid)
			continue;
		*status = target->early[i].status;
		target->early_length--;
		memmove(&target->early[i], &target->early[i + 1],
			(target->early_length - i) * sizeof target->early[0]);
		return true;
	}
	return false;
}

static void mark_dead(struct target *target, struct tracee *tracee)
{
	tracee->life = TRACEE_DEAD;
	registers_forget(tracee);
	for (uint32_t i = 0; i < target->tracees_length; i++)
		if (target->tracees[i]->life != TRACEE_DEAD)
			return;
	target->gone = true;
}

bool wait_for_copy(pid_t tid)
{
	int status;
	pid_t got;
	do
		got = waitpid(tid, &status, __WALL);
	while (got < 0 && errno == EINTR);
	return got == tid && WIFSTOPPED(status);
}

bool wait_is_ours(pid_t pid)
{
	siginfo_t info;
	return waitid(P_PID, (id_t)pid, &info, WNOHANG | WNOWAIT | WEXITED | WSTOPPED | __WALL) == 0;
}

/* The first stop of a thread that its creator's event has announced; it may have come before that event. */
static void await_birth(struct target *target, struct tracee *child)
{
	int status;
	if (take_early(target, child->tid, &status) || wait_for_copy(child->tid))
		child->life = TRACEE_STOPPED;
	else
		mark_dead(target, child);
}

static enum status on_clone(struct target *target, struct tracee *tracee, struct stop *stop)
{
	unsigned long tid = 0;
	if (ptrace(PTRACE_GETEVENTMSG, tracee->tid, NULL, &tid) != 0)
		return STATUS_GONE;
	stop->kind = STOP_CLONE;
	stop->child = target_add(target, (pid_t)tid, TRACEE_BORN);
	if (!stop->child)
		return STATUS_NO_MEMORY;
	await_birth(target, stop->child);
	target->answers->at_birth(tracee, stop->child);
	signal_mask_inherit(tracee, stop->child);
	return STATUS_OK;
}

static enum status on_fork(struct target *target, struct tracee *tracee, struct stop *stop,
			   bool shares_memory)
{
	unsigned long pid = 0;
	int status = 0;
	if (ptrace(PTRACE_GETEVENTMSG, tracee->tid, NULL, &pid) != 0)
		return STATUS_GONE;
	if (!take_early(target, (pid_t)pid, &status)) {
		pid_t got;
		do
			got = waitpid((pid_t)pid, &status, __WALL);
		while (got < 0 && errno == EINTR);
	}
	/* Killed at birth, it has been reaped: its number may soon be another process's. */
	const bool born = WIFSTOPPED(status);
	if (born && descendants_add(target, (pid_t)pid, shares_memory, true) != STATUS_OK)
		return STATUS_NO_MEMORY;
	stop->kind = STOP_FORK;
	stop->number = (long)pid;
	stop->value = shares_memory || !born;
	if (born && !shares_memory)
		signal_mask_forked(tracee, (pid_t)pid);
	if (born && shares_memory)
		resume_foreign((pid_t)pid, 0);
	return STATUS_OK;
}

/* exec: the kernel has killed all other threads, and whoever called it goes on with the process's number. */
static void on_exec(struct target *target, struct stop *stop)
{
	for (uint32_t i = 0; i < target->tracees_length; i++)
		if (target->tracees[i]->life != TRACEE_DEAD && target->tracees[i]->tid != target->pid)
			target->tracees[i]->life = TRACEE_DEAD;
	target->replacing = NULL;
	struct tracee *survivor = target_by_tid(target, target->pid);
	if (survivor) {
		survivor->life = TRACEE_STOPPED;
		survivor->watches = 0; /* the kernel has cleared the debug registers, too */
		registers_forget(survivor);
	}
	stop->kind = STOP_EXEC;
	stop->tracee = survivor;
}

static enum status on_trap(struct tracee *tracee, struct stop *stop)
{
	if (cut_call_stopped(tracee)) {
		target_resume(tracee, 0);
		return STATUS_TIMEOUT;
	}
	if (tracee->after_call.due) {
		tracee->target->answers->after_call(tracee);
		if (!tracee->stepping) {
			target_resume(tracee, 0);
			return STATUS_TIMEOUT;
		}
	}
	if (tracee->stepping) {
		stop->kind = STOP_STEP;
		return STATUS_OK;
	}
	if (tracee->watches && watch_made_stop(tracee)) {
		stop->kind = STOP_WATCH;
		return STATUS_OK;
	}
	struct user_regs_struct *regs = tracee_regs(tracee);
	stop->kind = STOP_TRAP;
	stop->address = regs ? regs->rip - 1 : 0;
	return STATUS_OK;
}

/* What the instruction touched that raised the signal; 0 for a signal that was sent. */
static uint64_t fault_address(const struct tracee *tracee, int signal)
{
	siginfo_t info;
	if (signal != SIGSEGV && signal != SIGBUS)
		return 0;
	if (ptrace(PTRACE_GETSIGINFO, tracee->tid, NULL, &info) != 0 || info.si_code <= 0)
		return 0;
	return (uint64_t)(uintptr_t)info.si_addr;
}

/* What ptrace shows of a signal without a handler must not show in the call that it came in. */
static void mind_call(struct tracee *tracee, int signal)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (!regs || ((long)regs->orig_rax < 0 && !tracee->cut_call.goes_on))
		return;
	if (tracee_signals(tracee, "SigCgt") >> (signal - 1) & 1)
		cut_call_leave(tracee);
	else
		cut_call_mend(tracee);
}

/* As it was resumed before: who steps goes on stepping. */
static void go_on(struct tracee *tracee)
{
	if (tracee->stepping)
		target_step(tracee, 0);
	else
		target_resume(tracee, 0);
}

/* STATUS_TIMEOUT: dealt with here, the tracee runs again. */
static enum status classify(struct target *target, struct tracee *tracee, int status, struct stop *stop)
{
	*stop = (struct stop){.tracee = tracee, .value = status};
	registers_forget(tracee);
	if (WIFEXITED(status) || WIFSIGNALED(status)) {
		stop->kind = STOP_EXITED;
		mark_dead(target, tracee);
		return STATUS_OK;
	}
	tracee->life = TRACEE_STOPPED;
	int signal = WSTOPSIG(status);
	switch (EVENT(status)) {
	case 0:
		if (signal == SIGTRAP)
			return on_trap(tracee, stop);
		target->answers->at_signal(tracee);
		stop->kind = STOP_SIGNAL;
		stop->number = signal;
		tracee->at_signal = signal;
		stop->address = fault_address(tracee, signal);
		mind_call(tracee, signal);
		return STATUS_OK;
	case PTRACE_EVENT_CLONE:
		return on_clone(target, tracee, stop);
	case PTRACE_EVENT_FORK:
		return on_fork(target, tracee, stop, false);
	case PTRACE_EVENT_VFORK:
		return on_fork(target, tracee, stop, true);
	case PTRACE_EVENT_EXEC:
		on_exec(target, stop);
		return STATUS_OK;
	case PTRACE_EVENT_EXIT: {
		unsigned long value = 0;
		ptrace(PTRACE_GETEVENTMSG, tracee->tid, NULL, &value);
		tracee->life = TRACEE_EXITING;
		target->answers->at_exit(tracee);
		stop->kind = STOP_EXITING;
		stop->value = (int)value;
		return STATUS_OK;
	}
	case PTRACE_EVENT_SECCOMP:
		tracee->at_syscall = true;
		stop->number = registers_syscall_number(tracee);
		if (target->world.confined && target->answers->outside(tracee, stop->number)) {
			stop->kind = STOP_OUTSIDE;
			return STATUS_OK;
		}
		target->seccomp_stops++;
		if (target->answers->answer(tracee) ||
		    (target->world.confined && !filter_stops(stop->number))) {
			go_on(tracee);
			return STATUS_TIMEOUT;
		}
		stop->kind = STOP_SYSCALL;
		if (stop->number != SYS_execve && stop->number != SYS_execveat)
			return STATUS_OK;
		target->replacing = tracee;
		go_on(tracee);
		return STATUS_TIMEOUT;
	default:
		cut_call_mend(tracee);
		stop->kind = STOP_INTERRUPT;
		return STATUS_OK;
	}
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
 * While a thread is in execve, the others have to be let go for good; any other stop of its own means that the call
 * has failed. False: the status isn't dealt with.
 */
static bool serve_replaced(struct target *target, struct tracee *who, int status)
{
	if (EVENT(status) == PTRACE_EVENT_EXEC)
		return false;
	if (who == target->replacing) {
		if (EVENT(status) != PTRACE_EVENT_EXIT)
			target->replacing = NULL;
		return false;
	}
	if (WIFEXITED(status) || WIFSIGNALED(status)) {
		mark_dead(target, who);
		return true;
	}
	if (EVENT(status) != PTRACE_EVENT_EXIT)
		return false;
	resume_foreign(who->tid, 0);
	who->life = TRACEE_RUNNING;
	return true;
}

static bool take_early_of(struct target *target, struct tracee *tracee, struct tracee **who, int *status)
{
	if (!target->early_length)
		return false;
	if (tracee) {
		*who = tracee;
		return take_early(target, tracee->tid, status);
	}
	for (size_t i = 0; i < target->early_length; i++) {
		*who = target_by_tid(target, target->early[i].tid);
		if (*who)
			return take_early(target, (*who)->tid, status);
	}
	return false;
}

/* A killed thread may still show stops that were under way; each is passed until its death arrives. */
static void reap(pid_t tid)
{
	for (;;) {
		int status;
		pid_t got = waitpid(tid, &status, __WALL);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 || WIFEXITED(status) || WIFSIGNALED(status))
			return;
		resume_foreign(tid, 0);
	}
}

/*
 * Somebody has killed the process while all of it was stopped: the leader's death isn't told before those of the
 * others, whom nobody else waits for now.
 */
static void reap_after_leader(struct target *target, const struct tracee *tracee)
{
	if (!tracee || tracee->tid != target->pid || !tracee_is_zombie(tracee))
		return;
	for (uint32_t i = 0; i < target->tracees_length; i++) {
		if (target->tracees[i] == tracee || target->tracees[i]->life == TRACEE_DEAD)
			continue;
		resume_foreign(target->tracees[i]->tid, 0);
		reap(target->tracees[i]->tid);
		target->tracees[i]->life = TRACEE_DEAD;
	}
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
				/* Another target's, killed from outside: it is let die, its own reaps it. */
				if (EVENT(status) == PTRACE_EVENT_EXIT && !target->descendants_length)
					resume_foreign(got, 0);
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
			if (tracee && who != tracee && EVENT(status) != PTRACE_EVENT_EXEC) {
				if (!target_keep_early(target, got, status))
					return STATUS_NO_MEMORY;
				continue;
			}
		}
		enum status result = classify(target, who, status, stop);
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

struct target *target_forked(const struct stop *stop)
{
	if (stop->kind != STOP_FORK || stop->value)
		return NULL;
	struct target *forked = target_new((pid_t)stop->number, stop->tracee->target->answers);
	if (!forked)
		return NULL;
	if (!target_add(forked, forked->pid, TRACEE_STOPPED) || target_open_memory(forked) != STATUS_OK) {
		target_free(forked);
		return NULL;
	}
	return forked;
}

void target_let_go(struct target *forked)
{
	resume_foreign(forked->pid, 0);
	target_free(forked);
}

/* Is somebody on his way who may have made a thread that nobody has been told of? Whoever stands can't. */
static bool may_have_created(const struct target *target)
{
	for (uint32_t i = 0; i < target->tracees_length; i++)
		if (target->tracees[i]->life == TRACEE_RUNNING || target->tracees[i]->life == TRACEE_BORN)
			return true;
	return false;
}

/* Who stands is to die of the SIGKILL without another stop at his exit. */
static void expect_no_exits(const struct target *target)
{
	for (uint32_t i = 0; i < target->tracees_length; i++)
		if (target->tracees[i]->life == TRACEE_STOPPED)
			ptrace(PTRACE_SETOPTIONS, target->tracees[i]->tid, NULL, (void *)PTRACE_O_EXITKILL);
}

/*
 * Who stands at his exit because of a SIGKILL already doesn't notice another one: he has to be let go, also those
 * whose last stop nobody has asked for yet.
 */
static void release_exiting(const struct target *target)
{
	for (uint32_t i = 0; i < target->tracees_length; i++)
		if (target->tracees[i]->life == TRACEE_EXITING)
			resume_foreign(target->tracees[i]->tid, 0);
	for (size_t i = 0; i < target->early_length; i++)
		if (WIFSTOPPED(target->early[i].status))
			resume_foreign(target->early[i].tid, 0);
}

/*
 * Threads of a killed process that aren't in the table: one whose creation was under way, of which nobody has been
 * told, is traced and stands at its exit until it is let go. After the SIGKILL no further one can come.
 */
static void reap_others(pid_t pid)
{
	char path[32];
	snprintf(path, sizeof path, "/proc/%d/task", pid);
	DIR *tasks = opendir(path);
	if (!tasks)
		return;
	for (struct dirent *entry; (entry = readdir(tasks));) {
		pid_t tid = atoi(entry->d_name);
		if (tid > 0 && tid != pid)
			reap(tid);
	}
	closedir(tasks);
}

void target_kill(struct target *target)
{
	if (!target)
		return;
	tick_stop(target);
	bool others = may_have_created(target);
	expect_no_exits(target);
	if (!target->gone)
		kill(target->pid, SIGKILL);
	release_exiting(target);
	/* The leader's death is not reported before those of all others (LIMITS: waitpid(leader) hangs until
	 * then). */
	for (uint32_t i = target->tracees_length; i-- > 0;) {
		struct tracee *tracee = target->tracees[i];
		if (tracee->life == TRACEE_DEAD)
			continue;
		if (others && tracee->tid == target->pid)
			reap_others(target->pid);
		reap(tracee->tid);
	}
	for (size_t i = 0; i < target->descendants_length; i++) {
		kill(target->descendants[i].pid, SIGKILL);
		descendants_release(&target->descendants[i]);
		reap_others(target->descendants[i].pid);
		reap(target->descendants[i].pid);
	}
	target_free(target);
}
