/*
 * Movements backwards: what lies between an image and here is executed once more to see where the last stop before here was,
 * then once more up to there; if there was none, the same from the image before.
 */
#include "timeline_private.h"

/* The last place found so far at which the user wants to stop. */
struct hit {
	bool found;
	struct event event;
	size_t part;
	bool at_beginning; /* of the part */
	bool counted;
	uint64_t steps; /* if counted */
	struct leg leg; /* else how to come there from the part's beginning */
};

struct scan {
	struct timeline *timeline;
	struct position limit;
	struct hit last;
	struct way arrivals; /* in the present part, one for each trap */
};

/* How often this trap has been met in the present part, this time included. */
static struct leg *count_arrival(struct scan *scan, const struct event *event)
{
	struct timeline *timeline = scan->timeline;
	struct way *way = &scan->arrivals;
	struct leg leg = {.kind = event->kind == EVENT_BREAKPOINT ? LEG_BREAK
				  : event->kind == EVENT_SIGNAL	  ? LEG_SIGNAL
								  : LEG_WATCH,
			  .address = event->address};
	if (leg.kind == LEG_WATCH)
		leg.watch = timeline->active->watches[event->watch];
	return way_count_leg(way, &leg);
}

static void note(struct scan *scan, bool stepping, uint64_t steps)
{
	struct timeline *timeline = scan->timeline;
	const struct event *event = &timeline->event;
	struct hit hit = {.found = true, .event = *event, .part = timeline->position.part};
	if (event->kind == EVENT_PART) {
		uint64_t pc = pilot_visible_pc(timeline, event->thread);
		hit.at_beginning = true;
		hit.event.kind = EVENT_BREAKPOINT;
		hit.event.address = pc;
		if (!pc || !traps_has_break(timeline->active, pc))
			return;
	} else if (stepping) {
		hit.counted = true;
		hit.steps = steps;
	} else {
		const struct leg *leg = count_arrival(scan, event);
		if (!leg)
			return;
		hit.leg = *leg;
	}
	scan->last = hit;
}

/* A step in the last part: has it touched what is watched, or come to a breakpoint? */
static void note_step(struct scan *scan, uint64_t steps)
{
	struct timeline *timeline = scan->timeline;
	struct event *event = &timeline->event;
	uint64_t pc = pilot_visible_pc(timeline, event->thread);
	if (event->watch < WATCHES) {
		event->kind = EVENT_WATCHPOINT;
		event->address = timeline->active->watches[event->watch].address;
		note(scan, true, steps);
	} else if (steps < scan->limit.steps && traps_has_break(timeline->active, pc)) {
		event->kind = EVENT_BREAKPOINT;
		event->address = pc;
		note(scan, true, steps);
	}
}

/* The last part, up to the limit within it. */
static bool scan_steps(struct scan *scan, struct move *move)
{
	struct timeline *timeline = scan->timeline;
	for (uint64_t steps = 1; steps <= scan->limit.steps;) {
		run_advance(timeline, GAIT_STEP);
		switch (timeline->event.kind) {
		case EVENT_STEP:
			note_step(scan, steps++);
			if (!way_is_enough(timeline))
				break;
			move_fill(timeline, MOVE_INTERRUPTED, move);
			return false;
		case EVENT_SIGNAL:
			/* It comes behind the last step counted. */
			note(scan, true, steps - 1);
			break;
		case EVENT_INTERRUPTED:
			move_fill(timeline, MOVE_INTERRUPTED, move);
			return false;
		default:
			return true;
		}
	}
	return true;
}

/* From where the run is to the limit. False: *move says what came between. */
static bool scan_on(struct scan *scan, struct move *move)
{
	struct timeline *timeline = scan->timeline;
	const struct position *limit = &scan->limit;
	for (;;) {
		bool at_limit =
		    timeline->position.part == limit->part && timeline->event.kind != EVENT_SIGNAL;
		bool at_part = timeline->event.kind == EVENT_PART || timeline->event.kind == EVENT_START ||
			       timeline->event.kind == EVENT_END;
		if (at_part)
			way_clear(&scan->arrivals);
		if (at_limit && at_part && limit->steps == 0)
			return true;
		if (timeline->over) {
			move_failed(timeline, STATUS_DIVERGED, NULL, move);
			return false;
		}
		if (timeline->event.kind == EVENT_INTERRUPTED) {
			move_fill(timeline, MOVE_INTERRUPTED, move);
			return false;
		}
		if (timeline->event.kind != EVENT_START)
			note(scan, false, 0);
		if (at_limit && at_part)
			return scan_steps(scan, move);
		run_advance(timeline, GAIT_FREE);
	}
}

