/* A function that prints is performed: it runs to its end in one transition, with all that it calls. */
#include "supervisor/perform/perform.h"
#include "supervisor/run/run.h"

/* The function has not come back: whoever looks at the stack is to find its caller, and it is to return there. */
static void put_back(struct process *process, uint64_t slot, uint64_t caller)
{
	if (process->target)
		(void)target_write(process->target, slot, &caller, sizeof caller);
}

void perform_output(struct process *process, uint32_t thread, struct outcome *outcome)
{
	struct tracee *tracee = process->threads[thread].tracee;
	const uint64_t caller = process->threads[thread].call.return_address;
	const uint64_t back = target_gadget_trap(process->target);
	enum status status = entries_pass(process->entries, tracee, process->threads[thread].call.entry);
	const struct user_regs_struct *now = status == STATUS_OK ? tracee_regs(tracee) : NULL;
	const uint64_t slot = now ? now->rsp : 0;
	outcome->result_valid = false;
	if (!now || target_write(process->target, slot, &back, sizeof back) != STATUS_OK ||
	    process_go(process, thread, 0) != STATUS_OK)
		return run_failed(outcome, END_ERROR, STATUS_GONE, "lost the target");
	if (run_to_return(process, thread, slot + sizeof back, outcome) != STATUS_OK)
		return put_back(process, slot, caller);
	struct user_regs_struct *regs = tracee_change_regs(process->threads[thread].tracee);
	if (!regs)
		return run_failed(outcome, END_ERROR, STATUS_GONE, "lost the target");
	regs->rip = caller;
	run_go_on(process, thread, outcome);
}
