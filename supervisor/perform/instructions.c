/* An access to memory is performed: an instruction of the program's, or what its compiler has told of. */
#include "supervisor/accesses/accesses.h"
#include "supervisor/before/before.h"
#include "supervisor/perform/perform.h"
#include "supervisor/run/run.h"

#include <fmc/breakpoints/access.h>

/*
 * What is in memory right after an instruction: what it has read, or what it has written. Nobody else has run since.
 */
static void keep_value(struct process *process, const struct call *call, struct outcome *outcome)
{
	uint64_t word = 0;
	const uint64_t size = (uint64_t)call->op.arg;
	const bool there =
	    size <= sizeof word && target_read(process->target, call->object, &word, size) == STATUS_OK;
	outcome->result_valid = manner_value(size, word, &outcome->result) && there;
}

void perform_go_on_after(struct process *process, uint32_t thread, enum status status, bool performed,
			 struct outcome *outcome)
{
	if (status == STATUS_OK && performed)
		run_go_on(process, thread, outcome);
	else if (status == STATUS_OK || status == STATUS_GONE)
		run_to_operation(process, thread, outcome);
	else
		run_failed(outcome, END_ERROR, status, "can't step over an instruction");
}

void perform_instruction(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	struct apart found;
	bool performed;
	retries_before(process, self);
	stores_before(process, self);
	apart_before(process, self, &found);
	enum status status = entries_step(process->entries, self->tracee, self->call.entry, &performed);
	apart_after(process, self, &found, status == STATUS_OK && performed);
	outcome->unchanged = retries_after(process, self);
	outcome->result_valid = false;
	if (status == STATUS_OK && performed)
		keep_value(process, &self->call, outcome);
	stores_after(process, self, status == STATUS_OK && performed);
	perform_go_on_after(process, thread, status, performed, outcome);
}

void perform_release(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	bool performed;
	retries_forget(self);
	outcome->result_valid = false;
	look_given_back(process, thread, self->call.entry, false);
	enum status status = entries_step(process->entries, self->tracee, self->call.entry, &performed);
	perform_go_on_after(process, thread, status, performed, outcome);
}

#define WORD 8

/* Processors promise no more than that at once; what the thread is about to do so is in the argument that it hands over. */
static bool is_in_parts(struct tracee *tracee, const struct call *call)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	return call->op.arg > WORD && (!regs || !(regs->rdx & ACCESS_AT_ONCE));
}

void perform_compiled(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	retries_before(process, self);
	retries_leave_open(self);
	process->looking.coarse |= is_in_parts(self->tracee, &self->call);
	outcome->result_valid = false;
	if (self->call.op.kind == OP_MEMORY_READ)
		keep_value(process, &self->call, outcome);
	perform_complete(process, thread);
	run_go_on(process, thread, outcome);
}

void perform_part(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct process_thread *self = &process->threads[thread];
	struct call next;
	process_note(process, MANNER_STAY, 0);
	const enum apart_done done = apart_perform(process, self, &next);
	if (done != APART_DONE)
		process_note(process, MANNER_RUN, 0);
	if (done == APART_NOT)
		return perform_instruction(process, thread, outcome);
	if (done == APART_CAME)
		return run_to_operation(process, thread, outcome);
	retries_break(self);
	keep_value(process, &self->call, outcome);
	run_from_call(process, thread, &next, outcome);
}
