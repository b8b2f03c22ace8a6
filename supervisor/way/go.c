/* How a thread goes on, and how its run ends. */
#include "supervisor/way/way.h"

#include <stdio.h>

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
	struct stores *stores = &process->threads[thread].stores;
	if (stopped && stores->signal && stores->length == 0) {
		signal = stores->signal;
		stores->signal = 0;
	}
	if (!process->options.pilot && stopped && stores_follow(&process->threads[thread]))
		return stores_go(process, thread, signal);
	if (stopped && process->ahead)
		ahead_go(process, thread);
	if (!process->options.pilot || !stopped)
		return target_resume(tracee, signal);
	process->going = true;
	process->going_signal = signal;
	return STATUS_OK;
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

bool run_is_gadget(const struct run *run, uint64_t address)
{
	const struct user_regs_struct *regs;
	if (!run->gadget || address != run->gadget)
		return false;
	regs = run->gadget_stack ? tracee_regs(run_self(run)->tracee) : NULL;
	return !regs || regs->rsp == run->gadget_stack;
}
