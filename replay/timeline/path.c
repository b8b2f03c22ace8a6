/*
 * Places within a part. Come to by single instructions they are counted; come to freely, what is known is the path: to the
 * third arrival at a breakpoint, say. The count is found, when it is needed, by going the path once more step by step.
 */
#include "replay/timeline/timeline.h"

#include <fmc/tracer/array.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void path_clear(struct path *path)
{
	path->length = 0;
}

void path_release(struct path *path)
{
	free(path->segments);
	*path = (struct path){0};
}

static struct segment *add_segment(struct path *path, enum segment_kind kind, uint64_t count)
{
	if (!ARRAY_GROW(path->segments, path->length, path->room))
		return NULL;
	struct segment *segment = &path->segments[path->length++];
	*segment = (struct segment){.kind = kind, .count = count};
	return segment;
}

static bool same_trap(const struct segment *a, const struct segment *b)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case SEGMENT_BREAK:
		return a->address == b->address;
	case SEGMENT_WATCH:
		return a->watch.address == b->watch.address && a->watch.size == b->watch.size &&
		       a->watch.access == b->watch.access;
	default:
		return a->kind == SEGMENT_SIGNAL;
	}
}

/* Again the same trap, with nothing or one instruction in between: a debugger steps off a breakpoint first. */
static void merge(struct path *path)
{
	size_t n = path->length;
	struct segment *last = &path->segments[n - 1];
	if (n >= 2 && same_trap(last, last - 1)) {
		last[-1].count += last->count;
		path->length = n - 1;
	} else if (n >= 3 && last[-1].kind == SEGMENT_STEPS && last[-1].count == 1 &&
		   same_trap(last, last - 2)) {
		last[-2].count += last->count;
		path->length = n - 2;
	}
}

/* What has been counted so far becomes the first segment. */
static void begin_way(struct timeline *timeline)
{
	if (!timeline->position.steps_known)
		return;
	path_clear(&timeline->path);
	if (timeline->position.steps > 0)
		add_segment(&timeline->path, SEGMENT_STEPS, timeline->position.steps);
	timeline->position.steps_known = false;
	timeline->position.steps = 0;
}

static void note_step(struct timeline *timeline)
{
	struct path *path = &timeline->path;
	if (timeline->position.steps_known)
		timeline->position.steps++;
	else if (path->length > 0 && path->segments[path->length - 1].kind == SEGMENT_STEPS)
		path->segments[path->length - 1].count++;
	else
		add_segment(path, SEGMENT_STEPS, 1);
}

static void note_trap(struct timeline *timeline, const struct event *event)
{
	bool is_break = event->kind == EVENT_BREAKPOINT;
	begin_way(timeline);
	struct segment *segment = add_segment(&timeline->path, is_break ? SEGMENT_BREAK : SEGMENT_WATCH, 1);
	if (!segment)
		return;
	segment->address = event->address;
	if (!is_break)
		segment->watch = timeline->active->watches[event->watch];
	merge(&timeline->path);
}

/* Not by a trap, and not counted: only an image of the very place can be come to again with certainty. */
static void note_lost(struct timeline *timeline, const struct event *event)
{
	begin_way(timeline);
	if (inside_here(timeline))
		return;
	path_clear(&timeline->path);
	timeline->root = 0;
	struct segment *segment = add_segment(&timeline->path, SEGMENT_LOST, 1);
	/* Without registers nothing is found there. */
	if (segment)
		(void)timeline_registers(timeline, event->thread, &segment->registers);
}

static void note_part(struct timeline *timeline, size_t part)
{
	timeline->position = (struct position){.part = part, .steps_known = true};
	timeline->root = 0;
	path_clear(&timeline->path);
}

void path_note(struct timeline *timeline, const struct event *event)
{
	switch (event->kind) {
	case EVENT_START:
		note_part(timeline, 0);
		break;
	case EVENT_PART:
		note_part(timeline, timeline->trace.length + 1);
		break;
	case EVENT_END:
		note_part(timeline, timeline->schedule.length + 1);
		break;
	case EVENT_STEP:
		note_step(timeline);
		break;
	case EVENT_BREAKPOINT:
	case EVENT_WATCHPOINT:
		note_trap(timeline, event);
		break;
	case EVENT_SIGNAL:
		/* Met while steps are counted it comes after the last of them. */
		if (timeline->mode == MODE_STEP)
			break;
		begin_way(timeline);
		add_segment(&timeline->path, SEGMENT_SIGNAL, 1);
		break;
	case EVENT_ENTERED:
		timeline->position.steps_known = true;
		path_clear(&timeline->path);
		break;
	case EVENT_SLICE:
	case EVENT_INTERRUPTED:
		note_lost(timeline, event);
		break;
	}
}

