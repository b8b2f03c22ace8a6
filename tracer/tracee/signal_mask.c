#include "tracer/tracee/tracee.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

/*
 * SIGTRAP stays open in every tracee: the kernel would open it at the next trap all the same, for good, and take the program's handler of
 * it away. What the program has asked for is kept here, and told when it asks.
 */
#define BIT(signal) (UINT64_C(1) << ((signal)-1))

uint64_t signal_mask_of(const struct tracee *tracee, uint64_t kernels)
{
	return tracee->blocks_trap ? kernels | BIT(SIGTRAP) : kernels;
}

uint64_t tracee_blocked(const struct tracee *tracee)
{
	return signal_mask_of(tracee, tracee_signals(tracee).blocked);
}

enum status signal_mask_give(struct tracee *tracee, uint64_t mask)
{
	tracee->blocks_trap = mask & BIT(SIGTRAP);
	return tracee_unblock_signals(tracee, mask & ~BIT(SIGTRAP));
}

void signal_mask_inherit(const struct tracee *creator, struct tracee *child)
{
	child->blocks_trap = creator->blocks_trap;
}

/* Of another process, in which there are no traps of fmc's. */
void signal_mask_forked(const struct tracee *parent, pid_t child)
{
	uint64_t mask = 0;
	if (!parent->blocks_trap || ptrace(PTRACE_GETSIGMASK, child, (void *)sizeof mask, &mask) != 0)
		return;
	mask |= BIT(SIGTRAP);
	ptrace(PTRACE_SETSIGMASK, child, (void *)sizeof mask, &mask);
}

static bool change(uint64_t how, uint64_t set, uint64_t *mask)
{
	switch ((int)how) {
	case SIG_BLOCK:
		*mask |= set;
		return true;
	case SIG_UNBLOCK:
		*mask &= ~set;
		return true;
	case SIG_SETMASK:
		*mask = set;
		return true;
	default:
		return false;
	}
}

bool signal_mask_answer(struct tracee *tracee, const struct user_regs_struct *regs, int64_t *result)
{
	uint64_t set = 0, kernels = 0;
	if (regs->r10 != sizeof set ||
	    (regs->rsi && target_read(tracee->target, regs->rsi, &set, sizeof set) != STATUS_OK))
		return false; /* the kernel says why */
	if (!tracee->blocks_trap && !(set & BIT(SIGTRAP)))
		return false;
	if (ptrace(PTRACE_GETSIGMASK, tracee->tid, (void *)sizeof kernels, &kernels) != 0)
		return false;
	const uint64_t before = signal_mask_of(tracee, kernels);
	uint64_t now = before;
	if (regs->rsi && !change(regs->rdi, set & ~(BIT(SIGKILL) | BIT(SIGSTOP)), &now))
		return false;
	if (now != before && signal_mask_give(tracee, now) != STATUS_OK)
		return false;
	*result = regs->rdx && target_write(tracee->target, regs->rdx, &before, sizeof before) != STATUS_OK
		      ? -EFAULT
		      : 0;
	return true;
}
