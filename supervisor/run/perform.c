#include "supervisor/run/run.h"

#include <errno.h>
#include <fmc/tracer/call_traits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

/*
 * How each operation is performed: natively where the real function can't block,
 * completed by fmc where it would block or leave a choice to libc.
 */

#define NS_PER_SECOND INT64_C(1000000000)

/* 16 bytes of zeros in fmc's page: a struct timespec or timeval that has run out. */
static uint64_t zero_time(const struct process *process)
{
	return target_gadget_zero(process->target);
}

/* Return from the function at whose entry the thread is stopped, without running it. */
static void return_from_call(struct process *process, uint32_t thread, int64_t result)
{
	struct process_thread *self = &process->threads[thread];
	struct user_regs_struct *regs = tracee_change_regs(self->tracee);
	if (!regs)
		return;
	regs->rip = self->call.return_address;
	regs->rsp += 8;
	regs->rax = (unsigned long long)result;
}

/* The operation is complete: give the program its result. */
static void complete(struct process *process, uint32_t thread, const struct effect *effect)
{
	struct process_thread *self = &process->threads[thread];
	int64_t result = self->call.entry ? call_result(&self->call, effect->result) : effect->result;
	process_note(process, MANNER_RETURN, result);
	if (self->call.entry)
		return_from_call(process, thread, result);
	else
		tracee_skip_syscall(self->tracee, result);
}

/* An argument of a system call. */
static unsigned long long *call_argument(struct user_regs_struct *regs, int index)
{
	unsigned long long *const arguments[] = {&regs->rdi, &regs->rsi, &regs->rdx,
						 &regs->r10, &regs->r8,	 &regs->r9};
	return arguments[index];
}

static bool tells_time_left(long number)
{
	return number == SYS_select || number == SYS_pselect6 || number == SYS_ppoll;
}

/* A wait for descriptors or signals whose time is up: the kernel fills in the result sets, with a time-out of
 * zero. */
static void expire_outside(struct process *process, uint32_t thread)
{
	struct user_regs_struct *regs = tracee_change_regs(process->threads[thread].tracee);
	if (!regs)
		return;
	const struct call_traits *traits = call_traits((long)regs->orig_rax);
	unsigned long long *time = traits->form == TIME_NONE ? NULL : call_argument(regs, traits->time);
	if (!time)
		return;
	/* The kernel tells how much of the time is left. */
	if (tells_time_left(traits->number)) /* a death is told by the next wait */
		(void)target_write(process->target, *time, (const uint64_t[2]){0}, 2 * sizeof(uint64_t));
	*time = traits->form == TIME_MILLISECONDS ? 0 : zero_time(process);
}

static void set_argument(struct user_regs_struct *regs, int index, uint64_t value)
{
	switch (index) {
	case 0:
		regs->rdi = value;
		break;
	case 1:
		regs->rsi = value;
		break;
	case 2:
		regs->rdx = value;
		break;
	case 3:
		regs->rcx = value;
		break;
	default:
		break;
	}
}

static void go_on(struct process *process, uint32_t thread, struct outcome *outcome)
{
	enum status status = process_go(process, thread, 0);
	if (status != STATUS_OK && status != STATUS_GONE) {
		run_failed(outcome, END_ERROR, status, "can't resume a thread");
		return;
	}
	run_to_operation(process, thread, outcome);
}

