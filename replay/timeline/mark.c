/* Places to return to, and whether they look as they did. */
#include "replay/timeline/mark.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t digest, const void *bytes, size_t size)
{
	for (const uint8_t *byte = bytes; size-- > 0; byte++)
		digest = (digest ^ *byte) * UINT64_C(0x100000001b3);
	return digest;
}

/* Registers of all threads, and memory. */
static uint64_t look(struct timeline *timeline)
{
	uint64_t digest = timeline_threads(timeline);
	for (uint32_t t = 0; t < timeline_threads(timeline); t++) {
		struct user_regs_struct registers;
		if (timeline_registers(timeline, t, &registers) == STATUS_OK)
			digest = mix(digest, &registers, sizeof registers);
	}
	const uint64_t memory = visit_memory(timeline);
	return mix(digest, &memory, sizeof memory);
}

static bool copy_path(struct path *to, const struct path *from)
{
	if (from->length == 0)
		return true;
	to->segments = reallocarray(NULL, from->length, sizeof *to->segments);
	if (!to->segments)
		return false;
	memcpy(to->segments, from->segments, from->length * sizeof *to->segments);
	to->length = to->room = from->length;
	return true;
}

struct timeline_mark *timeline_mark(struct timeline *timeline)
{
	struct timeline_mark *mark = calloc(1, sizeof *mark);
	if (!mark || !copy_path(&mark->path, &timeline->path)) {
		free(mark);
		return NULL;
	}
	timeline_drop_changes(timeline);
	mark->spot = (struct spot){timeline->position.part, timeline->root, timeline->position.steps};
	mark->counted = timeline->position.steps_known;
	mark->digest = look(timeline);
	mark->next = timeline->marks;
	timeline->marks = mark;
	return mark;
}

void timeline_unmark(struct timeline *timeline, struct timeline_mark *mark)
{
	struct timeline_mark **at = &timeline->marks;
	while (*at && *at != mark)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = mark->next;
	path_release(&mark->path);
	free(mark);
}

void timeline_return(struct timeline *timeline, const struct timeline_mark *mark, struct move *move)
{
	move_begin(timeline);
	if (mark->spot.part > timeline_length(timeline) + 1) {
		move_fill(timeline, MOVE_DONE, move);
		snprintf(move->why, sizeof move->why,
			 "the schedule that is followed now is shorter than that");
		return;
	}
	const bool there = mark->counted ? go_to_spot(timeline, &mark->spot, move)
					 : go_path(timeline, &mark->spot, &mark->path, move);
	traps_use(timeline, NULL);
	if (!there)
		return;
	move_fill(timeline, timeline->over ? MOVE_END : MOVE_DONE, move);
	if (!*move->why && look(timeline) != mark->digest)
		snprintf(move->why, sizeof move->why,
			 "this place isn't as it was before: the program doesn't do the same each time");
}
