#include "supervisor/process_private.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/*
 * From one operation of a thread to the next. Exactly this thread runs; whatever it meets on the way is
 * either passed at once, or it is the end of the way. Each handler returns true when the way has ended
 * (outcome is filled).
 */
#define WATCH_MS 10 /* how long a thread may run before somebody looks what it does */

struct run {
	struct process *process;
	uint32_t thread;
	struct outcome *outcome;
	uint64_t gadget; /* a trap of fmc's own to stop at, or 0 */
	bool at_gadget;
	bool own_calls; /* system calls are not operations: a function that fmc itself has called */
	int looks;	/* how often the thread was found still running */
	int blocked;	/* how often in a row it was found asleep in the kernel */
};

void run_failed(struct outcome *outcome, enum end_reason end, enum status status, const char *text)
{
	outcome->kind = OUTCOME_FAILED;
	outcome->end = end;
	outcome->status = status;
	snprintf(outcome->message, sizeof outcome->message, "%s", text);
}

void process_remark(struct process *process, const char *text)
{
	size_t length = strlen(process->uncontrolled);
	if (strstr(process->uncontrolled, text) || length + strlen(text) + 3 > sizeof process->uncontrolled)
		return;
	snprintf(process->uncontrolled + length, sizeof process->uncontrolled - length, "%s%s",
		 length ? ", " : "", text);
}

static struct process_thread *self(const struct run *run)
{
	return &run->process->threads[run->thread];
}

static bool fail(struct run *run, enum end_reason end, enum status status, const char *text)
{
	run_failed(run->outcome, end, status, text);
	return true;
}

static bool resume(struct run *run, int signal)
{
	enum status status = target_resume(self(run)->tracee, signal);
	if (status == STATUS_OK || status == STATUS_GONE)
		return false; /* a death is told by the next wait */
	return fail(run, END_ERROR, status, "can't resume a thread");
}

static void end_process(struct run *run, enum end_reason end, int value)
{
	run->outcome->kind = OUTCOME_PROCESS_END;
	run->outcome->end = end;
	run->outcome->end_value = value;
}

/* The first frame of the program's own code, for operations that a library makes. */
static uint64_t own_place(struct process *process, struct tracee *tracee, uint64_t address, uint64_t trap)
{
	enum { DEPTH = 32 };
	uint64_t frames[DEPTH];
	struct place place;
	places_update(process->places, process->target);
	places_find(process->places, address, true, &place);
	if (!place.library)
		return address;
	(void)trap;
	size_t length = places_stack(process->places, tracee, frames, DEPTH);
	for (size_t i = 1; i < length; i++) {
		places_find(process->places, frames[i], true, &place);
		if (place.module && !place.library)
			return frames[i];
	}
	return address;
}

static bool initialises(enum op_kind kind)
{
	switch (kind) {
	case OP_MUTEX_INIT:
	case OP_COND_INIT:
	case OP_RWLOCK_INIT:
	case OP_BARRIER_INIT:
	case OP_SPIN_INIT:
	case OP_SEM_INIT:
		return true;
	default:
		return false;
	}
}

static uint32_t object_number(struct process *process, const struct call *call, enum object_class class,
			      uint64_t address)
{
	if (class == CLASS_NONE || !address)
		return NO_OBJECT;
	if (class == CLASS_THREAD)
		return threads_by_pthread(process, address);
	return objects_intern(process, class, address, initialises(call->op.kind));
}

/* Has the thread come back from the routine of its innermost pthread_once? *ran: to the routine's end. */
static bool is_behind_once(const struct run *run, int64_t *ran)
{
	const struct process_thread *thread = self(run);
	uint32_t word;
	if (!thread->once_length)
		return false;
	uint64_t address = thread->once[thread->once_length - 1];
	if (target_read(run->process->target, address, &word, sizeof word) != STATUS_OK)
		return false;
	*ran = (word & 3) == 2;
	return !(word & 1);
}

/* The end of the routine takes the place of this stop. */
static bool stop_behind_once(struct run *run, const struct call *call, int64_t ran)
{
	struct process_thread *thread = self(run);
	thread->after = *call;
	thread->call = *call;
	thread->call.op =
	    (struct op){.kind = OP_ONCE_END, .object2 = NO_OBJECT, .arg = ran, .place = call->op.place};
	thread->call.op.object = objects_find(run->process, CLASS_ONCE, thread->once[--thread->once_length]);
	run->outcome->kind = OUTCOME_PENDING;
	run->outcome->next = thread->call.op;
	return true;
}

/*
 * In glibc pthread_spin_unlock and pthread_spin_init are one function: a lock that nobody has used and that
 * isn't held is being made.
 */