static bool at_part(const struct timeline *timeline, size_t part)
{
	const struct position *position = &timeline->position;
	return position->part == part && position->steps_known && position->steps == 0 && timeline->root == 0;
}

/* Is to go on from here the shortest way to this part? */
static bool is_ahead(const struct timeline *timeline, size_t part, const struct checkpoint *checkpoint)
{
	size_t here = timeline->position.part;
	if (!timeline->run || timeline->over || here > part || (here == part && !at_part(timeline, part)))
		return false;
	return !checkpoint || checkpoint->part <= here;
}

bool go_to_part(struct timeline *timeline, size_t part, struct move *move)
{
	const struct checkpoint *checkpoint = checkpoint_before(timeline, part);
	traps_use(timeline, NULL);
	if (timeline->run && at_part(timeline, part))
		return true;
	if (!is_ahead(timeline, part, checkpoint)) {
		enum status status = run_start(timeline, checkpoint);
		if (status != STATUS_OK) {
			move_failed(timeline, status, "the program can't be started again", move);
			return false;
		}
		checkpoint_maybe(timeline);
	}
	while (!at_part(timeline, part) && !timeline->over) {
		if (run_advance(timeline, MODE_FREE)->kind == EVENT_INTERRUPTED) {
			move_fill(timeline, MOVE_INTERRUPTED, move);
			return false;
		}
		checkpoint_maybe(timeline);
	}
	if (at_part(timeline, part) && (!timeline->over || is_true_end(timeline)))
		return true;
	move_failed(timeline, STATUS_DIVERGED, NULL, move);
	return false;
}

/* Steps before a place at which an image is kept. */
#define NEAR_STEPS 32u

bool path_is_enough(struct timeline *timeline)
{
	return timeline->position.steps % 1024 == 0 && run_is_interrupted(timeline);
}

/* One instruction; false: the part is over, or the user has had enough (*move says so). */
static bool step_on(struct timeline *timeline, struct move *move, bool *ended)
{
	size_t part = timeline->position.part;
	const struct event *event = run_advance(timeline, MODE_STEP);
	*ended = false;
	while (event->kind == EVENT_SIGNAL)
		event = run_advance(timeline, MODE_STEP);
	if (event->kind == EVENT_STEP) {
		if (!path_is_enough(timeline))
			return true;
		move_fill(timeline, MOVE_INTERRUPTED, move);
		return false;
	}
	*ended = event->kind != EVENT_INTERRUPTED || timeline->position.part != part;
	if (!*ended)
		move_fill(timeline, MOVE_INTERRUPTED, move);
	return false;
}

bool go_to_root(struct timeline *timeline, size_t part, uint32_t root, struct move *move)
{
	const struct inside *inside = root ? inside_before(timeline, part, root, 0) : NULL;
	if (inside)
		return inside_go(timeline, inside, move);
	if (!go_to_part(timeline, part, move))
		return false;
	if (!root)
		return true;
	go_to_long_part(timeline, part, move);
	move_fill(timeline, MOVE_DONE, move);
	return false;
}

/* Images on the last bit of the way, nearer and nearer to its end: a user who goes there often goes on backwards. */
static void keep_near(struct timeline *timeline, uint64_t left)
{
	if (left == NEAR_STEPS || left == NEAR_STEPS * NEAR_STEPS)
		inside_here(timeline);
}

bool go_to_spot(struct timeline *timeline, const struct spot *spot, struct move *move)
{
	bool ended;
	const struct inside *inside = inside_before(timeline, spot->part, spot->root, spot->steps);
	if (inside ? !inside_go(timeline, inside, move) : !go_to_root(timeline, spot->part, spot->root, move))
		return false;
	if (!inside && spot->steps > 0)
		checkpoint_here(timeline);
	for (uint64_t left = spot->steps - timeline->position.steps; left > 0; left--) {
		keep_near(timeline, left);
		if (!step_on(timeline, move, &ended))
			return ended;
	}
	return true;
}

bool go_to_step(struct timeline *timeline, size_t part, uint64_t steps, struct move *move)
{
	const struct spot spot = {part, 0, steps};
	return go_to_spot(timeline, &spot, move);
}

