/*
 * One instruction back. The processor doesn't run backwards, and tells what it has touched only after the instruction: the
 * place is found by counting instructions from an earlier one. That costs microseconds for each, so it is done on the last
 * bit of the way alone. On all before, the program runs freely, is stopped every now and then, and an image is kept.
 */
#include "replay/backwards/near.h"

#include <string.h>

/* So many are counted at once. */
#define SHORT_STEPS 1024u
#define LONG_STEPS  (64 * SHORT_STEPS)

void slices_begin(struct timeline *timeline, unsigned us)
{
	timeline->slice_us = us > SLICE_US ? us : SLICE_US;
	timeline->slices = 0;
}

const struct event *slices_next(struct timeline *timeline)
{
	if (timeline->slices++ % SLICES_OF_ONE == SLICES_OF_ONE - 1)
		timeline->slice_us *= 2;
	return run_advance(timeline, MODE_SLICE);
}

struct nearing_state {
	struct timeline *timeline;
	struct spot from; /* the nearest place that can be come to again */
	bool wants_signal;
};

static void note_from(struct nearing_state *near)
{
	struct timeline *timeline = near->timeline;
	near->from = (struct spot){timeline->position.part, timeline->root, timeline->position.steps};
}

/* Does a step that has just been made end where a trap in force stops? */
static bool step_is_trapped(struct timeline *timeline)
{
	const struct event *event = &timeline->event;
	return event->watch < WATCHES ||
	       traps_has_break(timeline->active, visible_place(timeline, event->thread));
}

enum stretch { STRETCH_ENDS, STRETCH_GOES_ON, STRETCH_BROKEN };

/* Step by step, at most so many; *steps have been made when it ends there. */
static enum stretch step_stretch(struct nearing_state *near, uint64_t most, uint64_t *steps,
				 struct move *move)
{
	struct timeline *timeline = near->timeline;
	const size_t part = timeline->position.part;
	for (*steps = 0; *steps < most;) {
		const struct event *event = run_advance(timeline, MODE_STEP);
		if (timeline->position.part != part || event->kind == EVENT_END)
			return STRETCH_ENDS;
		if (event->kind == EVENT_SIGNAL && near->wants_signal)
			return ++*steps, STRETCH_ENDS;
		if (event->kind == EVENT_SIGNAL)
			continue;
		if (event->kind != EVENT_STEP || path_is_enough(timeline)) {
			move_fill(timeline, MOVE_INTERRUPTED, move);
			return STRETCH_BROKEN;
		}
		++*steps;
		if (step_is_trapped(timeline))
			return STRETCH_ENDS;
	}
	return STRETCH_GOES_ON;
}

/* Freely, with an image each time that a slice is over. */
static enum stretch run_stretch(struct nearing_state *near, struct traps *traps, struct move *move)
{
	struct timeline *timeline = near->timeline;
	const size_t part = timeline->position.part;
	traps_use(timeline, traps);
	slices_begin(timeline, SLICE_US);
	for (;;) {
		const struct event *event = slices_next(timeline);
		if (event->kind == EVENT_INTERRUPTED) {
			move_fill(timeline, MOVE_INTERRUPTED, move);
			return STRETCH_BROKEN;
		}
		if (timeline->position.part != part || event->kind == EVENT_END)
			return STRETCH_ENDS;
		if (event->kind == EVENT_SIGNAL && !near->wants_signal)
			continue;
		if (event->kind != EVENT_SLICE ||
		    traps_has_break(traps, visible_place(timeline, event->thread)))
			return STRETCH_ENDS;
		if (!timeline->position.steps_known)
			return STRETCH_GOES_ON; /* no image can be had */
		note_from(near);
	}
}

static enum nearing give_up(struct timeline *timeline, size_t part, struct move *move)
{
	if (go_to_long_part(timeline, part, move))
		move_fill(timeline, MOVE_DONE, move);
	return NEAR_ELSEWHERE;
}

/*
 * With images ever closer to the end: each time they are at other places. Where none comes closer, more is counted; some of the
 * way is made by that in any case.
 */