static bool is_spin_init(struct process *process, const struct call *call)
{
	struct object_state state;
	uint32_t object = objects_find(process, CLASS_SPIN, call->object);
	if (call->op.kind != OP_SPIN_UNLOCK)
		return false;
	if (object == NO_OBJECT)
		return true;
	model_object_state(process->model->model, object, &state);
	return state.destroyed;
}

/* The thread stands before an operation: number its objects. */
static bool stop_before(struct run *run, const struct call *call)
{
	struct process *process = run->process;
	struct process_thread *thread = self(run);
	int64_t ran;
	if (is_behind_once(run, &ran))
		return stop_behind_once(run, call, ran);
	thread->call = *call;
	if (is_spin_init(process, call))
		thread->call.op.kind = OP_SPIN_INIT;
	call = &thread->call;
	struct op *op = &thread->call.op;
	op->object = op->kind == OP_THREAD_CREATE
			 ? NO_OBJECT
			 : object_number(process, call, op_class(op->kind), call->object);
	op->object2 = object_number(process, call, op_class2(op->kind), call->object2);
	objects_verify(process, op);
	if (process->find_places)
		op->place = own_place(process, thread->tracee, op->place, call->entry);
	run->outcome->kind = OUTCOME_PENDING;
	run->outcome->next = *op;
	return true;
}

static bool become_threaded(struct run *run)
{
	if (run->process->threaded)
		return false;
	run->process->threaded = true;
	enum status status = entries_plant_all(run->process->entries, run->process->target);
	if (status != STATUS_OK && status != STATUS_NOT_FOUND)
		return fail(run, END_ERROR, status, "can't plant traps");
	return false;
}

static bool on_trap(struct run *run, const struct stop *stop)
{
	struct process *process = run->process;
	struct call call;
	if (run->gadget && stop->address == run->gadget) {
		run->at_gadget = true;
		return true;
	}
	if (!entries_is_trap(process->entries, stop->address))
		return resume(run, SIGTRAP); /* the program's own int3 */
	enum status status = entries_decode(process->entries, stop, &call);
	if (status == STATUS_GONE)
		return false;
	if (status != STATUS_OK)
		return fail(run, END_ERROR, status, "can't decode a call");
	bool visible = !call.libc_own && !run->own_calls && call.op.kind != OP_NONE;
	if (visible && call.op.kind == OP_THREAD_CREATE && become_threaded(run))
		return true;
	if (visible && process->threaded)
		return stop_before(run, &call);
	status = entries_pass(process->entries, stop->tracee, stop->address);
	if (status != STATUS_OK && status != STATUS_GONE)
		return fail(run, END_ERROR, status, "can't pass a trap");
	return resume(run, 0);
}

/* With a single thread nothing is to be decided: sleeps cost nothing, all else is the kernel's. */
static bool pass_alone(struct run *run, const struct call *call)
{
	struct tracee *tracee = self(run)->tracee;
	if (call->op.kind == OP_SLEEP) {
		int64_t now =
		    call->op.arg2 ? target_clock(run->process->target, (clockid_t)call->op.arg3) : 0;
		target_advance_clock(run->process->target, call->op.arg - now);
		tracee_skip_syscall(tracee, 0);
	}
	return resume(run, 0);
}

static bool on_syscall(struct run *run, const struct stop *stop)
{
	struct call call;
	enum status status = entries_decode(run->process->entries, stop, &call);
	if (status == STATUS_GONE)
		return false;
	if (status != STATUS_OK)
		return fail(run, END_ERROR, status, "can't decode a system call");
	if (call.op.kind == OP_PROCESS_EXIT && !run->process->threaded) {
		end_process(run, END_EXIT, (int)(call.op.arg & 0xff));
		return true;
	}
	if (call.op.kind == OP_NONE) {
		if (stop->number == SYS_futex)
			process_remark(run->process, "futex operations other than wait, wake and requeue");
		return resume(run, 0);
	}
	if (run->own_calls || !run->process->threaded)
		return pass_alone(run, &call);
	return stop_before(run, &call);
}

/* The address that the kernel clears when the new thread exits, from the arguments of the call that made it.
 */
static uint64_t tid_word(struct process *process, struct tracee *creator)
{
	const struct user_regs_struct *regs = tracee_regs(creator);
	uint64_t arguments[3] = {0}; /* of struct clone_args: flags, pidfd, child_tid */
	if (!regs)
		return 0;
	if ((long)regs->orig_rax == SYS_clone)
		return regs->rdi & CLONE_CHILD_CLEARTID ? regs->r10 : 0;
	if ((long)regs->orig_rax == SYS_clone3 &&
	    target_read(process->target, regs->rdi, arguments, sizeof arguments) == STATUS_OK)
		return arguments[0] & CLONE_CHILD_CLEARTID ? arguments[2] : 0;
	return 0;
}

