#include "supervisor/run/run.h"
#include "supervisor/uses/uses.h"

#include <fmc/breakpoints/plugin.h>
#include <fmc/breakpoints/stance.h>

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>

/*
 * From one operation of a thread to the next. Exactly this thread runs; whatever it meets on the way is
 * either passed at once, or it is the end of the way. Each handler returns true when the way has ended
 * (outcome is filled).
 */
#define MOST_YIELDS 10000 /* of a function that runs as one transition */
#define WATCH_MS    10	  /* how long a thread may run before somebody looks what it does */
#define LOOK_EVERY  256	  /* stops after which the same is done */
#define STOP_NS	    10000 /* what a stop costs, of which the thread's own time shows little */
#define LOOKED_AT   6 /* so many times a thread's time doubles at most while a look is at what it touches */

void run_failed(struct outcome *outcome, enum end_reason end, enum status status, const char *text)
{
	outcome->kind = OUTCOME_FAILED;
	outcome->end = end;
	outcome->status = status;
	snprintf(outcome->message, sizeof outcome->message, "%s", text);
}

bool run_fail(struct run *run, enum end_reason end, enum status status, const char *text)
{
	run_failed(run->outcome, end, status, text);
	return true;
}

enum status process_go(struct process *process, uint32_t thread, int signal)
{
	struct tracee *tracee = process->threads[thread].tracee;
	bool stopped = tracee->life == TRACEE_STOPPED;
	if (stopped && process->threads[thread].stores.length > 0)
		return stores_go(process, &process->threads[thread], signal);
	if (!process->options.pilot || !stopped)
		return target_resume(tracee, signal);
	process->going = true;
	process->going_signal = signal;
	return STATUS_OK;
}

/* The next that the running thread meets, as target_wait() with a time-out. */
static enum status run_wait(struct run *run, struct stop *stop)
{
	struct process *process = run->process;
	const struct process_pilot *pilot = process->options.pilot;
	bool going = process->going;
	if (!pilot)
		return target_wait(process->target, run_self(run)->tracee, WATCH_MS, stop);
	process->going = false;
	return pilot->run(pilot->context, run->thread, going, process->going_signal, run->own_calls, WATCH_MS,
			  stop);
}

bool run_resume(struct run *run, int signal)
{
	enum status status = process_go(run->process, run->thread, signal);
	if (status == STATUS_OK || status == STATUS_GONE)
		return false; /* a death is told by the next wait */
	return run_fail(run, END_ERROR, status, "can't resume a thread");
}

void run_end_process(struct run *run, enum end_reason end, int value)
{
	run->outcome->kind = OUTCOME_PROCESS_END;
	run->outcome->end = end;
	run->outcome->end_value = value;
}

bool run_become_threaded(struct run *run)
{
	if (run->process->threaded)
		return false;
	run->process->threaded = true;
	run->process->controlled = !run->process->uncontrolled[0] && !run->process->signalled;
	enum status status = entries_plant_all(run->process->entries, run->process->target);
	if (status == STATUS_INTERRUPTED)
		return run_fail(run, END_INTERRUPTED, status, "interrupted");
	if (status != STATUS_OK && status != STATUS_NOT_FOUND)
		return run_fail(run, END_ERROR, status, "can't plant traps");
	if (run_self(run)->tracee)
		rounds_plant(run->process, run_self(run)->tracee);
	char text[160];
	if (user_functions_missing(run->process, text)) {
		plugin_blame("the program has none of its functions: %s", text);
		return run_fail(run, END_UNSUPPORTED, STATUS_UNSUPPORTED, plugin_failure());
	}
	entries_lost_atomics(run->process->entries, text);
	if (*text)
		process_remark(run->process, text);
	look_begin(run->process);
	return false;
}

/* Is this where the run is to end? Not in a call further down the stack. */
static bool is_gadget(const struct run *run, uint64_t address)
{
	const struct user_regs_struct *regs;
	if (!run->gadget || address != run->gadget)
		return false;
	regs = run->gadget_stack ? tracee_regs(run_self(run)->tracee) : NULL;
	return !regs || regs->rsp == run->gadget_stack;
}

