/* What the program makes for itself of System V is learned by making it in its name. */
#include "tracer/answers/answers.h"

#include <fmc/tracer/answers.h>

#include <sys/ipc.h>

void target_make_ipc(struct tracee *tracee)
{
	struct target *target = tracee->target;
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (!regs || (key_t)regs->rdi != IPC_PRIVATE || target->world.confined || !made_make_room(target))
		return;
	const long call = (long)regs->orig_rax;
	const uint64_t arguments[6] = {regs->rdi, regs->rsi, regs->rdx};
	int64_t result;
	if (tracee_syscall(tracee, call, arguments, &result) != STATUS_OK)
		return;
	tracee_skip_syscall(tracee, result);
	if (result >= 0)
		made_add(target, call, (int)result);
}