bool go_to_long_part(struct timeline *timeline, size_t part, struct move *move)
{
	snprintf(timeline->remark, sizeof timeline->remark,
		 "the way there in transition %zu is too long to be counted: this is its beginning", part);
	return go_to_part(timeline, part, move);
}

bool ends_in_loop(struct timeline *timeline, size_t part, struct user_regs_struct *registers)
{
	const uint32_t thread = part_thread(timeline, part);
	struct move move;
	if (!go_to_part(timeline, part + 1, &move))
		return false;
	bool loops =
	    timeline->over ? timeline->trace.end == END_SPIN : process_spins(timeline->process, thread);
	return loops && timeline_registers(timeline, thread, registers) == STATUS_OK;
}

static bool has_registers(struct timeline *timeline, const struct user_regs_struct *wanted)
{
	struct user_regs_struct registers;
	return timeline_registers(timeline, timeline->event.thread, &registers) == STATUS_OK &&
	       memcmp(&registers, wanted, sizeof registers) == 0;
}

bool count_steps(struct timeline *timeline, size_t part, uint64_t *steps, struct move *move)
{
	struct user_regs_struct registers;
	bool ended = false;
	if (!go_to_part(timeline, part, move))
		return false;
	checkpoint_here(timeline);
	bool loops = ends_in_loop(timeline, part, &registers);
	if (!go_to_part(timeline, part, move))
		return false;
	for (*steps = 0; *steps < STEPS_MOST && step_on(timeline, move, &ended); (*steps)++)
		if (loops && has_registers(timeline, &registers)) {
			++*steps;
			return true;
		}
	return ended || *steps == STEPS_MOST;
}

void use_own(struct timeline *timeline, const struct segment *segment)
{
	traps_use(timeline, NULL);
	traps_clear(&timeline->own);
	if (segment && segment->kind == SEGMENT_WATCH)
		timeline->own.watches[timeline->own.watches_length++] = segment->watch;
	if (segment && segment->kind == SEGMENT_BREAK)
		traps_add_break(&timeline->own, segment->address);
	traps_use(timeline, &timeline->own);
}

bool go_segment(struct timeline *timeline, const struct segment *segment, struct move *move)
{
	static const enum event_kind kinds[] = {[SEGMENT_BREAK] = EVENT_BREAKPOINT,
						[SEGMENT_WATCH] = EVENT_WATCHPOINT,
						[SEGMENT_SIGNAL] = EVENT_SIGNAL};
	size_t part = timeline->position.part;
	uint64_t left = segment->count;
	use_own(timeline, segment);
	while (left > 0 && timeline->position.part == part) {
		run_advance(timeline, MODE_FREE);
		if (timeline->event.kind == EVENT_INTERRUPTED)
			break;
		left -= timeline->event.kind == kinds[segment->kind];
	}
	traps_use(timeline, NULL);
	if (left == 0)
		return true;
	if (timeline->event.kind == EVENT_INTERRUPTED)
		move_fill(timeline, MOVE_INTERRUPTED, move);
	else
		move_failed(timeline, STATUS_DIVERGED, NULL, move);
	return false;
}

bool walk_to_registers(struct timeline *timeline, size_t part, const struct user_regs_struct *registers,
		       struct move *move)
{
	bool ended = false;
	if (!go_to_part(timeline, part, move))
		return false;
	while (!has_registers(timeline, registers))
		if (timeline->position.steps == STEPS_MOST || !step_on(timeline, move, &ended)) {
			if (ended || timeline->position.steps == STEPS_MOST) {
				go_to_long_part(timeline, part, move);
				move_fill(timeline, MOVE_DONE, move);
			}
			return false;
		}
	return true;
}

/* So many single instructions, which no counting is needed for. */
static bool step_segment(struct timeline *timeline, uint64_t count, struct move *move)
{
	bool ended;
	while (count-- > 0)
		if (!step_on(timeline, move, &ended))
			return ended;
	return true;
}

bool go_path(struct timeline *timeline, const struct spot *from, const struct path *path, struct move *move)
{
	if (path->length > 0 && path->segments[0].kind == SEGMENT_LOST
		? !walk_to_registers(timeline, from->part, &path->segments[0].registers, move)
		: !go_to_root(timeline, from->part, from->root, move))
		return false;
	for (size_t i = 0; i < path->length; i++) {
		const struct segment *segment = &path->segments[i];
		if (segment->kind != SEGMENT_LOST &&
		    (segment->kind == SEGMENT_STEPS ? !step_segment(timeline, segment->count, move)
						    : !go_segment(timeline, segment, move)))
			return false;
	}
	return true;
}
