#include "tracer/tracee/tracee.h"

/*
 * A target and the processes that are followed from it (target/followed.c) form a ring, so that a wait status reaches whom it is about, and a number is told in
 * all of them.
 */

struct target *target_relative(const struct target *target)
{
	return target->relative;
}

void relatives_leave(struct target *target)
{
	struct target *before = target->relative;
	if (!before)
		return;
	while (before->relative != target)
		before = before->relative;
	before->relative = target->relative == before ? NULL : target->relative;
	target->relative = NULL;
}

/* It is the family's youngest. */
void relatives_join(struct target *target, struct target *child)
{
	child->relative = target->relative ? target->relative : target;
	target->relative = child;
	const uint32_t made = target->family + 1;
	for (struct target *each = child; each; each = each->relative == child ? NULL : each->relative)
		each->family = made;
}