static enum nearing approach(struct nearing_state *near, struct traps *traps, struct move *move)
{
	struct timeline *timeline = near->timeline;
	uint64_t most = SHORT_STEPS, steps;
	enum stretch stretch;
	for (;;) {
		traps_use(timeline, traps);
		stretch = step_stretch(near, most, &steps, move);
		traps_use(timeline, NULL);
		if (stretch != STRETCH_GOES_ON)
			break;
		/* What has been stepped is after it. */
		if (inside_here(timeline))
			note_from(near);
		else if ((most *= 4) > STEPS_MOST)
			return give_up(timeline, near->from.part, move);
		const uint32_t root = near->from.root;
		stretch = run_stretch(near, traps, move);
		traps_use(timeline, NULL);
		if (stretch == STRETCH_BROKEN || !go_to_spot(timeline, &near->from, move))
			return NEAR_ELSEWHERE;
		if (near->from.root == root && most < LONG_STEPS)
			most *= 2;
	}
	if (stretch == STRETCH_BROKEN)
		return NEAR_ELSEWHERE;
	if (steps == 0)
		return NEAR_NONE;
	near->from.steps += steps - 1;
	return go_to_spot(timeline, &near->from, move) ? NEAR_THERE : NEAR_ELSEWHERE;
}

/* From a place that can be come to again. */
static enum nearing near_end(struct timeline *timeline, struct traps *traps, bool wants_signal,
			     struct move *move)
{
	struct nearing_state near = {.timeline = timeline, .wants_signal = wants_signal};
	const bool at_beginning = timeline->root == 0 && timeline->position.steps_known;
	if (!at_beginning && !inside_here(timeline))
		return NEAR_UNCOPIED;
	if (at_beginning && timeline->position.steps == 0)
		checkpoint_here(timeline);
	note_from(&near);
	return approach(&near, traps, move);
}

bool near_closer(struct timeline *timeline, bool *broken, struct move *move)
{
	struct nearing_state near = {.timeline = timeline};
	struct traps *traps = timeline->active;
	*broken = false;
	if (!inside_here(timeline))
		return false;
	note_from(&near);
	*broken = run_stretch(&near, traps, move) == STRETCH_BROKEN;
	traps_use(timeline, NULL);
	*broken = *broken || !go_to_spot(timeline, &near.from, move);
	traps_use(timeline, traps);
	return !*broken;
}

/* Is this the end of one more of what the segment counts? */
static bool step_counts(struct timeline *timeline, const struct segment *segment)
{
	const struct event *event = &timeline->event;
	switch (segment->kind) {
	case SEGMENT_STEPS:
		return event->kind == EVENT_STEP;
	case SEGMENT_BREAK:
		return event->kind == EVENT_STEP &&
		       visible_place(timeline, event->thread) == segment->address;
	case SEGMENT_WATCH:
		return event->kind == EVENT_STEP && event->watch < WATCHES;
	case SEGMENT_SIGNAL:
		return event->kind == EVENT_SIGNAL;
	case SEGMENT_LOST:
		break;
	}
	return false;
}

/* By this segment, step by step; false: it isn't come to so, or *interrupted, and *move says so. */
static bool count_segment(struct timeline *timeline, const struct segment *segment, bool *interrupted,
			  struct move *move)
{
	const size_t part = timeline->position.part;
	use_own(timeline, segment->kind == SEGMENT_WATCH ? segment : NULL);
	for (uint64_t left = segment->count; left > 0;) {
		const struct event *event = run_advance(timeline, MODE_STEP);
		*interrupted = event->kind == EVENT_INTERRUPTED || path_is_enough(timeline);
		if (*interrupted)
			move_fill(timeline, MOVE_INTERRUPTED, move);
		if (*interrupted || timeline->position.part != part || event->kind == EVENT_END ||
		    timeline->position.steps > STEPS_MOST)
			return false;
		left -= step_counts(timeline, segment);
	}
	return true;
}

/* Where no image can be had the way is made once more from the part's beginning, and its instructions are counted. */
static enum nearing near_counted(struct timeline *timeline, const struct path *path, size_t part,
				 const struct user_regs_struct *registers, struct move *move)
{
	struct user_regs_struct there;
	bool on = true, interrupted = false;
	if (!go_to_part(timeline, part, move))
		return NEAR_ELSEWHERE;
	for (size_t i = 0; on && i < path->length; i++)
		on = count_segment(timeline, &path->segments[i], &interrupted, move);
	traps_use(timeline, NULL);
	if (interrupted)
		return NEAR_ELSEWHERE;
	on = on && timeline->position.steps > 0 &&
	     timeline_registers(timeline, timeline->event.thread, &there) == STATUS_OK &&
	     memcmp(&there, registers, sizeof there) == 0;
	if (!on)
		return give_up(timeline, part, move);
	const struct spot before = {.part = part, .steps = timeline->position.steps - 1};
	return go_to_spot(timeline, &before, move) ? NEAR_THERE : NEAR_ELSEWHERE;
}

