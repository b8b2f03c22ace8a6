/*
 * What fmc has mapped into a target is none of the program's. Where the program limits its address space (RLIMIT_AS) the kernel's limit is higher by
 * that, and the program is told its own.
 */
#include "tracer/answers/answers.h"

#include <errno.h>
#include <sys/resource.h>
#include <sys/syscall.h>

static uint64_t own_bytes(const struct target *target)
{
	const struct reserved *room;
	uint64_t bytes = GADGET_PAGE_SIZE + target->near_pages_length * NEAR_PAGE_SIZE;
	for (size_t i = 0; (room = target_reserved(target, i)); i++)
		bytes += room->high - room->low;
	return bytes;
}

static rlim_t raise_limit(rlim_t limit, uint64_t bytes)
{
	return limit > RLIM_INFINITY - bytes ? RLIM_INFINITY : limit + bytes;
}

static rlim_t lower_limit(rlim_t limit, uint64_t bytes)
{
	return limit == RLIM_INFINITY || limit < bytes ? limit : limit - bytes;
}

/* Is it its process's own address space that the call is about? Where that limit, or 0, and where room for it, or 0. */
static bool is_own_room(const struct target *target, const struct user_regs_struct *regs, uint64_t *set,
			uint64_t *asked)
{
	switch ((long)regs->orig_rax) {
	case SYS_setrlimit:
		*set = regs->rsi;
		*asked = 0;
		return (unsigned)regs->rdi == RLIMIT_AS && *set;
	case SYS_getrlimit:
		*set = 0;
		*asked = regs->rsi;
		return (unsigned)regs->rdi == RLIMIT_AS && *asked;
	case SYS_prlimit64:
		*set = regs->rdx;
		*asked = regs->r10;
		return (unsigned)regs->rsi == RLIMIT_AS &&
		       (!regs->rdi || target_by_tid(target, (pid_t)numbers_real(target, regs->rdi)));
	default:
		return false;
	}
}

/* By fmc, which is the same user. */
static int64_t change(struct target *target, uint64_t set, uint64_t asked)
{
	struct rlimit limit, before;
	if (set && target_read(target, set, &limit, sizeof limit) != STATUS_OK)
		return -EFAULT;
	if (set && limit.rlim_cur > limit.rlim_max)
		return -EINVAL;
	if (set) {
		limit.rlim_cur = raise_limit(limit.rlim_cur, target->world.raised);
		limit.rlim_max = raise_limit(limit.rlim_max, target->world.raised);
	}
	if (prlimit(target->pid, RLIMIT_AS, set ? &limit : NULL, &before) != 0)
		return -errno;
	before.rlim_cur = lower_limit(before.rlim_cur, target->world.raised);
	before.rlim_max = lower_limit(before.rlim_max, target->world.raised);
	return asked && target_write(target, asked, &before, sizeof before) != STATUS_OK ? -EFAULT : 0;
}

/* One that was limited from the beginning has had no room taken from it but some pages, and couldn't be given more. */
static bool begin(struct target *target)
{
	struct rlimit limit;
	if (!target->world.raised && prlimit(target->pid, RLIMIT_AS, NULL, &limit) == 0 &&
	    limit.rlim_max == RLIM_INFINITY)
		target->world.raised = own_bytes(target);
	return target->world.raised != 0;
}

bool limits_before_call(struct tracee *tracee)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	struct target *target = tracee->target;
	uint64_t set, asked;
	if (!regs || !is_own_room(target, regs, &set, &asked) || !begin(target))
		return false;
	tracee_skip_syscall(tracee, change(target, set, asked));
	return true;
}

/* A child's are its parent's, until it changes them. */
void limits_at_exec(struct target *target, pid_t pid)
{
	struct rlimit own, its;
	if (!target->world.raised || prlimit(target->pid, RLIMIT_AS, NULL, &own) != 0 ||
	    prlimit(pid, RLIMIT_AS, NULL, &its) != 0)
		return;
	const struct rlimit lowered = {lower_limit(its.rlim_cur, target->world.raised),
				       lower_limit(its.rlim_max, target->world.raised)};
	/* If it can't be, the program has more room than it would have. */
	if (its.rlim_cur == own.rlim_cur && its.rlim_max == own.rlim_max)
		(void)prlimit(pid, RLIMIT_AS, &lowered, NULL);
	if (pid == target->pid)
		target->world.raised = 0;
}
