/*
 * Which processors a thread of the program's may use, as it sets and is told that. The kernel isn't asked: fmc has all threads on one. A thread that
 * has chosen is on the first of those that it may use.
 */
#include "tracer/answers/answers.h"
#include "tracer/tracee/processors.h"

#include <errno.h>
#include <string.h>

/* The kernel copies no more than it has processors for; 8 bytes are 64 of them. */
_Static_assert(sizeof(((struct affinity *)NULL)->processors) <= sizeof(cpu_set_t), "as many are known");

static const unsigned char *processors_of(const struct tracee *tracee)
{
	return tracee && tracee->affinity.set ? tracee->affinity.processors
					      : (const unsigned char *)processors_native();
}

static struct tracee *find(struct tracee *caller, uint64_t number)
{
	return number == 0 ? caller : numbers_find(caller->target, (pid_t)number);
}

/* Where one thread sets it for another, and somebody asks, that may be in either order. */
static void note(struct tracee *tracee)
{
	tracee->target->world.affinity_races |= tracee->affinity.by_other && tracee->affinity.asked;
}

int64_t affinity_get(struct tracee *caller, const struct user_regs_struct *regs)
{
	struct tracee *tracee = find(caller, regs->rdi);
	const size_t most = sizeof tracee->affinity.processors, size = regs->rsi;
	const size_t part = size < most ? size : most;
	if (size % sizeof(long) || size < sizeof(long))
		return -EINVAL;
	if (tracee) {
		tracee->affinity.asked = true;
		note(tracee);
	}
	return target_write(caller->target, regs->rdx, processors_of(tracee), part) == STATUS_OK
		   ? (int64_t)part
		   : -EFAULT;
}

int64_t affinity_set(struct tracee *caller, const struct user_regs_struct *regs)
{
	struct tracee *tracee = find(caller, regs->rdi);
	struct affinity wanted = {.set = true};
	const size_t most = sizeof wanted.processors, part = regs->rsi < most ? regs->rsi : most;
	if (part > 0 && target_read(caller->target, regs->rdx, wanted.processors, part) != STATUS_OK)
		return -EFAULT;
	if (!affinity_limit(&wanted, (const unsigned char *)processors_native()))
		return -EINVAL;
	/* Another process's is its own. */
	if (!tracee)
		return 0;
	wanted.by_other = tracee->affinity.by_other || tracee != caller;
	wanted.asked = tracee->affinity.asked;
	tracee->affinity = wanted;
	note(tracee);
	return 0;
}

uint32_t tracee_processor(struct tracee *tracee)
{
	tracee->affinity.asked = true;
	note(tracee);
	return affinity_first(processors_of(tracee));
}

void affinity_at_birth(const struct tracee *creator, struct tracee *child)
{
	child->affinity = creator->affinity;
	child->affinity.asked = false;
}

bool target_affinity_races(const struct target *target)
{
	return target->world.affinity_races;
}
