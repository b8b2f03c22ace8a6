/* Images along the way: on a grid that gets wider when there are too many, and a few where somebody works. */
#include "replay/timeline/timeline.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

#define IMAGES_MOST 32u
#define IMAGE_BYTES (UINT64_C(1) << 30)
#define NEAR_MOST   6u

static void release(struct keep *keep)
{
	process_copy_free(keep->process);
	execution_copy_free(keep->execution);
}

static bool on_grid(const struct timeline *timeline, size_t part)
{
	return (part - 1) % timeline->stride == 0;
}

static size_t most(const struct timeline *timeline)
{
	return timeline->options.images ? timeline->options.images : IMAGES_MOST;
}

const struct keep *keep_before(const struct timeline *timeline, size_t part)
{
	const struct keep *best = NULL;
	for (size_t i = 0; i < timeline->keeps_length && timeline->keeps[i].part <= part; i++)
		best = &timeline->keeps[i];
	return best;
}

/* The run in progress may have begun there: it doesn't need that any more. */
static void remove_at(struct timeline *timeline, size_t i)
{
	release(&timeline->keeps[i]);
	timeline->keeps_length--;
	memmove(&timeline->keeps[i], &timeline->keeps[i + 1],
		(timeline->keeps_length - i) * sizeof *timeline->keeps);
}

void keep_drop(struct timeline *timeline, size_t part)
{
	while (timeline->keeps_length > 0 && timeline->keeps[timeline->keeps_length - 1].part >= part)
		remove_at(timeline, timeline->keeps_length - 1);
}

void keep_drop_all(struct timeline *timeline)
{
	keep_drop(timeline, 0);
	free(timeline->keeps);
	timeline->keeps = NULL;
	timeline->keeps_room = 0;
}

/* Those off the grid that haven't served for longest make room for another one. */
static void drop_stale(struct timeline *timeline)
{
	size_t near = 0, stale = 0;
	for (size_t i = 0; i < timeline->keeps_length; i++) {
		const struct keep *keep = &timeline->keeps[i];
		if (on_grid(timeline, keep->part))
			continue;
		if (near++ == 0 || keep->used < timeline->keeps[stale].used)
			stale = i;
	}
	if (near > NEAR_MOST)
		remove_at(timeline, stale);
}

static void widen_grid(struct timeline *timeline)
{
	timeline->stride *= 2;
	for (size_t i = timeline->keeps_length; i-- > 0;)
		if (!on_grid(timeline, timeline->keeps[i].part))
			remove_at(timeline, i);
}

static uint64_t bytes(const struct timeline *timeline)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < timeline->keeps_length; i++)
		sum += process_copy_bytes(timeline->keeps[i].process);
	return sum;
}

static void make_room(struct timeline *timeline)
{
	uint64_t limit = timeline->options.image_bytes ? timeline->options.image_bytes : IMAGE_BYTES;
	while (timeline->keeps_length > 1 &&
	       (timeline->keeps_length > most(timeline) + NEAR_MOST || bytes(timeline) > limit)) {
		size_t before = timeline->keeps_length;
		widen_grid(timeline);
		if (timeline->keeps_length == before && timeline->stride > timeline->schedule.length)
			return;
	}
}

/* Its place in the order of parts. */
static bool insert(struct timeline *timeline, const struct keep *keep)
{
	if (!ARRAY_GROW(timeline->keeps, timeline->keeps_length, timeline->keeps_room))
		return false;
	size_t i = timeline->keeps_length++;
	for (; i > 0 && timeline->keeps[i - 1].part > keep->part; i--)
		timeline->keeps[i] = timeline->keeps[i - 1];
	timeline->keeps[i] = *keep;
	return true;
}

void keep_here(struct timeline *timeline)
{
	struct keep keep = {.part = timeline->position.part, .used = ++timeline->clock};
	for (size_t i = 0; i < timeline->keeps_length; i++)
		if (timeline->keeps[i].part == keep.part) {
			timeline->keeps[i].used = keep.used;
			return;
		}
	if (timeline->event.kind != EVENT_PART || process_save(timeline->process, &keep.process) != STATUS_OK)
		return;
	keep.execution = execution_save(timeline->execution);
	if (!keep.execution || !insert(timeline, &keep)) {
		release(&keep);
		return;
	}
	drop_stale(timeline);
	make_room(timeline);
}

void keep_maybe(struct timeline *timeline)
{
	if (timeline->event.kind == EVENT_PART && on_grid(timeline, timeline->position.part))
		keep_here(timeline);
}