static bool on_clone(struct run *run, const struct stop *stop)
{
	struct process *process = run->process;
	uint64_t cleared = tid_word(process, stop->tracee);
	if (become_threaded(run))
		return true;
	uint32_t number = model_block_add_thread(process->model);
	struct process_thread *born = number == NO_THREAD ? NULL : threads_add(process, stop->child);
	if (!born)
		return fail(run, END_ERROR, STATUS_NO_MEMORY, "too many threads");
	born->start_routine = self(run)->call.start_routine;
	born->tid_word = cleared;
	if (self(run)->call.op.kind == OP_THREAD_CREATE && self(run)->call.op.arg)
		model_thread_detached(process->model->model, number);
	born->call.op = (struct op){.kind = OP_THREAD_START, .object = number, .object2 = NO_OBJECT};
	if (!run->outcome->births++)
		run->outcome->created = number;
	return resume(run, 0);
}

static bool on_fork(struct run *run, const struct stop *stop)
{
	struct target *forked = target_forked(run->process->target, stop);
	process_remark(run->process, "child processes");
	if (forked) {
		entries_unplant(run->process->entries, forked);
		target_let_go(run->process->target, forked);
	}
	return resume(run, 0);
}

static uint32_t alive(const struct process *process)
{
	uint32_t n = 0;
	for (uint32_t t = 0; t < process->threads_length; t++)
		n += process->threads[t].tracee != NULL;
	return n;
}

/* A thread is on its way out: follow it until joiners could see its end. */
static bool on_exiting(struct run *run, const struct stop *stop)
{
	struct process *process = run->process;
	struct tracee *tracee = stop->tracee;
	struct stop death;
	if (WIFSIGNALED(stop->value)) {
		end_process(run, END_SIGNAL, WTERMSIG(stop->value));
		return true;
	}
	if (alive(process) == 1) {
		end_process(run, END_EXIT, WEXITSTATUS(stop->value));
		return true;
	}
	int64_t ran;
	if (is_behind_once(run, &ran)) {
		self(run)->exiting = true;
		self(run)->death = *stop;
		return stop_behind_once(run, &self(run)->call, ran);
	}
	if (resume(run, 0))
		return true;
	if (tracee->tid == target_pid(process->target)) {
		/* The leader stays a zombie until all others are gone, and is not reported before. */
		while (!tracee_is_zombie(tracee))
			sched_yield();
	} else {
		enum status status;
		do
			status = target_wait(process->target, tracee, -1, &death);
		while (status == STATUS_INTERRUPTED);
	}
	self(run)->tracee = NULL;
	uint32_t word = objects_find(process, CLASS_FUTEX, self(run)->tid_word);
	if (word != NO_OBJECT)
		model_futex_kernel_wake(process->model->model, word);
	run->outcome->kind = OUTCOME_EXITED;
	return true;
}

static bool on_exited(struct run *run, const struct stop *stop)
{
	self(run)->tracee = NULL;
	if (WIFSIGNALED(stop->value))
		end_process(run, END_SIGNAL, WTERMSIG(stop->value));
	else
		end_process(run, END_EXIT, WEXITSTATUS(stop->value));
	return true;
}

/* Masks of signals from /proc/PID/status: "SigCgt:	0000000000000000". */
static uint64_t signal_mask(const struct process *process, const char *name)
{
	char path[32], line[256];
	unsigned long long mask = 0;
	snprintf(path, sizeof path, "/proc/%d/status", target_pid(process->target));
	FILE *status = fopen(path, "re");
	if (!status)
		return 0;
	while (fgets(line, sizeof line, status))
		if (!strncmp(line, name, strlen(name)))
			sscanf(line + strlen(name), ": %llx", &mask);
	fclose(status);
	return mask;
}

/* Would this signal end the process? Then it is stopped here, its threads still to be looked at. */
static bool is_fatal(const struct process *process, int signal)
{
	switch (signal) {
	case SIGCHLD:
	case SIGCONT:
	case SIGURG:
	case SIGWINCH:
	case SIGSTOP:
	case SIGTSTP:
	case SIGTTIN:
	case SIGTTOU:
		return false;
	default:
		return !((signal_mask(process, "SigCgt") | signal_mask(process, "SigIgn")) >> (signal - 1) &
			 1);
	}
}

static bool on_signal(struct run *run, const struct stop *stop)
{
	int signal = (int)stop->number;
	if (is_fatal(run->process, signal)) {
		end_process(run, END_SIGNAL, signal);
		if (signal == SIGSEGV || signal == SIGBUS)
			snprintf(run->outcome->message, sizeof run->outcome->message,
				 "accessing address 0x%llx", (unsigned long long)stop->address);
		return true;
	}
	return resume(run, signal);
}