/* The way without its last stop, which is then what lies before. */
static enum nearing near_last_stop(struct timeline *timeline, const struct spot *root, struct path *path,
				   struct move *move)
{
	struct segment *last = &path->segments[path->length - 1], segment = *last;
	struct leading leading = {.length = 0};
	if (segment.kind == SEGMENT_BREAK)
		lead_note(timeline, &leading);
	if (--last->count == 0)
		path->length--;
	if (!go_path(timeline, root, path, move))
		return NEAR_ELSEWHERE;
	if (segment.kind == SEGMENT_STEPS)
		return NEAR_THERE;
	const enum touch touch = lead_go(timeline, &segment, &leading, move);
	if (touch == TOUCH_FOUND)
		return NEAR_THERE;
	/* What it ran on to is after it; without the places that lead there it is where it was. */
	if (touch == TOUCH_BROKEN || (leading.length > 0 && !go_path(timeline, root, path, move)))
		return NEAR_ELSEWHERE;
	use_own(timeline, &segment);
	const enum nearing nearing =
	    near_end(timeline, timeline->active, segment.kind == SEGMENT_SIGNAL, move);
	traps_use(timeline, NULL);
	return nearing;
}

static enum nearing near_last_segment(struct timeline *timeline, const struct spot *here, struct path *path,
				      struct move *move)
{
	struct user_regs_struct registers;
	const struct path whole = *path;
	const struct segment last = path->segments[path->length - 1];
	if (timeline_registers(timeline, timeline->event.thread, &registers) != STATUS_OK)
		return give_up(timeline, here->part, move);
	const enum nearing nearing = near_last_stop(timeline, here, path, move);
	if (nearing != NEAR_UNCOPIED)
		return nearing;
	whole.segments[whole.length - 1] = last;
	return here->root == 0 ? near_counted(timeline, &whole, here->part, &registers, move)
			       : give_up(timeline, here->part, move);
}

/* An image at any place: from the part's beginning on, where that is near enough to look for it. */
static enum nearing near_image(struct timeline *timeline, const struct spot *here, struct move *move)
{
	struct user_regs_struct registers;
	const struct spot beginning = {.part = here->part};
	struct spot before = beginning;
	if (timeline_registers(timeline, timeline->event.thread, &registers) != STATUS_OK)
		return give_up(timeline, here->part, move);
	if (!walk_to_registers(timeline, here->part, &registers, move))
		return NEAR_ELSEWHERE;
	before.steps = timeline->position.steps;
	if (before.steps == 0)
		return NEAR_NONE;
	before.steps--;
	return go_to_spot(timeline, &before, move) ? NEAR_THERE : NEAR_ELSEWHERE;
}

enum nearing near_before(struct timeline *timeline, struct move *move)
{
	struct spot here = {timeline->position.part, timeline->root, timeline->position.steps};
	if (timeline->position.steps_known && here.steps > 0) {
		here.steps--;
		return go_to_spot(timeline, &here, move) ? NEAR_THERE : NEAR_ELSEWHERE;
	}
	if (timeline->position.steps_known)
		return here.root ? near_image(timeline, &here, move) : NEAR_NONE;
	struct path path = timeline->path;
	timeline->path = (struct path){0};
	if (path.length == 0 || path.segments[path.length - 1].kind == SEGMENT_LOST) {
		path_release(&path);
		return near_image(timeline, &here, move);
	}
	const enum nearing nearing = near_last_segment(timeline, &here, &path, move);
	path_release(&path);
	return nearing;
}

/* Where no image can be had: to what stops it next, and from there one instruction back. */
static enum nearing back_from_next(struct timeline *timeline, struct traps *traps, struct move *move)
{
	const size_t part = timeline->position.part;
	const struct event *event;
	traps_use(timeline, traps);
	do
		event = run_advance(timeline, MODE_FREE);
	while (event->kind == EVENT_SIGNAL && timeline->position.part == part);
	traps_use(timeline, NULL);
	if (event->kind == EVENT_INTERRUPTED) {
		move_fill(timeline, MOVE_INTERRUPTED, move);
		return NEAR_ELSEWHERE;
	}
	if (timeline->position.part != part || event->kind == EVENT_END)
		return give_up(timeline, part, move);
	return near_before(timeline, move);
}

enum nearing near_next(struct timeline *timeline, struct move *move)
{
	struct traps *traps = timeline->active;
	const enum nearing nearing = near_end(timeline, traps, false, move);
	return nearing == NEAR_UNCOPIED ? back_from_next(timeline, traps, move) : nearing;
}