/*
 * From where to scan: an image before the limit, NULL for the beginning. What was near has been looked at: each time some more
 * of them are taken at once, since to begin anew costs as much as some dozen transitions.
 */
static const struct keep *scan_from(const struct timeline *timeline, const struct position *limit,
				    size_t images)
{
	size_t part = limit->part;
	if (limit->steps == 0 && part > 0)
		part--;
	const struct keep *from = keep_before(timeline, part);
	while (from && --images > 0 && from > timeline->keeps)
		from--;
	return from;
}

/* To where the signal has arrived, so that going on from there doesn't meet it again. */
static bool go_to_signal(struct timeline *timeline, const struct hit *hit, struct move *move)
{
	if (!go_to_step(timeline, hit->part, hit->steps, move))
		return false;
	if (run_advance(timeline, GAIT_STEP)->kind == EVENT_SIGNAL)
		return true;
	move_failed(timeline, STATUS_DIVERGED, NULL, move);
	return false;
}

/* To the place of the hit: of a watchpoint, before the instruction that has touched it. */
static bool go_to_hit(struct timeline *timeline, const struct hit *hit, struct move *move)
{
	bool watch = hit->event.kind == EVENT_WATCHPOINT;
	if (hit->at_beginning)
		return go_to_part(timeline, hit->part, move);
	if (hit->counted && hit->event.kind == EVENT_SIGNAL)
		return go_to_signal(timeline, hit, move);
	if (hit->counted)
		return go_to_step(timeline, hit->part, hit->steps - watch, move);
	if (!go_to_part(timeline, hit->part, move) || !go_leg(timeline, &hit->leg, move))
		return false;
	if (!watch)
		return true;
	return way_count(timeline, move) &&
	       go_to_step(timeline, hit->part, timeline->position.steps - 1, move);
}

static void arrive(struct timeline *timeline, const struct hit *hit, struct move *move)
{
	static const enum move_end ends[] = {[EVENT_BREAKPOINT] = MOVE_BREAKPOINT,
					     [EVENT_WATCHPOINT] = MOVE_WATCHPOINT,
					     [EVENT_SIGNAL] = MOVE_SIGNAL};
	if (!go_to_hit(timeline, hit, move))
		return;
	move_fill(timeline, ends[hit->event.kind], move);
	move->thread = hit->event.thread;
	move->address = hit->event.address;
	move->signal = hit->event.signal;
}

void timeline_reverse_continue(struct timeline *timeline, struct move *move)
{
	move_begin(timeline);
	if (!way_count(timeline, move))
		return;
	struct scan scan = {.timeline = timeline, .limit = timeline->position};
	for (size_t images = 1; scan.limit.part > 0 || scan.limit.steps > 0; images++) {
		const struct keep *from = scan_from(timeline, &scan.limit, images);
		traps_use(timeline, NULL);
		enum status status = run_start(timeline, from);
		if (status != STATUS_OK) {
			move_failed(timeline, status, "the program can't be started again", move);
			break;
		}
		const struct position begin = timeline->position;
		traps_use(timeline, &timeline->user);
		bool on = scan_on(&scan, move);
		traps_use(timeline, NULL);
		if (on && scan.last.found)
			arrive(timeline, &scan.last, move);
		if (!on || scan.last.found)
			break;
		scan.limit = begin;
	}
	way_release(&scan.arrivals);
	if (scan.limit.part == 0 && scan.limit.steps == 0 && !scan.last.found &&
	    go_to_part(timeline, 0, move))
		move_fill(timeline, MOVE_BEGIN, move);
}

/* The last part before `part` that `thread` has run in and made instructions; 0 if there is none later. */
static bool last_step(struct timeline *timeline, uint32_t thread, size_t part, struct move *move)
{
	while (part-- > 0) {
		uint64_t steps;
		if (part_thread(timeline, part) != thread)
			continue;
		if (!count_steps(timeline, part, &steps, move))
			return false;
		if (steps == STEPS_MOST)
			return go_to_long_part(timeline, part, move);
		if (steps > 0)
			return go_to_step(timeline, part, steps - 1, move);
	}
	if (!go_to_part(timeline, 0, move))
		return false;
	move_fill(timeline, MOVE_BEGIN, move);
	return false;
}

void timeline_reverse_step(struct timeline *timeline, uint32_t thread, struct move *move)
{
	move_begin(timeline);
	if (!way_count(timeline, move))
		return;
	const struct position here = timeline->position;
	bool there;
	if (here.steps > 0 && timeline->event.thread == thread)
		there = go_to_step(timeline, here.part, here.steps - 1, move);
	else
		there = last_step(timeline, thread, here.part, move);
	if (!there)
		return;
	move_fill(timeline, MOVE_DONE, move);
	move->thread = thread;
}
