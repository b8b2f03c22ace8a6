/* Wait statuses that arrived while somebody else was waited for. */
#include "tracer/tracee/tracee.h"

#include <fmc/tracer/array.h>

#include <string.h>

bool target_keep_early(struct target *target, pid_t tid, int status)
{
	if (!ARRAY_GROW(target->early, target->early_length, target->early_room))
		return false;
	target->early[target->early_length++] = (struct early_stop){.tid = tid, .status = status};
	return true;
}

void target_forget_early(struct target *target, pid_t tid)
{
	size_t kept = 0;
	for (size_t i = 0; i < target->early_length; i++)
		if (target->early[i].tid != tid)
			target->early[kept++] = target->early[i];
	target->early_length = kept;
}

bool target_take_early(struct target *target, pid_t tid, int *status)
{
	for (size_t i = 0; i < target->early_length; i++) {
		if (target->early[i].tid != tid)
			continue;
		*status = target->early[i].status;
		target->early_length--;
		memmove(&target->early[i], &target->early[i + 1],
			(target->early_length - i) * sizeof target->early[0]);
		return true;
	}
	return false;
}
