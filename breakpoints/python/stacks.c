#include "breakpoints/python/python.h"

#include <fmc/breakpoints/python_stacks.h>

#include <stdlib.h>

/* Python's frames of a process of fmc's own. */

struct python_stacks {
	struct snapshot *snapshot;
	struct python python;
};

struct python_stacks *python_stacks_new(struct target *target)
{
	struct python_stacks *stacks = calloc(1, sizeof(*stacks));
	if (!stacks)
		return NULL;
	if (snapshot_of_target(target, &stacks->snapshot) == STATUS_OK &&
	    python_look(&stacks->python, stacks->snapshot) == STATUS_OK) {
		if (stacks->python.threads)
			return stacks;
		python_release(&stacks->python);
	}
	snapshot_free(stacks->snapshot);
	free(stacks);
	return NULL;
}

void python_stacks_free(struct python_stacks *stacks)
{
	if (!stacks)
		return;
	python_release(&stacks->python);
	snapshot_free(stacks->snapshot);
	free(stacks);
}

bool python_stacks_put(const struct python_stacks *stacks, const struct tracee *tracee, bool cut,
		       struct frame **frames, size_t *length)
{
	const struct python *python = &stacks->python;
	size_t t = 0;
	while (t < python->length && snapshot_thread(stacks->snapshot, t)->tid != tracee->tid)
		t++;
	if (t == python->length || python->threads[t].frames_length == 0)
		return true;
	struct inspected_thread inspected = {.frames = *frames, .frames_length = *length, .cut = cut};
	enum status status = python_stack(python, (uint32_t)t, false, &inspected);
	*frames = inspected.frames;
	*length = inspected.frames_length;
	return status == STATUS_OK;
}