static enum status pass(struct run *run, const struct stop *stop, const struct call *call, bool *performed)
{
	struct process *process = run->process;
	if (call->unwatched)
		return process_pass_unwatched(process, run->thread, call, performed);
	if (call->answered)
		return process_pass_answered(process, run->thread, call, performed);
	if (call->instruction || call->user)
		return entries_step(process->entries, stop->tracee, stop->address, performed);
	*performed = true;
	return entries_pass(process->entries, stop->tracee, stop->address);
}

/* Where the trap stands for an instruction, it is performed here, unless something comes between that is told next. */
static bool pass_trap(struct run *run, const struct stop *stop, const struct call *call)
{
	bool performed;
	enum status status = pass(run, stop, call, &performed);
	if (status != STATUS_OK && status != STATUS_GONE)
		return run_fail(run, END_ERROR, status, "can't pass a trap");
	return performed && run_resume(run, 0);
}

/* Libraries may have come, or gone. */
static bool see_loaded(struct run *run)
{
	struct process *process = run->process;
	enum status status = entries_look_again(process->entries, process->target, process->threaded);
	if (status == STATUS_INTERRUPTED)
		return run_fail(run, END_INTERRUPTED, status, "interrupted");
	if (status != STATUS_OK)
		process_remark(process,
			       "libraries loaded later, at whose instructions no traps could be planted");
	look_again(process);
	return false;
}

static bool on_trap(struct run *run, const struct stop *stop)
{
	struct process *process = run->process;
	struct call call;
	if (is_gadget(run, stop->address))
		return run->at_gadget = true;
	if (look_is_trap(process, stop->address))
		return look_hit(process, run->thread, stop, run->own_calls) && run_resume(run, 0);
	uint32_t loop = entries_loop_at(process->entries, stop->address);
	if (loop < LOOPS_MOST)
		return run_on_round(run, loop);
	if (entries_pass_inside(process->entries, stop->tracee, stop->address))
		return run_resume(run, 0);
	if (!entries_is_trap(process->entries, stop->address))
		return run_resume(run, SIGTRAP); /* the program's own int3 */
	enum status status = entries_decode(process->entries, stop, &call);
	if (status == STATUS_GONE)
		return false;
	if (status != STATUS_OK)
		return run_fail(run, END_ERROR, status, "can't decode a call");
	if (call.asks)
		variables_note(process, call.object);
	if (call.loads && see_loaded(run))
		return true;
	bool visible = !call.libc_own && !run->own_calls && call.op.kind != OP_NONE;
	if (plugin_failure())
		return run_fail(run, END_UNSUPPORTED, STATUS_UNSUPPORTED, plugin_failure());
	if (visible && call.op.kind == OP_THREAD_CREATE && run_become_threaded(run))
		return true;
	if (visible && process->threaded)
		run_join_copy(run, &call);
	if (visible && process->threaded && (call.instruction || call.compiled) &&
	    retries_repeat(process, run_self(run), &call))
		return run_stop_before_retry(run, &call);
	if (visible && process->threaded)
		return run_stop_before(run, &call);
	return pass_trap(run, stop, &call);
}

/* A wait of a process's only thread at a futex. Another process that wakes it changes the word. */
struct lone_wait {
	struct process *process;
	const struct tracee *tracee;
	uint64_t word;
	uint32_t expected;
	int64_t result;
};

static bool is_over(void *context)
{
	struct lone_wait *wait = context;
	uint32_t word;
	if (target_read(wait->process->target, wait->word, &word, sizeof word) != STATUS_OK)
		wait->result = -EFAULT;
	else if (word != wait->expected)
		wait->result = -EAGAIN;
	else if (signals_deliverable(wait->tracee))
		wait->result = -EINTR;
	else
		return false;
	return true;
}

static bool never(void *context)
{
	(void)context;
	return false;
}

/*
 * With a single thread nothing is to be decided: sleeps cost nothing, all else is the kernel's. But it doesn't know the program's
 * clocks, by which the end of a wait at a futex may be given.
 */
static bool pass_alone(struct run *run, const struct call *call)
{
	struct process *process = run->process;
	struct tracee *tracee = run_self(run)->tracee;
	const struct user_regs_struct *regs = tracee_regs(tracee);
	const int64_t end = time_end(process, tracee, call);
	if (call->op.kind == OP_SLEEP) {
		time_sleep(process, end, never, NULL);
		tracee_skip_syscall(tracee, 0);
	} else if (call->op.kind == OP_FUTEX_WAIT && end && regs && !process->threaded) {
		struct lone_wait wait = {process, tracee, regs->rdi, (uint32_t)regs->rdx, -ETIMEDOUT};
		time_sleep(process, end, is_over, &wait);
		tracee_skip_syscall(tracee, wait.result);
	} else {
		outside_meet(process, tracee, &call->op);
		target_clock_waits(process->target, end);
	}
	return run_resume(run, 0);
}

