#include "tracer/snapshot/attach.h"
#include "tracer/tracee/tracee.h"

#include <fmc/tracer/call_traits.h>
#include <fmc/tracer/clock.h>

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Result of a system call, inside the kernel: run it again, unless a handler is to be run, then it is EINTR. */
#define RESTART_UNLESS_HANDLED (-514)
/* Other such results. */
#define RESTART_SIGNALS	     (-512)
#define RESTART_ALWAYS	     (-513)
#define RESTART_BLOCK	     (-516)
#define SLICE_NS	     500000
#define REFUSALS_MOST	     20
#define REFUSAL_PAUSE_NS     50000
#define RUNNER_POLLS	     30
#define NEVER		     UINT64_MAX /* so often has no thread been given a processor */
#define WATCH_LOOKS	     40
#define WATCH_PAUSE_NS	     100000
#define PATIENCE_ASLEEP_NS   INT64_C(5000000)
#define PATIENCE_RUNNABLE_NS INT64_C(1000000000)

static void pause_ns(long ns)
{
	clock_nanosleep(CLOCK_MONOTONIC, 0, &(struct timespec){.tv_nsec = ns}, NULL);
}

/* Looked at without being stopped. */
static void leave_asleep(const struct attach *attach, struct attached *attached, enum attach_life life)
{
	const struct task_call *call = &attached->call;
	struct snapshot_thread *thread = &attached->thread;
	attached->life = life;
	attached->turns = task_turns(attach->folder, thread->tid);
	thread->partial = true;
	thread->regs = (struct user_regs_struct){.rip = call->pc, .rsp = call->sp};
	thread->syscall = call->number;
	for (int i = 0; i < 6; i++)
		thread->arguments[i] = call->arguments[i];
}

/* It can't be looked at: gone, or not permitted. */
static enum status judge_failure(struct attach *attach, struct attached *attached, int error)
{
	const pid_t tid = attached->thread.tid;
	const char state = task_state(attach->folder, tid);
	if (error == ESRCH || !state || state == 'X' || (state == 'Z' && tid != attach->pid)) {
		attached->life = ATTACH_GONE;
		return STATUS_OK;
	}
	if (state != 'Z') {
		/* In the middle of executing another program a thread looks as if that weren't permitted. */
		if (error != EPERM || ++attached->refusals == REFUSALS_MOST || attach_tracer(attach, tid))
			return attach_refused(attach, error);
		pause_ns(REFUSAL_PAUSE_NS);
		return STATUS_OK;
	}
	attached->life = ATTACH_ZOMBIE;
	attached->thread.state = 'Z';
	attached->thread.partial = true;
	return STATUS_OK;
}

/* False: it is gone, or that isn't permitted. In which call it was seen asleep last stays known. */
static bool look_at(const struct attach *attach, struct attached *attached)
{
	struct task_call call;
	if (!task_call(attach->folder, attached->thread.tid, &call))
		return false;
	attached->thread.state = call.running ? 'R' : 'S';
	if (call.running)
		return true;
	attached->call = call;
	attached->restarts = attach_call_restarts(attach, &call);
	attached->wary = !attached->restarts &&
			 (call_traits(call.number)->cut || call_is_halved(call.number, call.arguments));
	return true;
}

void attach_watch_running(struct attach *attach)
{
	bool running = true;
	for (int looks = 0; looks < WATCH_LOOKS && running; looks++) {
		running = false;
		if (looks)
			pause_ns(WATCH_PAUSE_NS);
		for (size_t i = 0; i < attach->length; i++) {
			struct attached *attached = &attach->at[i];
			if (looks && (attached->thread.state != 'R' || attached->wary))
				continue;
			look_at(attach, attached);
			running |= attached->thread.state == 'R' && !attached->wary;
		}
	}
}

static enum status seize(struct attach *attach, struct attached *attached)
{
	const pid_t tid = attached->thread.tid;
	/* One that has executed another program was seized already, and has the main thread's number now. */
	if (ptrace(PTRACE_SEIZE, tid, NULL, NULL) != 0) {
		const int error = errno;
		if (attach_tracer(attach, tid) != gettid())
			return judge_failure(attach, attached, error);
	}
	/* A failure means that it is on its way out, or stopped by job control, which shows in its stop. */
	ptrace(PTRACE_INTERRUPT, tid, NULL, NULL);
	attached->life = ATTACH_ASKED;
	return STATUS_OK;
}

static bool restarts(uint64_t result)
{
	const int64_t value = (int64_t)result;
	return value == RESTART_SIGNALS || value == RESTART_ALWAYS || value == RESTART_UNLESS_HANDLED ||
	       value == RESTART_BLOCK;
}

/*
 * It had just begun a system call that a stop ends with EINTR, and has used up none of its time: the kernel is to run it
 * again.
 */
static void repair(struct user_regs_struct *regs, pid_t tid)
{
	if ((int64_t)regs->orig_rax < 0 || (int64_t)regs->rax != -EINTR ||
	    !call_traits((long)regs->orig_rax)->cut)
		return;
	regs->rax = (uint64_t)(int64_t)RESTART_UNLESS_HANDLED;
	ptrace(PTRACE_POKEUSER, tid, offsetof(struct user_regs_struct, rax), regs->rax);
}

static void take_registers(struct attached *attached)
{
	struct snapshot_thread *thread = &attached->thread;
	struct user_regs_struct *regs = &thread->regs;
	attached->life = ATTACH_STANDING;
	if (ptrace(PTRACE_GETREGS, thread->tid, NULL, regs) != 0) {
		attached->life = ATTACH_GONE;
		return;
	}
	repair(regs, thread->tid);
	thread->partial = false;
	const bool inside = (int64_t)regs->orig_rax >= 0 && restarts(regs->rax);
	const uint64_t arguments[6] = {regs->rdi, regs->rsi, regs->rdx, regs->r10, regs->r8, regs->r9};
	thread->syscall = inside ? (long)regs->orig_rax : NO_SYSCALL;
	for (int i = 0; i < 6; i++)
		thread->arguments[i] = inside ? arguments[i] : 0;
}

