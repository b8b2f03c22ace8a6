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
 * Every waitpid() for threads of targets is in this file (target.h says where the others are). A wait status is named once
 * (classify), dealt with here when it is no business of the caller's, and else given to it.
 */

/* Of a stopped thread the kernel puts the ptrace event into the bits above the signal; 0: no event. */
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
	tracee_enter(tracee, TRACEE_DEAD);
	target_forget_early(target, tracee->tid);
	registers_forget(tracee);
	for (uint32_t i = 0; i < target->tracees_length; i++)
		if (target->tracees[i]->life != TRACEE_DEAD)
			return;
	target->gone = true;
}

/* Without __WALL waitpid() knew nothing of threads (until Linux 4.7), which don't report to a parent by SIGCHLD. */
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

/*
 * The first stop of a thread that its creator's event has announced. The kernel orders the two in no way: the stop may have been
 * reported before that event.
 */
static void await_birth(struct target *target, struct tracee *child)
{
	int status;
	if (take_early(target, child->tid, &status) || wait_for_copy(child->tid))
		tracee_enter(child, TRACEE_STOPPED);
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
	const unsigned how = DESCENDANT_CHILD | (shares_memory ? DESCENDANT_SHARES_MEMORY : 0);
	if (born && descendants_add(target, (pid_t)pid, how) != STATUS_OK)
		return STATUS_NO_MEMORY;
	stop->kind = STOP_FORK;
	stop->number = (long)pid;
	stop->value = shares_memory || !born;
	if (born && !shares_memory)
		signal_mask_forked(tracee, (pid_t)pid);
	if (born && shares_memory)
		resume_by_tid((pid_t)pid, 0);
	return STATUS_OK;
}

/*
 * exec: the kernel has killed all other threads, and the thread that called it goes on with the process's number, whichever it had
 * before. No end of the others need have been reported.
 */
static void on_exec(struct target *target, struct stop *stop)
{
	for (uint32_t i = 0; i < target->tracees_length; i++) {
		struct tracee *tracee = target->tracees[i];
		if (tracee->life == TRACEE_DEAD)
			continue;
		/* What was kept of them they did before; their deaths were waited for with the exec. */
		target_forget_early(target, tracee->tid);
		if (tracee->tid != target->pid)
			tracee_enter(tracee, TRACEE_DEAD);
	}
	target->replacing = NULL;
	struct tracee *survivor = target_by_tid(target, target->pid);
	if (survivor) {
		tracee_replaced(survivor);
		survivor->watches = 0; /* the kernel has cleared the debug registers, too */
		registers_forget(survivor);
	}
	stop->kind = STOP_EXEC;
	stop->tracee = survivor;
}

/* Resume with the request used last. A death is told by the next wait. */
static void go_on(struct tracee *tracee)
{
	if (tracee->stepping)
		(void)target_step(tracee, 0);
	else
		(void)target_resume(tracee, 0);
}

static enum status on_trap(struct tracee *tracee, struct stop *stop)
{
	if (cut_call_stopped(tracee)) {
		(void)target_resume(tracee, 0); /* a death is told by the next wait */
		return STATUS_TIMEOUT;
	}
	if (tracee->after_call.due) {
		tracee->target->answers->after_call(tracee);
		if (!tracee->stepping) {
			(void)target_resume(tracee, 0); /* as above */
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

/*
 * A signal without a handler makes the kernel restart the call that it came in unseen; one that ptrace only shows must leave no more
 * trace in it than that.
 */
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
	if (EVENT(status) != PTRACE_EVENT_EXEC)
		tracee_enter(tracee, EVENT(status) == PTRACE_EVENT_EXIT ? TRACEE_EXITING : TRACEE_STOPPED);
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
		/* Still before the kernel gives up its memory and registers, which can be read once more. */
		unsigned long value = 0;
		ptrace(PTRACE_GETEVENTMSG, tracee->tid, NULL, &value);
		target->answers->at_exit(tracee);
		stop->kind = STOP_EXITING;
		stop->value = (int)value;
		return STATUS_OK;
	}
	case PTRACE_EVENT_SECCOMP:
		/* Before the call: a number of -1 in orig_rax skips it, and rax is its result then. */
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
	default: /* PTRACE_EVENT_STOP, which only seized threads have: PTRACE_INTERRUPT, or a group stop */
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
 * In execve the kernel kills all other threads and waits until they are gone; each of them stops at its PTRACE_EVENT_EXIT first
 * and has to be let go there, else the call never returns. Any other stop of the caller's means that the call has failed. False:
 * the status isn't dealt with.
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
	resume_by_tid(who->tid, 0);
	tracee_enter(who, TRACEE_RUNNING);
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
		resume_by_tid(tid, 0);
	}
}

/*
 * The process has been killed from outside while all of it was stopped. The kernel reports the leader's death after those of all
 * others, which have to be waited for here: no one else does now.
 */
static void reap_after_leader(struct target *target, const struct tracee *tracee)
{
	if (!tracee || tracee->tid != target->pid || !tracee_is_zombie(tracee))
		return;
	for (uint32_t i = 0; i < target->tracees_length; i++) {
		if (target->tracees[i] == tracee || target->tracees[i]->life == TRACEE_DEAD)
			continue;
		resume_by_tid(target->tracees[i]->tid, 0);
		reap(target->tracees[i]->tid);
		target_forget_early(target, target->tracees[i]->tid);
		tracee_enter(target->tracees[i], TRACEE_DEAD);
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
	resume_by_tid(forked->pid, 0);
	target_free(forked);
}

/* Is a thread running that may have made another one whose birth hasn't been reported yet? A stopped one can't. */
static bool may_have_created(const struct target *target)
{
	for (uint32_t i = 0; i < target->tracees_length; i++)
		if (target->tracees[i]->life == TRACEE_RUNNING || target->tracees[i]->life == TRACEE_BORN)
			return true;
	return false;
}

/* Drop PTRACE_O_TRACEEXIT, so that stopped threads die of SIGKILL without an exit stop. */
static void expect_no_exits(const struct target *target)
{
	for (uint32_t i = 0; i < target->tracees_length; i++)
		if (target->tracees[i]->life == TRACEE_STOPPED)
			ptrace(PTRACE_SETOPTIONS, target->tracees[i]->tid, NULL, (void *)PTRACE_O_EXITKILL);
}

/*
 * A thread in PTRACE_EVENT_EXIT ignores SIGKILL: continue it, also where that stop hasn't been asked for yet and is kept early.
 */
static void release_exiting(const struct target *target)
{
	for (uint32_t i = 0; i < target->tracees_length; i++)
		if (target->tracees[i]->life == TRACEE_EXITING)
			resume_by_tid(target->tracees[i]->tid, 0);
	for (size_t i = 0; i < target->early_length; i++)
		if (WIFSTOPPED(target->early[i].status))
			resume_by_tid(target->early[i].tid, 0);
}

/*
 * Threads of a killed process that aren't in the table: one whose creation was under way when the process was killed, and hasn't been
 * reported, is traced and stands at its exit until it is let go. After the SIGKILL no further one can come.
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
	/* From the youngest to the leader, whose death the kernel reports last: waitpid() for it would hang until then. */
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
