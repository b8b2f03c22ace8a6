/* Movements forwards. */
#include "replay/timeline/timeline.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

void move_fill(struct timeline *timeline, enum move_end end, struct move *move)
{
	const struct event *event = &timeline->event;
	*move = (struct move){.end = end,
			      .thread = event->thread,
			      .address = place_address(event->address),
			      .signal = event->signal,
			      .status = STATUS_OK};
	snprintf(move->why, sizeof move->why, "%s", timeline->remark);
	timeline->remark[0] = '\0';
}

/* Why the run has not got to where the schedule says that it does. */
static void explain(const struct timeline *timeline, char why[256])
{
	const struct trace *trace = &timeline->trace;
	if (trace->end == END_SIGNAL && trace->end_value == SIGKILL)
		snprintf(why, 256, "the program was killed from outside");
	else if (*trace->message)
		snprintf(why, 256, "transition %zu: %.200s", trace->length + 1, trace->message);
	else
		snprintf(why, 256, "transition %zu: the execution ended otherwise than before: %s",
			 trace->length + 1, end_reason_name(trace->end));
}

void move_failed(struct timeline *timeline, enum status status, const char *why, struct move *move)
{
	move_fill(timeline, MOVE_FAILED, move);
	move->status = status;
	if (why)
		snprintf(move->why, sizeof move->why, "%s: %s", why, status_text(status));
	else
		explain(timeline, move->why);
	/* Fall back to the start of the run. */
	if (run_start(timeline, NULL) == STATUS_OK)
		move->thread = timeline->event.thread;
}

bool is_true_end(const struct timeline *timeline)
{
	const struct trace *trace = &timeline->trace;
	return trace->end == timeline->schedule.end || timeline->bounded;
}

bool move_ends(struct timeline *timeline, const struct event *event, struct move *move)
{
	switch (event->kind) {
	case EVENT_START:
	case EVENT_STEP:
	case EVENT_ENTERED:
	case EVENT_SLICE:
		return false;
	case EVENT_PART: {
		const uint64_t place = visible_place(timeline, event->thread);
		if (!place || !traps_has_break(&timeline->user, place) ||
		    !traps_stop(timeline, event->thread, place))
			return false;
		move_fill(timeline, MOVE_BREAKPOINT, move);
		move->address = place_address(place);
		return true;
	}
	case EVENT_BREAKPOINT:
		if (!traps_stop(timeline, event->thread, event->address))
			return false;
		move_fill(timeline, MOVE_BREAKPOINT, move);
		return true;
	case EVENT_WATCHPOINT:
		move_fill(timeline, MOVE_WATCHPOINT, move);
		return true;
	case EVENT_SIGNAL:
		move_fill(timeline, MOVE_SIGNAL, move);
		return true;
	case EVENT_INTERRUPTED:
		move_fill(timeline, MOVE_INTERRUPTED, move);
		return true;
	case EVENT_END:
		if (is_true_end(timeline))
			move_fill(timeline, MOVE_END, move);
		else
			move_failed(timeline, STATUS_DIVERGED, NULL, move);
		return true;
	}
	return true;
}

void move_begin(struct timeline *timeline)
{
	timeline->interrupted = false;
	timeline_drop_changes(timeline);
	(void)timeline_show(timeline,
			    timeline_memory_of(timeline, timeline->event.thread)); /* or it is over */
}

/* There is a run to go on with. False: *move says why not. */
static bool ready(struct timeline *timeline, struct move *move)
{
	move_begin(timeline);
	if (timeline->run)
		return true;
	return go_to_part(timeline, timeline->position.part, move);
}

void timeline_continue(struct timeline *timeline, struct move *move)
{
	if (!ready(timeline, move))
		return;
	traps_use(timeline, &timeline->user);
	do {
		if (timeline->over) {
			move_fill(timeline, MOVE_END, move);
			return;
		}
		run_advance(timeline, MODE_FREE);
		checkpoint_maybe(timeline);
	} while (!move_ends(timeline, &timeline->event, move));
}

/* Is `thread` the one that runs now, or next? */
static bool is_its_turn(const struct timeline *timeline, uint32_t thread)
{
	return timeline->event.thread == thread;
}

/* `thread` has made a step: is it where it was to go? */
static bool step_ends(struct timeline *timeline, uint64_t low, uint64_t high, struct move *move)
{
	const struct event *event = &timeline->event;
	uint64_t pc = visible_pc(timeline, event->thread);
	if (event->watch < WATCHES) {
		move_fill(timeline, MOVE_WATCHPOINT, move);
		move->address = place_address(timeline->active->watches[event->watch].address);
	} else if (traps_has_break(&timeline->user, place_of(timeline, event->thread, pc))) {
		move_fill(timeline, MOVE_BREAKPOINT, move);
		move->address = pc;
	} else if (run_is_interrupted(timeline)) {
		move_fill(timeline, MOVE_INTERRUPTED, move);
	} else if (pc < low || pc >= high) {
		move_fill(timeline, MOVE_DONE, move);
	} else {
		return false;
	}
	return true;
}

void timeline_step(struct timeline *timeline, uint32_t thread, uint64_t low, uint64_t high, struct move *move)
{
	if (!ready(timeline, move))
		return;
	traps_use(timeline, &timeline->user);
	for (;;) {
		if (timeline->over) {
			move_fill(timeline, MOVE_END, move);
			return;
		}
		const struct event *event =
		    run_advance(timeline, is_its_turn(timeline, thread) ? MODE_STEP : MODE_FREE);
		checkpoint_maybe(timeline);
		if (event->kind == EVENT_STEP ? step_ends(timeline, low, high, move)
					      : move_ends(timeline, event, move))
			return;
	}
}

void timeline_goto(struct timeline *timeline, size_t part, struct move *move)
{
	move_begin(timeline);
	if (part > timeline_length(timeline) + 1)
		part = timeline_length(timeline) + 1;
	if (!go_to_part(timeline, part, move))
		return;
	move_fill(timeline, timeline->over ? MOVE_END : part == 0 ? MOVE_BEGIN : MOVE_DONE, move);
}