void run_note_syscall(struct process *process, uint32_t thread, long number)
{
	channels_note(process, thread, number);
	switch (number) {
	case SYS_open:
	case SYS_openat:
		files_opened(process, process->threads[thread].tracee);
		break;
	case SYS_readlink:
	case SYS_readlinkat:
		files_link_read(process, process->threads[thread].tracee, number);
		break;
	case SYS_stat:
	case SYS_lstat:
	case SYS_newfstatat:
	case SYS_fstat:
	case SYS_statx:
		files_looked_at(process, process->threads[thread].tracee, number);
		break;
	case SYS_futex:
	case CALL_FUTEX_WAITV:
	case CALL_FUTEX_WAKE:
	case CALL_FUTEX_WAIT:
	case CALL_FUTEX_REQUEUE:
		process_remark(process, "futex operations other than wait, wake and requeue");
		break;
	case SYS_kill:
	case SYS_tkill:
	case SYS_tgkill:
	case SYS_rt_sigqueueinfo:
	case SYS_rt_tgsigqueueinfo:
	case SYS_pidfd_send_signal:
		process->signalled = true;
		channels_note_signal(process, thread, number);
		break;
	case SYS_setitimer:
	case SYS_alarm:
	case SYS_timer_create:
		process->disturbed = true;
		process_remark(process, "timers");
		break;
	case SYS_timerfd_create:
		process_remark(process, "timers");
		break;
	case SYS_clock_gettime:
		process_remark(process, "clocks of devices");
		break;
	case SYS_socket:
		process_remark(process, "sockets");
		break;
	case SYS_shmat:
		process_remark(process, "shared memory");
		break;
	case SYS_semget:
		process_remark(process, "semaphores of System V");
		break;
	case SYS_msgget:
	case SYS_mq_open:
		process_remark(process, "message queues");
		break;
	case SYS_io_uring_setup:
		process_remark(process, "io_uring");
		break;
	case SYS_io_setup:
		process_remark(process, "asynchronous input and output");
		break;
	case SYS_inotify_init:
	case SYS_inotify_init1:
	case SYS_fanotify_init:
		process_remark(process, "events of files");
		break;
	case SYS_userfaultfd:
		process_remark(process, "userfaultfd");
		break;
	case SYS_add_key:
	case SYS_request_key:
	case SYS_keyctl:
		process_remark(process, "keys of the kernel");
		break;
	default:
		break;
	}
}

static bool is_inside(const struct call *wake, enum object_class class, uint64_t object)
{
	return object && wake->object >= object && wake->object - object < class_bytes(class);
}

/*
 * Does libc wake up somebody at the very object that the thread has just operated on? A timed-out waiter leaves the mark that
 * makes its next unlock do so. Threads that sleep at such an object sleep in the model, and the operation has woken them there.
 */
static bool wakes_for_operation(const struct run *run, const struct call *call)
{
	const struct call *done = &run_self(run)->call;
	return call->op.kind == OP_FUTEX_WAKE && op_class(done->op.kind) != CLASS_FUTEX &&
	       entries_is_libc(run->process->entries, call->return_address) &&
	       (is_inside(call, op_class(done->op.kind), done->object) ||
		is_inside(call, op_class2(done->op.kind), done->object2));
}