static bool run_handle(struct run *run, const struct stop *stop);

/* Asleep in the kernel, with everybody else stopped: it waits for something outside of fmc's knowledge. */
static bool on_blocked(struct run *run, long number)
{
	struct process *process = run->process;
	struct stop stop;
	if (!process->threaded || run->own_calls || process->hope_lost) {
		/* Nothing else could be done meanwhile. */
		int64_t waited = (int64_t)run->blocked * WATCH_MS;
		if (process->threaded && process->options.outside_ms && waited > process->options.outside_ms)
			return fail(run, END_STUCK, STATUS_TIMEOUT,
				    "every thread waits for something outside of the program");
		return false;
	}
	tracee_interrupt(self(run)->tracee);
	enum status status = target_wait(process->target, self(run)->tracee, -1, &stop);
	if (status == STATUS_INTERRUPTED)
		return fail(run, END_INTERRUPTED, status, "interrupted");
	if (status != STATUS_OK)
		return fail(run, END_ERROR, status, "can't stop a waiting thread");
	if (stop.kind != STOP_INTERRUPT)
		return run_handle(run, &stop);
	const struct user_regs_struct *regs = tracee_regs(self(run)->tracee);
	struct call call = {.op = {.kind = OP_SYSCALL, .arg = number, .place = regs ? regs->rip : 0}};
	return stop_before(run, &call);
}

static bool on_timeout(struct run *run)
{
	struct process *process = run->process;
	struct process_thread *thread = self(run);
	long number = tracee_blocked_in(thread->tracee);
	if (!run->looks++)
		thread->run_since = tracee_cpu_time(thread->tracee);
	if (number >= 0) {
		/* Twice in a row: not on its way through. */
		return ++run->blocked >= 2 && on_blocked(run, number);
	}
	run->blocked = 0;
	uint64_t used_ms = (tracee_cpu_time(thread->tracee) - thread->run_since) / 1000000;
	if (!process->threaded || !process->options.spin_ms || used_ms < process->options.spin_ms)
		return false;
	thread->run_since += (uint64_t)process->options.spin_ms * 1000000;
	return spin_examine(process, run->thread, run->outcome);
}

static bool run_handle(struct run *run, const struct stop *stop)
{
	switch (stop->kind) {
	case STOP_TRAP:
		return on_trap(run, stop);
	case STOP_SYSCALL:
		return on_syscall(run, stop);
	case STOP_CLONE:
		return on_clone(run, stop);
	case STOP_FORK:
		return on_fork(run, stop);
	case STOP_EXEC:
		return fail(run, END_UNSUPPORTED, STATUS_UNSUPPORTED,
			    "the program replaces itself by another (exec): run fmc on that one");
	case STOP_EXITING:
		return on_exiting(run, stop);
	case STOP_EXITED:
		return on_exited(run, stop);
	case STOP_SIGNAL:
		return on_signal(run, stop);
	case STOP_STEP:
	case STOP_INTERRUPT:
		return resume(run, 0);
	}
	return fail(run, END_ERROR, STATUS_BUG, "a stop of no known kind");
}

static void follow(struct run *run)
{
	struct process *process = run->process;
	bool ended = false;
	while (!ended) {
		struct stop stop;
		enum status status = target_wait(process->target, self(run)->tracee, WATCH_MS, &stop);
		if (status == STATUS_OK) {
			run->blocked = 0;
			process->hope_lost = false;
			ended = run_handle(run, &stop);
		} else if (status == STATUS_TIMEOUT) {
			ended = on_timeout(run);
		} else if (status == STATUS_INTERRUPTED) {
			ended = fail(run, END_INTERRUPTED, status, "interrupted");
		} else {
			ended = fail(run, END_ERROR, status, "lost the target");
		}
	}
}

void run_to_operation(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct run run = {.process = process, .thread = thread, .outcome = outcome};
	outcome->kind = OUTCOME_FAILED;
	follow(&run);
}

void run_behind_once(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct run run = {.process = process, .thread = thread, .outcome = outcome};
	const struct call call = self(&run)->after;
	outcome->kind = OUTCOME_FAILED;
	if (self(&run)->exiting)
		on_exiting(&run, &self(&run)->death);
	else
		stop_before(&run, &call);
}

enum status run_to_gadget(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct run run = {.process = process,
			  .thread = thread,
			  .outcome = outcome,
			  .gadget = target_gadget_trap(process->target),
			  .own_calls = true};
	follow(&run);
	return run.at_gadget ? STATUS_OK : STATUS_GONE;
}
