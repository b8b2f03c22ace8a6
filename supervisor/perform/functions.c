/* A function of the thread library is performed: natively, or completed by fmc without running. */
#include "supervisor/perform/perform.h"
#include "supervisor/run/run.h"

#include <stdio.h>

uint64_t perform_zero_time(const struct process *process)
{
	return target_gadget_zero(process->target);
}

void perform_return(struct process *process, uint32_t thread, int64_t result)
{
	struct process_thread *self = &process->threads[thread];
	struct user_regs_struct *regs = tracee_change_regs(self->tracee);
	if (!regs)
		return;
	regs->rip = self->call.return_address;
	regs->rsp += 8;
	regs->rax = (unsigned long long)result;
}

void perform_complete(struct process *process, uint32_t thread)
{
	struct process_thread *self = &process->threads[thread];
	const int64_t result = process->performed.result;
	if (self->call.entry)
		perform_return(process, thread, result);
	else
		tracee_skip_syscall(self->tracee, result);
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

enum status perform_call(struct process *process, uint32_t thread, const char *name, uint64_t argument,
			 struct outcome *outcome, int64_t *result)
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
	run_go_on(process, thread, outcome);
}

void perform_expired(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	struct user_regs_struct *regs = tracee_change_regs(self->tracee);
	if (!regs)
		return run_failed(outcome, END_ERROR, STATUS_GONE, "lost the target");
	set_argument(regs, self->call.timeout_argument, perform_zero_time(process));
	enum status status = entries_pass(process->entries, self->tracee, self->call.entry);
	if (status != STATUS_OK)
		return run_failed(outcome, END_ERROR, status, "can't pass a trap");
	perform_verified(process, thread, outcome);
}

void perform_native(struct process *process, uint32_t thread, struct outcome *outcome)
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
	run_go_on(process, thread, outcome);
	/* Threads that were born have moved those that there were. */
	process->threads[thread].native = 0;
}

bool perform_has_ceiling(const struct process *process, const struct op *op)
{
	struct object_state state;
	if (op_class(op->kind) != CLASS_MUTEX || op->object == NO_OBJECT)
		return false;
	model_object_state(process->model->model, op->object, &state);
	return state.type & MUTEX_CEILING;
}

/* The lock of a mutex with a ceiling raises the thread's priority, which the kernel or libc may refuse: then nothing is locked. */
void perform_raising(struct process *process, uint32_t thread, const struct effect *effect,
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