/* Make the thread call one of libc's functions from where it is stopped, and come back to fmc. */
static enum status call_function(struct process *process, uint32_t thread, const char *name,
				 uint64_t argument, struct outcome *outcome, int64_t *result)
{
	struct process_thread *self = &process->threads[thread];
	struct user_regs_struct *regs = tracee_change_regs(self->tracee);
	uint64_t function = entries_function(process->entries, name);
	uint64_t back = target_gadget_trap(process->target);
	if (!regs)
		return STATUS_GONE;
	if (!function) {
		run_failed(outcome, END_UNSUPPORTED, STATUS_UNSUPPORTED,
			   "the program's libc lacks a function that fmc needs");
		snprintf(outcome->message, sizeof outcome->message, "the program's libc has no %s", name);
		return STATUS_NOT_FOUND;
	}
	const struct user_regs_struct saved = *regs;
	uint64_t mask;
	if (tracee_block_signals(self->tracee, &mask) != STATUS_OK)
		return STATUS_GONE;
	/* At a function's entry the stack is 8 off a multiple of 16; it stays so. */
	regs->rsp -= 16;
	regs->rip = function;
	regs->rdi = argument;
	enum status status = target_write(process->target, regs->rsp, &back, sizeof back);
	if (status == STATUS_OK)
		status = process_go(process, thread, 0);
	if (status == STATUS_OK)
		status = run_to_gadget(process, thread, outcome);
	if (status == STATUS_OK)
		status = tracee_unblock_signals(self->tracee, mask);
	regs = status == STATUS_OK ? tracee_change_regs(self->tracee) : NULL;
	if (!regs)
		return STATUS_GONE;
	*result = (int64_t)regs->rax;
	*regs = saved;
	return STATUS_OK;
}

/* Let the function run to its return, look at its result, and send the thread on to its caller. */
static void perform_verified(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	struct user_regs_struct *regs = tracee_change_regs(self->tracee);
	uint64_t back = target_gadget_trap(process->target), caller = self->call.return_address;
	if (!regs || target_write(process->target, regs->rsp, &back, sizeof back) != STATUS_OK ||
	    process_go(process, thread, 0) != STATUS_OK)
		return run_failed(outcome, END_ERROR, STATUS_GONE, "lost the target");
	if (run_to_gadget(process, thread, outcome) != STATUS_OK)
		return;
	regs = tracee_change_regs(self->tracee);
	if (!regs)
		return run_failed(outcome, END_ERROR, STATUS_GONE, "lost the target");
	regs->rip = caller;
	if (op_destroys(self->call.op.kind) && self->call.op.object != NO_OBJECT)
		objects_bury(process, self->call.op.object);
	outcome->result = (int64_t)(int32_t)regs->rax;
	outcome->result_valid = true;
	outcome->result_checked = !self->call.c11;
	go_on(process, thread, outcome);
}

/*
 * A function whose time-out is chosen to run out: it is run natively with a time that has passed long ago, so
 * that it takes its own way to the result that the program sees, errno included. What it waits for can't be
 * had now.
 */
static void perform_expired(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	struct user_regs_struct *regs = tracee_change_regs(self->tracee);
	if (!regs)
		return run_failed(outcome, END_ERROR, STATUS_GONE, "lost the target");
	process_note(process, MANNER_EXPIRE, 0);
	set_argument(regs, self->call.timeout_argument, zero_time(process));
	enum status status = entries_pass(process->entries, self->tracee, self->call.entry);
	if (status != STATUS_OK)
		return run_failed(outcome, END_ERROR, status, "can't pass a trap");
	perform_verified(process, thread, outcome);
}

static void perform_native(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	if (self->call.entry) {
		enum status status = entries_pass(process->entries, self->tracee, self->call.entry);
		if (status != STATUS_OK)
			return run_failed(outcome, END_ERROR, status, "can't pass a trap");
		if (op_destroys(self->call.op.kind) ||
		    (process->options.verify && self->call.op.kind != OP_THREAD_CREATE))
			return perform_verified(process, thread, outcome);
		const struct user_regs_struct *regs = tracee_regs(self->tracee);
		self->native = regs && op_class(self->call.op.kind) != CLASS_THREAD ? regs->rip : 0;
	}
	go_on(process, thread, outcome);
	/* Threads that were born have moved those that there were. */
	process->threads[thread].native = 0;
}

static bool has_ceiling(const struct process *process, const struct op *op)
{
	struct object_state state;
	if (op_class(op->kind) != CLASS_MUTEX || op->object == NO_OBJECT)
		return false;
	model_object_state(process->model->model, op->object, &state);
	return state.type & MUTEX_CEILING;
}

