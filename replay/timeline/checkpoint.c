/* Images along the way: on a grid that gets wider when there are too many, and a few where somebody works. */
#include "replay/timeline/timeline.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

#define IMAGES_MOST 32u
#define IMAGE_BYTES (UINT64_C(1) << 30)
#define NEAR_MOST   6u

static void release(struct checkpoint *checkpoint)
{
	process_copy_free(checkpoint->process);
	execution_copy_free(checkpoint->execution);
}

static bool on_grid(const struct timeline *timeline, size_t part)
{
	return (part - 1) % timeline->stride == 0;
}

static size_t most(const struct timeline *timeline)
{
	return timeline->options.images ? timeline->options.images : IMAGES_MOST;
}

const struct checkpoint *checkpoint_before(const struct timeline *timeline, size_t part)
{
	const struct checkpoint *best = NULL;
	for (size_t i = 0; i < timeline->checkpoints_length && timeline->checkpoints[i].part <= part; i++)
		best = &timeline->checkpoints[i];
	return best;
}

/* The run in progress may have begun there: it doesn't need that any more. */
static void remove_at(struct timeline *timeline, size_t i)
{
	release(&timeline->checkpoints[i]);
	timeline->checkpoints_length--;
	memmove(&timeline->checkpoints[i], &timeline->checkpoints[i + 1],
		(timeline->checkpoints_length - i) * sizeof *timeline->checkpoints);
}

void checkpoint_drop(struct timeline *timeline, size_t part)
{
	while (timeline->checkpoints_length > 0 &&
	       timeline->checkpoints[timeline->checkpoints_length - 1].part >= part)
		remove_at(timeline, timeline->checkpoints_length - 1);
}

void checkpoint_drop_all(struct timeline *timeline)
{
	checkpoint_drop(timeline, 0);
	free(timeline->checkpoints);
	timeline->checkpoints = NULL;
	timeline->checkpoints_room = 0;
}

/* Those off the grid that haven't served for longest make room for another one. */
static void drop_stale(struct timeline *timeline)
{
	size_t near = 0, stale = 0;
	for (size_t i = 0; i < timeline->checkpoints_length; i++) {
		const struct checkpoint *checkpoint = &timeline->checkpoints[i];
		if (on_grid(timeline, checkpoint->part))
			continue;
		if (near++ == 0 || checkpoint->used < timeline->checkpoints[stale].used)
			stale = i;
	}
	if (near > NEAR_MOST)
		remove_at(timeline, stale);
}

static void widen_grid(struct timeline *timeline)
{
	timeline->stride *= 2;
	for (size_t i = timeline->checkpoints_length; i-- > 0;)
		if (!on_grid(timeline, timeline->checkpoints[i].part))
			remove_at(timeline, i);
}

static uint64_t bytes(const struct timeline *timeline)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < timeline->checkpoints_length; i++)
		sum += process_copy_bytes(timeline->checkpoints[i].process);
	return sum;
}

static void make_room(struct timeline *timeline)
{
	uint64_t limit = timeline->options.image_bytes ? timeline->options.image_bytes : IMAGE_BYTES;
	while (timeline->checkpoints_length > 1 &&
	       (timeline->checkpoints_length > most(timeline) + NEAR_MOST || bytes(timeline) > limit)) {
		size_t before = timeline->checkpoints_length;
		widen_grid(timeline);
		if (timeline->checkpoints_length == before && timeline->stride > timeline->schedule.length)
			return;
	}
}

/* Its place in the order of parts. */
static bool insert(struct timeline *timeline, const struct checkpoint *checkpoint)
{
	if (!ARRAY_GROW(timeline->checkpoints, timeline->checkpoints_length, timeline->checkpoints_room))
		return false;
	size_t i = timeline->checkpoints_length++;
	for (; i > 0 && timeline->checkpoints[i - 1].part > checkpoint->part; i--)
		timeline->checkpoints[i] = timeline->checkpoints[i - 1];
	timeline->checkpoints[i] = *checkpoint;
	return true;
}

void checkpoint_here(struct timeline *timeline)
{
	struct checkpoint checkpoint = {.part = timeline->position.part, .used = ++timeline->clock};
	for (size_t i = 0; i < timeline->checkpoints_length; i++)
		if (timeline->checkpoints[i].part == checkpoint.part) {
			timeline->checkpoints[i].used = checkpoint.used;
			return;
		}
	if (timeline->event.kind != EVENT_PART ||
	    process_save(timeline->process, &checkpoint.process) != STATUS_OK)
		return;
	checkpoint.execution = execution_save(timeline->execution);
	if (!checkpoint.execution || !insert(timeline, &checkpoint)) {
		release(&checkpoint);
		return;
	}
	drop_stale(timeline);
	make_room(timeline);
}

void checkpoint_maybe(struct timeline *timeline)
{
	if (timeline->event.kind == EVENT_PART && on_grid(timeline, timeline->position.part))
		checkpoint_here(timeline);
}