static bool on_syscall(struct run *run, const struct stop *stop)
{
	struct call call;
	const struct user_regs_struct *regs = tracee_regs(run_self(run)->tracee);
	if (regs && is_gadget(run, regs->rip - 2))
		return run->at_gadget = true;
	if (run->until_asleep && stance_sleeps(stop->tracee))
		return run->falls_asleep = true;
	if (run->interrupt_wait && stop->number == SYS_futex) {
		tracee_skip_syscall(run_self(run)->tracee, -EINTR);
		return run_resume(run, 0);
	}
	enum status status = entries_decode(run->process->entries, stop, &call);
	if (status == STATUS_GONE)
		return false;
	if (status != STATUS_OK)
		return run_fail(run, END_ERROR, status, "can't decode a system call");
	if (call.op.kind == OP_PROCESS_EXIT && !run->process->threaded) {
		run_end_process(run, END_EXIT, (int)(call.op.arg & 0xff));
		return true;
	}
	if (wakes_for_operation(run, &call))
		return run_resume(run, 0);
	if (call.op.kind == OP_NONE) {
		run_note_syscall(run->process, run->thread, stop->number);
		return run_resume(run, 0);
	}
	if (run->own_calls && call.op.kind == OP_YIELD && ++run->yields > MOST_YIELDS)
		return run_fail(run, END_STUCK, STATUS_TIMEOUT, "a function waits for another thread");
	if (run->own_calls || !run->process->threaded)
		return pass_alone(run, &call);
	return run_stop_before(run, &call);
}

static bool run_handle(struct run *run, const struct stop *stop);

/* Asleep in the kernel, with everybody else stopped: it waits for something outside of fmc's knowledge. first: the call's argument. */
static bool on_blocked(struct run *run, long number, uint64_t first)
{
	struct process *process = run->process;
	struct stop stop;
	if (!process->threaded || run->own_calls || process->hope_lost) {
		/* Nothing else could be done meanwhile. */
		children_let_end_asleep(process);
		int64_t waited = (int64_t)run->blocked * WATCH_MS;
		if (process->threaded && process->options.outside_ms && waited > process->options.outside_ms)
			return run_fail(run, END_STUCK, STATUS_TIMEOUT,
					"every thread waits for something outside of the program");
		outside_meet_asleep(process, number, first);
		target_clock_waited(process->target, WATCH_MS * INT64_C(1000000));
		return false;
	}
	(void)tracee_interrupt(run_self(run)->tracee); /* the wait says what came of it */
	enum status status = target_wait(process->target, run_self(run)->tracee, -1, &stop);
	if (status == STATUS_INTERRUPTED)
		return run_fail(run, END_INTERRUPTED, status, "interrupted");
	if (status != STATUS_OK)
		return run_fail(run, END_ERROR, status, "can't stop a waiting thread");
	if (stop.kind != STOP_INTERRUPT)
		return run_handle(run, &stop);
	const struct user_regs_struct *regs = tracee_regs(run_self(run)->tracee);
	struct call call = {.op = {.kind = OP_SYSCALL, .arg = number, .place = regs ? regs->rip : 0}};
	return run_stop_before(run, &call);
}

/*
 * So many looks in a row find a thread asleep that waits: once may be on its way through. A child that begins and ends soon does
 * so sooner or later as the machine is busy, and whether its parent has waited for it is to be the same each time.
 */
static int looks_before(long number)
{
	return number == SYS_wait4 || number == SYS_waitid ? 10 : 2;
}

static bool on_timeout(struct run *run)
{
	struct process *process = run->process;
	struct process_thread *thread = run_self(run);
	uint64_t first;
	long number = tracee_blocked_in(thread->tracee, &first);
	/* Put into an image on its way it is another thread to the kernel, which begins at 0. */
	if (!run->looks++ || tracee_cpu_time(thread->tracee) < run->since) {
		run->since = tracee_cpu_time(thread->tracee);
		run->calls = target_calls(process->target);
	}
	if (number >= 0) {
		return ++run->blocked >= looks_before(number) && on_blocked(run, number, first);
	}
	run->blocked = 0;
	uint64_t used = tracee_cpu_time(thread->tracee) - run->since;
	used += (target_calls(process->target) - run->calls + run->stops) * STOP_NS;
	const unsigned slower = process->looking.look ? LOOKED_AT : 0;
	uint64_t most = (uint64_t)process->options.spin_ms * 1000000 << ((run->patience & 15) + slower);
	if (!process->threaded || run->own_calls || !most || used < most)
		return false;
	run->looks = 0;
	run->stops = 0;
	return run_examine(run);
}

/*
 * What the copy lacks is about to be used. A thread whose first step that is stays before it: as far as can be known it waits for
 * the outside, and what the others do without it could be so.
 */
