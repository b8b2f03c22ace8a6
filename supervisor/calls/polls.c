/* Calls that ask for several descriptors, and that change sets of epoll: the thread stands before an operation. */
#include "supervisor/calls/calls.h"
#include "supervisor/uses/asked.h"
#include "supervisor/uses/uses.h"

#include <sys/syscall.h>

static bool looks(const struct run *run)
{
	return run->process->threaded && !run->own_calls;
}

bool polls_learn(struct run *run, long number, struct call *call)
{
	struct process *process = run->process;
	const struct user_regs_struct *regs = tracee_regs(run_self(run)->tracee);
	/* Only in a search, and what it has found, it matters what depends on what. */
	if (call->op.kind != OP_POLL || !asked_in_turn(process) || !looks(run) || !regs)
		return false;
	process->uses.ahead = true;
	asked_objects(process, run->thread, number, regs, &call->op);
	process->uses.ahead = false;
	return kernel_learned(run);
}

bool polls_change(struct run *run, long number, struct call *call)
{
	struct process *process = run->process;
	const struct user_regs_struct *regs = tracee_regs(run_self(run)->tracee);
	if (number != SYS_epoll_ctl || !looks(run) || !regs)
		return false;
	call->op.kind = OP_POLL_CHANGE;
	process->uses.ahead = true;
	descriptors_used(process, run->thread, (int)regs->rdi);
	descriptors_used(process, run->thread, (int)regs->rdx);
	if (asked_in_turn(process))
		asked_member(process, run->thread, regs, &call->op);
	process->uses.ahead = false;
	return true;
}