/* The lock of a mutex with a ceiling raises the thread's priority, which the kernel or libc may refuse: then nothing is locked. */
static void perform_raising(struct process *process, uint32_t thread, const struct effect *effect,
			    struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	const struct op op = self->call.op;
	enum status status = entries_pass(process->entries, self->tracee, self->call.entry);
	if (status != STATUS_OK)
		return run_failed(outcome, END_ERROR, status, "can't pass a trap");
	perform_verified(process, thread, outcome);
	if (outcome->kind == OUTCOME_FAILED || !effect->result_known || outcome->result == effect->result)
		return;
	run_failed(outcome, END_UNSUPPORTED, STATUS_UNSUPPORTED, "");
	snprintf(outcome->message, sizeof outcome->message,
		 "the priority ceiling of a mutex makes %s fail with %lld", op_name(op.kind),
		 (long long)outcome->result);
}

/* An instruction of the program's: what it does is its own, and it has no result that anybody asks for. */
/*
 * What is in memory right after an instruction: what it has read, or what it has written. Nobody else has run since.
 */
static void keep_value(struct process *process, const struct call *call, struct outcome *outcome)
{
	int64_t value = 0;
	const uint64_t size = (uint64_t)call->op.arg;
	outcome->result_valid = size > 0 && size <= sizeof value && (size & (size - 1)) == 0 &&
				target_read(process->target, call->object, &value, size) == STATUS_OK;
	const unsigned unused = outcome->result_valid ? 64 - 8 * (unsigned)size : 0;
	outcome->result = (int64_t)((uint64_t)value << unused) >> unused;
}

static void perform_instruction(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	struct apart found;
	bool performed;
	retries_before(process, self);
	stores_before(process, self);
	apart_before_write(process, self, &found);
	enum status status = entries_step(process->entries, self->tracee, self->call.entry, &performed);
	if (status == STATUS_OK && !performed)
		apart_undo_write(process, self, &found);
	retries_after(process, self);
	outcome->result_valid = false;
	if (status == STATUS_OK && performed)
		keep_value(process, &self->call, outcome);
	stores_after(process, self, status == STATUS_OK && performed);
	if (status == STATUS_OK && performed)
		go_on(process, thread, outcome);
	else if (status == STATUS_OK || status == STATUS_GONE)
		run_to_operation(process, thread, outcome);
	else
		run_failed(outcome, END_ERROR, status, "can't step over an instruction");
}

/* What the compiler has told of is performed on the way to the next operation: what a read finds is there now. */
static void perform_compiled(struct process *process, uint32_t thread, const struct effect *effect,
			     struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	retries_before(process, self);
	retries_leave_open(self);
	outcome->result_valid = false;
	if (self->call.op.kind == OP_MEMORY_READ)
		keep_value(process, &self->call, outcome);
	complete(process, thread, effect);
	go_on(process, thread, outcome);
}

/* The first half of an instruction of two accesses: nothing runs. */
static void perform_read(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	if (!apart_read(process, self))
		return perform_instruction(process, thread, outcome);
	process_note(process, MANNER_STAY, 0);
	keep_value(process, &self->call, outcome);
	const struct call next = apart_next(self);
	run_from_call(process, thread, &next, outcome);
}

/* The wait is over: take the mutex natively, then return from the wait. */
static void perform_relock(struct process *process, uint32_t thread, const struct effect *effect,
			   struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	uint64_t mutex = self->call.object2;
	int64_t locked = 0;
	if (call_function(process, thread, "pthread_mutex_lock", mutex, outcome, &locked) != STATUS_OK)
		return;
	/* EOWNERDEAD and its like pass through. */
	int64_t result = locked ? locked : effect->result;
	int64_t returned = call_result(&self->call, result);
	process_note(process, MANNER_LOCK, returned);
	return_from_call(process, thread, returned);
	outcome->result = result;
	outcome->result_valid = true;
	go_on(process, thread, outcome);
}

