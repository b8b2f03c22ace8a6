/* Whose memory is meant, of several processes. */
#include "replay/timeline/timeline.h"

#include <stdlib.h>

#define PLACE_SHIFT 48
#define ADDRESS	    ((UINT64_C(1) << PLACE_SHIFT) - 1)

uint64_t place_in(uint32_t memory, uint64_t address)
{
	return address | (uint64_t)memory << PLACE_SHIFT;
}

uint64_t place_of(const struct timeline *timeline, uint32_t thread, uint64_t address)
{
	return address ? place_in(timeline_memory_of(timeline, thread), address) : 0;
}

uint64_t place_address(uint64_t place)
{
	return place & ADDRESS;
}

bool place_is_in(uint64_t place, uint32_t memory)
{
	return place == place_in(memory, place_address(place));
}

uint32_t timeline_memory_of(const struct timeline *timeline, uint32_t thread)
{
	return process_memory_of(timeline->process, thread);
}

/* The memory that it, and what that was copied from, has been copied from. */
static uint32_t origin_of(const struct timeline *timeline, uint32_t memory)
{
	for (uint32_t copied; (copied = timeline_memory_copied(timeline, memory)) != NO_MEMORY;)
		memory = copied;
	return memory;
}

bool place_reaches(const struct timeline *timeline, uint64_t place, uint32_t thread, uint64_t *there)
{
	const uint32_t to = timeline_memory_of(timeline, thread);
	const uint32_t from = (uint32_t)(place >> PLACE_SHIFT);
	*there = place_address(place);
	if (place_is_in(place, to))
		return true;
	const bool related = origin_of(timeline, from) == origin_of(timeline, to);
	return process_memory_shares(timeline->process, from, *there, to, related, there);
}

uint32_t timeline_memories(const struct timeline *timeline)
{
	return timeline->memories;
}

uint32_t timeline_memory_copied(const struct timeline *timeline, uint32_t memory)
{
	return memory < timeline->memories ? timeline->known[memory].copied : NO_MEMORY;
}

size_t timeline_memory_part(const struct timeline *timeline, uint32_t memory)
{
	return memory < timeline->memories ? timeline->known[memory].part : 0;
}

bool timeline_show(struct timeline *timeline, uint32_t memory)
{
	timeline->shown = memory;
	return process_memory_show(timeline->process, memory);
}

uint32_t timeline_shown(const struct timeline *timeline)
{
	return timeline->shown;
}

/* Without memory nothing is known of it. */
static bool reserve(struct timeline *timeline, uint32_t length)
{
	if (length <= timeline->memories_room)
		return true;
	struct memory_known *known = reallocarray(timeline->known, 2 * (size_t)length, sizeof *known);
	if (!known)
		return false;
	timeline->known = known;
	timeline->memories_room = 2 * length;
	return true;
}

/* At the beginning of a part, or at the end. */
static void learn(struct timeline *timeline, uint32_t thread, size_t part)
{
	const uint32_t memory = timeline_memory_of(timeline, thread);
	if (memory == NO_MEMORY || !reserve(timeline, memory + 1))
		return;
	for (; timeline->memories <= memory; timeline->memories++)
		timeline->known[timeline->memories] = (struct memory_known){.copied = NO_MEMORY};
	struct memory_known *known = &timeline->known[memory];
	known->copied = process_memory_copied(timeline->process, thread);
	if (known->part == 0 || part < known->part)
		known->part = part;
}

static void learn_all(struct timeline *timeline, size_t part)
{
	const uint32_t threads = model_threads(execution_model(timeline->execution));
	for (uint32_t t = 0; t < threads; t++)
		learn(timeline, t, part);
}

void memories_run(struct timeline *timeline)
{
	/* Of a process that is over nobody runs. */
	(void)process_memory_show(timeline->process, timeline->running);
}

void memories_stop(struct timeline *timeline)
{
	timeline->running = timeline->shown = process_memory_shown(timeline->process);
	if (timeline->event.kind == EVENT_PART)
		learn_all(timeline, timeline->part_begun);
	if (timeline->event.kind == EVENT_END)
		learn_all(timeline, timeline->trace.length + 1);
	(void)timeline_show(timeline,
			    timeline_memory_of(timeline, timeline->event.thread)); /* or it is over */
}

uint32_t memories_visit(struct timeline *timeline, uint32_t thread)
{
	const uint32_t before = process_memory_shown(timeline->process);
	(void)process_memory_show(timeline->process, timeline_memory_of(timeline, thread));
	return before;
}

void memories_leave(struct timeline *timeline, uint32_t before)
{
	(void)process_memory_show(timeline->process, before);
}