static bool on_outside(struct run *run, const struct stop *stop)
{
	const char *text = target_outside(run->process->target);
	const struct user_regs_struct *regs = tracee_regs(run_self(run)->tracee);
	if (!run->process->bringing_up)
		return run_fail(run, END_ABSENT, STATUS_OK, text);
	const struct call call = {
	    .op = {
		.kind = OP_SYSCALL, .flags = OP_ABSENT, .arg = stop->number, .place = regs ? regs->rip : 0}};
	snprintf(run_self(run)->absent, sizeof run_self(run)->absent, "%.110s", text);
	return run_stop_before(run, &call);
}

static bool run_handle(struct run *run, const struct stop *stop)
{
	if (stop->kind == STOP_SIGNAL || stop->kind == STOP_INTERRUPT || stop->kind == STOP_EXITING)
		look_leave(run->process, stop->tracee, run->own_calls);
	switch (stop->kind) {
	case STOP_TRAP:
		return on_trap(run, stop);
	case STOP_SYSCALL:
		return on_syscall(run, stop);
	case STOP_CLONE:
		return run_on_clone(run, stop);
	case STOP_FORK:
		return run_on_fork(run, stop);
	case STOP_EXEC:
		return run_fail(run, END_UNSUPPORTED, STATUS_UNSUPPORTED,
				"the program replaces itself by another (exec): run fmc on that one");
	case STOP_EXITING:
		return run_on_exiting(run, stop);
	case STOP_EXITED:
		return run_on_exited(run, stop);
	case STOP_SIGNAL:
		return run_on_signal(run, stop);
	case STOP_OUTSIDE:
		return on_outside(run, stop);
	case STOP_STEP:
	case STOP_WATCH:
	case STOP_INTERRUPT:
		return run_resume(run, 0);
	}
	return run_fail(run, END_ERROR, STATUS_BUG, "a stop of no known kind");
}

static void follow(struct run *run)
{
	struct process *process = run->process;
	bool ended = false;
	while (!ended) {
		struct stop stop;
		if (run_self(run)->stores.at_fence) {
			run_stop_at_fence(run);
			break;
		}
		signals_pass(process, run_self(run)->tracee);
		enum status status = run_wait(run, &stop);
		if (status == STATUS_OK) {
			run->blocked = 0;
			process->hope_lost = false;
			target_clock_waits(process->target, 0);
			ended = run_handle(run, &stop) || (++run->stops % LOOK_EVERY == 0 && on_timeout(run));
		} else if (status == STATUS_TIMEOUT) {
			ended = on_timeout(run);
		} else if (status == STATUS_INTERRUPTED) {
			ended = run_fail(run, END_INTERRUPTED, status, "interrupted");
		} else {
			ended = run_fail(run, END_ERROR, status, "lost the target");
		}
	}
	look_take(process, run->thread, run->own_calls);
}

void run_to_operation(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct run run = {.process = process, .thread = thread, .outcome = outcome};
	outcome->kind = OUTCOME_FAILED;
	follow(&run);
}

enum status run_handlers(struct process *process, uint32_t thread, uint64_t where, uint64_t stack,
			 struct outcome *outcome)
{
	struct run run = {
	    .process = process, .thread = thread, .outcome = outcome, .gadget = where, .gadget_stack = stack};
	outcome->kind = OUTCOME_FAILED;
	if (!run_resume(&run, 0))
		follow(&run);
	return run.at_gadget ? STATUS_OK : STATUS_GONE;
}

static enum status run_call(struct process *process, uint32_t thread, struct outcome *outcome, bool interrupt)
{
	struct run run = {.process = process,
			  .thread = thread,
			  .outcome = outcome,
			  .gadget = target_gadget_trap(process->target),
			  .own_calls = true,
			  .interrupt_wait = interrupt};
	follow(&run);
	return run.at_gadget ? STATUS_OK : STATUS_GONE;
}

enum status run_out(struct process *process, uint32_t thread, struct outcome *outcome, bool *asleep)
{
	struct run run = {.process = process,
			  .thread = thread,
			  .outcome = outcome,
			  .gadget = target_gadget_trap(process->target),
			  .own_calls = true,
			  .until_asleep = true};
	follow(&run);
	*asleep = run.falls_asleep;
	return run.at_gadget || run.falls_asleep ? STATUS_OK : STATUS_GONE;
}

enum status run_interrupted(struct process *process, uint32_t thread, struct outcome *outcome)
{
	return run_call(process, thread, outcome, true);
}

enum status run_to_gadget(struct process *process, uint32_t thread, struct outcome *outcome)
{
	return run_call(process, thread, outcome, false);
}