/* The first of a pthread_once runs the routine: remember that it is in it. */
static void perform_once(struct process *process, uint32_t thread, const struct effect *effect,
			 struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	bool first = !effect->result_known && self->once_length < ONCE_ROOM;
	if (!first)
		return perform_native(process, thread, outcome);
	self->once[self->once_length++] = self->call.object;
	enum status status = entries_pass(process->entries, self->tracee, self->call.entry);
	if (status != STATUS_OK)
		return run_failed(outcome, END_ERROR, status, "can't pass a trap");
	go_on(process, thread, outcome);
}

/* A cancelled thread: the real function is run, sees that and unwinds. Woken waiters hold their mutex. */
static void perform_cancelled(struct process *process, uint32_t thread, const struct op *op,
			      struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	int64_t locked = 0;
	if (op->kind == OP_COND_RELOCK && call_function(process, thread, "pthread_mutex_lock",
							self->call.object2, outcome, &locked) != STATUS_OK)
		return;
	if (self->call.entry) {
		enum status status = entries_pass(process->entries, self->tracee, self->call.entry);
		if (status != STATUS_OK)
			return run_failed(outcome, END_ERROR, status, "can't pass a trap");
	}
	go_on(process, thread, outcome);
}

static void perform_exit(const struct op *op, struct outcome *outcome)
{
	outcome->kind = OUTCOME_PROCESS_END;
	outcome->end = END_EXIT;
	outcome->end_value = (int)(op->arg & 0xff);
}

static void store_second_word(struct process *process, uint32_t thread, const struct effect *effect)
{
	if (effect->writes2)
		process_note_other(process, "FUTEX_WAKE_OP changes a word");
	if (effect->writes2)
		/* A death is told by the next wait. */
		(void)target_write(process->target, process->threads[thread].call.object2, &effect->value2,
				   sizeof effect->value2);
}

/* A sleep ends early, with all of its time left, if a signal with a handler waits for the thread. */
static int64_t sleep_result(struct process *process, uint32_t thread)
{
	const struct process_thread *self = &process->threads[thread];
	const struct user_regs_struct *regs = tracee_regs(self->tracee);
	const struct op *op = &self->call.op;
	if (!process->signalled || !regs || !signals_deliverable(self->tracee))
		return 0;
	const struct timespec left = {.tv_sec = op->arg / NS_PER_SECOND, .tv_nsec = op->arg % NS_PER_SECOND};
	uint64_t address = (long)regs->orig_rax == SYS_nanosleep ? regs->rsi : regs->r10;
	if (address && !op->arg2)
		/* The kernel ignores an address that isn't there, too. */
		(void)target_write(process->target, address, &left, sizeof left);
	return -EINTR;
}

