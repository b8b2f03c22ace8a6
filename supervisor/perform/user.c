#include "supervisor/perform/perform.h"
#include "supervisor/run/run.h"

#include <fmc/breakpoints/plugin.h>

/*
 * Functions that a plug-in describes. The real one runs to its end as one transition, whatever it is made of: calls and
 * waits inside of it are its own. So it must not wait for another thread; that it needn't is the plug-in's word.
 */

/* It has not come back. If it ended the process, the stack has to show its caller. */
static void explain_failure(struct process *process, uint32_t thread, uint64_t slot, struct outcome *outcome)
{
	const struct process_thread *self = &process->threads[thread];
	bool waits =
	    outcome->kind == OUTCOME_PENDING ||
	    (outcome->kind == OUTCOME_FAILED && (outcome->end == END_STUCK || outcome->end == END_SPIN));
	if (outcome->kind == OUTCOME_PROCESS_END && process->target)
		/* It ends anyhow. */
		(void)target_write(process->target, slot, &self->call.return_address,
				   sizeof self->call.return_address);
	if (!waits)
		return;
	plugin_blame("enabled() of %s says that T%u can go on, but the function waits",
		     op_name((enum op_kind)self->call.op.kind), thread + 1);
	run_failed(outcome, END_UNSUPPORTED, STATUS_UNSUPPORTED, plugin_failure());
}

/* From the function's beginning to its return to fmc; the slot of the stack is where it takes its way back from. */
static enum status call_through(struct process *process, uint32_t thread, uint64_t *slot,
				struct outcome *outcome)
{
	const struct process_thread *self = &process->threads[thread];
	const struct user_regs_struct *regs = tracee_regs(self->tracee);
	uint64_t back = target_gadget_trap(process->target);
	bool performed = false;
	if (!regs)
		return STATUS_GONE;
	*slot = regs->rsp;
	enum status status = target_write(process->target, *slot, &back, sizeof back);
	if (status == STATUS_OK)
		status = entries_step(process->entries, self->tracee, self->call.entry, &performed);
	if (status == STATUS_OK && performed)
		status = process_go(process, thread, 0);
	return status == STATUS_OK || status == STATUS_GONE ? run_to_gadget(process, thread, outcome)
							    : status;
}

static void take_result(const struct call *call, uint64_t rax, struct outcome *outcome)
{
	const struct fmc_op *op = plugin_op((enum op_kind)call->op.kind);
	outcome->result_valid = outcome->result_checked = op && op->returns != FMC_NOTHING;
	outcome->result = op && op->returns == FMC_LONG ? (int64_t)rax : (int64_t)(int32_t)rax;
}

void perform_user(struct process *process, uint32_t thread, struct outcome *outcome)
{
	const struct process_thread *self = &process->threads[thread];
	uint64_t slot = 0;
	process_note_other(process, "an operation that a plug-in describes");
	outcome->result_valid = false;
	run_failed(outcome, END_ERROR, STATUS_GONE, "lost the target");
	if (call_through(process, thread, &slot, outcome) != STATUS_OK) {
		explain_failure(process, thread, slot, outcome);
		return;
	}
	struct user_regs_struct *regs = tracee_change_regs(self->tracee);
	if (!regs)
		return run_failed(outcome, END_ERROR, STATUS_GONE, "lost the target");
	regs->rip = self->call.return_address;
	take_result(&self->call, regs->rax, outcome);
	enum status status = process_go(process, thread, 0);
	if (status != STATUS_OK && status != STATUS_GONE)
		return run_failed(outcome, END_ERROR, status, "can't resume a thread");
	run_to_operation(process, thread, outcome);
}