/* A stop's status as waitid() tells it: the signal, and above it the event. */
static void on_stop(struct attached *attached, int status)
{
	const int event = status >> 8, signal = status & 0x7f;
	attached->signal = event ? 0 : signal;
	if (event == PTRACE_EVENT_STOP && signal != SIGTRAP)
		attached->thread.state = 'T';
	take_registers(attached);
}

/* Reap ended threads, for exec waits for a zombie that is traced; but not a child of fmc's own, whose end its caller waits for. */
static void on_end(struct attach *attach, struct attached *attached)
{
	siginfo_t info;
	/* The main thread's end is told after those of all others. */
	attach->ended |= attached->thread.tid == attach->pid;
	if (attached->thread.tid != attach->pid || !attach->parent)
		waitid(P_PID, (id_t)attached->thread.tid, &info, WEXITED | WNOHANG | __WALL);
	attached->life = ATTACH_GONE;
}

/* Has something happened to it? The stop itself stays where it is. */
static void poll_thread(struct attach *attach, struct attached *attached)
{
	siginfo_t info = {0};
	const int which = WEXITED | (attached->life == ATTACH_ASKED ? WSTOPPED : 0);
	if (waitid(P_PID, (id_t)attached->thread.tid, &info, which | WNOHANG | WNOWAIT | __WALL) != 0)
		attached->life = errno == ECHILD ? ATTACH_GONE : attached->life;
	else if (info.si_pid == 0)
		return;
	else if (info.si_code == CLD_TRAPPED || info.si_code == CLD_STOPPED)
		on_stop(attached, info.si_status);
	else
		on_end(attach, attached);
}

/*
 * A thread that runs now stops at once, and is looked at before anything else, lest fmc be killed while a system call that the thread
 * has just begun is yet to be repaired.
 */
static void poll_runner(struct attach *attach, struct attached *attached)
{
	for (int polls = 0; polls < RUNNER_POLLS && attached->life == ATTACH_ASKED; polls++)
		poll_thread(attach, attached);
}

enum status attach_ask(struct attach *attach, struct attached *attached)
{
	struct snapshot_thread *thread = &attached->thread;
	if (!look_at(attach, attached))
		return judge_failure(attach, attached, errno == EPERM || errno == EACCES ? EPERM : ESRCH);
	if (thread->state == 'R' && !attached->wary) {
		const enum status status = seize(attach, attached);
		poll_runner(attach, attached);
		return status;
	}
	if (thread->state == 'S' && attached->restarts)
		return seize(attach, attached);
	/* Another one may be stopped by job control, or have ended. */
	if (thread->state == 'S')
		thread->state = task_state(attach->folder, thread->tid);
	if (!thread->state || !strchr("SDR", thread->state))
		return seize(attach, attached);
	leave_asleep(attach, attached, ATTACH_ASLEEP);
	if (thread->state == 'R')
		attached->turns = NEVER;
	return STATUS_OK;
}

static size_t poll_threads(struct attach *attach)
{
	size_t asked = 0;
	for (size_t i = 0; i < attach->length; i++) {
		if (attach->at[i].life == ATTACH_ASKED)
			poll_thread(attach, &attach->at[i]);
		asked += attach->at[i].life == ATTACH_ASKED;
	}
	return asked;
}

/* A thread that executes another program waits until the others have been waited for. */
static void reap_ended(struct attach *attach)
{
	for (size_t i = 0; i < attach->length; i++)
		if (attach->at[i].life == ATTACH_STANDING)
			poll_thread(attach, &attach->at[i]);
}

/* A thread that waits for a disk (state D) doesn't stop before that is done. */
static void give_up(const struct attach *attach, int64_t waited)
{
	for (size_t i = 0; i < attach->length; i++) {
		struct attached *attached = &attach->at[i];
		if (attached->life != ATTACH_ASKED)
			continue;
		const char state = task_state(attach->folder, attached->thread.tid);
		if (state != 'D' && waited < PATIENCE_RUNNABLE_NS)
			continue;
		task_call(attach->folder, attached->thread.tid, &attached->call);
		leave_asleep(attach, attached, ATTACH_STUCK);
		attached->thread.state = state;
	}
}

/* All signals are blocked meanwhile. */
static bool user_interrupts(void)
{
	sigset_t pending;
	return tracer_interrupted() || (sigpending(&pending) == 0 && (sigismember(&pending, SIGINT) == 1 ||
								      sigismember(&pending, SIGTERM) == 1 ||
								      sigismember(&pending, SIGHUP) == 1));
}

enum status attach_wait(struct attach *attach)
{
	const struct timespec slice = {.tv_nsec = SLICE_NS};
	const int64_t start = (int64_t)clock_now();
	sigset_t child;
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	while (poll_threads(attach)) {
		sigtimedwait(&child, NULL, &slice);
		const int64_t waited = (int64_t)clock_now() - start;
		if (user_interrupts())
			return STATUS_INTERRUPTED;
		if (waited < PATIENCE_ASLEEP_NS)
			continue;
		reap_ended(attach);
		give_up(attach, waited);
	}
	return attach->ended ? attach_ended(attach) : STATUS_OK;
}

void attach_release(struct attach *attach)
{
	for (size_t i = 0; i < attach->length; i++)
		if (attach->at[i].life == ATTACH_STANDING)
			ptrace(PTRACE_DETACH, attach->at[i].thread.tid, NULL,
			       (void *)(long)attach->at[i].signal);
}