static void perform(struct process *process, uint32_t thread, const struct op *op, int32_t choice,
		    const struct effect *effect, struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	memset(outcome, 0, sizeof *outcome);
	process_note(process, MANNER_RUN, 0);
	process->hope_lost &= op_waits_outside(op->kind);
	if (!self->call.instruction && !self->call.compiled)
		retries_forget(self);
	outcome->created = NO_THREAD;
	outcome->result = effect->result;
	outcome->result_valid = effect->result_known;
	if (effect->timed_out)
		time_reach(process, op->end);
	if (effect->cancelled) {
		if (op->kind == OP_COND_RELOCK || !self->call.entry)
			process_note_other(process, "a thread is cancelled while it waits");
		perform_cancelled(process, thread, op, outcome);
		return;
	}
	switch ((enum op_kind)op->kind) {
	case OP_THREAD_START:
		go_on(process, thread, outcome);
		return;
	case OP_PROCESS_EXIT:
		process_note(process, MANNER_STAY, 0);
		perform_exit(op, outcome);
		return;
	case OP_ONCE:
		perform_once(process, thread, effect, outcome);
		return;
	case OP_ONCE_END:
		run_behind_once(process, thread, outcome);
		return;
	case OP_COND_RELOCK:
		perform_relock(process, thread, effect, outcome);
		return;
	case OP_YIELD:
		process_note(process, MANNER_RETURN, 0);
		if (self->spinning)
			process_note_other(process, "a loop without operations was taken for a yield");
		else if (self->call.instruction || self->call.compiled)
			retries_yield(process, self);
		else
			tracee_skip_syscall(self->tracee, 0);
		self->spinning = self->at_head = false;
		go_on(process, thread, outcome);
		return;
	case OP_SLEEP:
		time_reach(process, op->end);
		process_note(process, MANNER_RETURN, sleep_result(process, thread));
		tracee_skip_syscall(self->tracee, process->performed.result);
		go_on(process, thread, outcome);
		return;
	case OP_POLL:
	case OP_SYSCALL:
		outcome->result_valid = false;
		if (op->flags & OP_ABSENT) {
			run_failed(outcome, END_ABSENT, STATUS_OK, self->absent);
			return;
		}
		if (choice == CHOICE_TIMEOUT) {
			process_note(process, MANNER_EXPIRE, 0);
			expire_outside(process, thread);
		} else {
			outside_heard(process, thread, op);
		}
		go_on(process, thread, outcome);
		return;
	case OP_FUTEX_WAIT:
	case OP_FUTEX_ASLEEP:
	case OP_FUTEX_RESUME:
	case OP_FUTEX_WAKE:
	case OP_FUTEX_REQUEUE:
	case OP_FUTEX_WAKE_OP:
		process_note(process, MANNER_RETURN, effect->result);
		store_second_word(process, thread, effect);
		tracee_skip_syscall(self->tracee, effect->result);
		go_on(process, thread, outcome);
		return;
	case OP_MEMORY_FLUSH:
		if (perform_flush(process, thread, outcome))
			go_on(process, thread, outcome);
		return;
	default:
		if (choice == CHOICE_FLUSH) {
			perform_flush(process, thread, outcome);
			outcome->result_valid = false;
			return;
		}
		if (self->call.apart && op->kind == OP_MEMORY_READ)
			return perform_read(process, thread, outcome);
		if (self->call.instruction)
			return perform_instruction(process, thread, outcome);
		if (self->call.user)
			return perform_user(process, thread, outcome);
		if (!effect->blocked && op_takes(op->kind, false) && has_ceiling(process, op))
			return perform_raising(process, thread, effect, outcome);
		if (!effect->blocked)
			return perform_native(process, thread, outcome);
		if (effect->timed_out)
			return perform_expired(process, thread, outcome);
		if (self->call.compiled)
			return perform_compiled(process, thread, effect, outcome);
		complete(process, thread, effect);
		go_on(process, thread, outcome);
	}
}

void process_perform(struct machine *machine, uint32_t thread, const struct op *op, int32_t choice,
		     const struct effect *effect, struct outcome *outcome)
{
	struct process *process = process_of(machine);
	stores_begin(process, &process->threads[thread]);
	perform(process, thread, op, choice, effect, outcome);
	/* Threads that were born have moved those that there were. */
	stores_end(process, &process->threads[thread]);
}

void process_sleep(struct machine *machine, uint32_t thread, const struct op *op, struct outcome *outcome)
{
	struct process *process = process_of(machine);
	int64_t result;
	process->transitions++;
	bool unlocks = op->kind == OP_COND_WAIT || op->kind == OP_COND_TIMEDWAIT;
	memset(outcome, 0, sizeof *outcome);
	process_note(process, unlocks ? MANNER_UNLOCK : MANNER_STAY, 0);
	outcome->created = NO_THREAD;
	if (unlocks && call_function(process, thread, "pthread_mutex_unlock",
				     process->threads[thread].call.object2, outcome, &result) != STATUS_OK)
		return;
	/* Nobody else has woken it. */
	if (op->kind == OP_COND_ASLEEP && model_pending(process->model->model, thread)->arg == ETIMEDOUT)
		time_reach(process, op->end);
	outcome->kind = OUTCOME_PENDING;
	outcome->next.kind = OP_NONE;
}
