/* To an image near the end of a part, by running to the end again and again with images that are closer to it. */
#include "replay/backwards/stretch.h"
#include "replay/backwards/near.h"

#include <string.h>

/* How long a stretch is at first. */
#define STRETCH_NS 60000u
/* One that is so many times as long as it has to be isn't too long. */
#define FITS 4u
/* What one slice is of a stretch that is still too long. */
#define SLICES 8u
/* So often it need not have become much shorter. */
#define PASSES_IN_VAIN 6u

void stretch_begin(struct stretch *stretch)
{
	*stretch = (struct stretch){.most = STRETCH_NS};
}

static void aim(struct stretch *stretch, uint64_t least)
{
	stretch->least = least;
	stretch->most = FITS * least;
	if (stretch->too_long > 0 && stretch->most > 2 * stretch->too_long)
		stretch->most = 2 * stretch->too_long;
	stretch->length = stretch->most;
	stretch->waiting_length = 0;
}

/* Between what was too short and what was too long, as many times the one as the other is of it. */
static uint64_t middle(const struct stretch *stretch)
{
	uint64_t times = 2;
	while (times * times <= stretch->too_long / stretch->too_short)
		times++;
	return stretch->too_short * (times - 1) + stretch->too_short / 2;
}

/* How long the same stretch is measured to be differs. */
static bool is_narrow(const struct stretch *stretch)
{
	return stretch->too_long < 2 * stretch->too_short;
}

void stretch_lengthen(struct stretch *stretch, uint64_t times)
{
	stretch->too_short = stretch->length + 1;
	const uint64_t least = times * stretch->too_short;
	if (stretch->too_long > 0 && is_narrow(stretch))
		stretch->too_long = 2 * stretch->too_short;
	aim(stretch, stretch->too_long > 0 && least >= stretch->too_long ? middle(stretch) : least);
}

bool stretch_shorten(struct stretch *stretch, uint64_t too_long)
{
	if (stretch->too_short == 0)
		return false; /* it is as near to the end as an image could be had */
	stretch->too_long = too_long;
	const bool narrow = is_narrow(stretch);
	if (narrow)
		stretch->too_short = too_long / 2 + 1;
	aim(stretch, middle(stretch));
	return !narrow;
}

static uint64_t used_by(const struct timeline *timeline, uint32_t thread)
{
	struct tracee *tracee = process_tracee(timeline->process, thread);
	return tracee ? tracee_cpu_time(tracee) : 0;
}

static uint64_t used_by_all(const struct timeline *timeline)
{
	return target_cpu_time(process_target(timeline->process));
}

static void add_waiting(struct stretch *stretch, const struct timeline *timeline, uint32_t thread)
{
	struct waiting *waiting = stretch->waiting;
	if (stretch->waiting_length == WAITING)
		memmove(waiting, waiting + 1, --stretch->waiting_length * sizeof *waiting);
	waiting[stretch->waiting_length++] = (struct waiting){
	    .root = timeline->root, .pass = stretch->pass, .since = used_by(timeline, thread)};
	stretch->process_since = used_by_all(timeline);
}

/*
 * What the thread had used at the end of the part. It may have exited there, but since the latest image no other has run, nor has an image been
 * made; where the process has gone, there was at most one slice more.
 */
static uint64_t used_at_end(const struct stretch *stretch, const struct timeline *timeline, uint32_t thread)
{
	const uint64_t end = used_by(timeline, thread), all = used_by_all(timeline);
	if (end > 0 || stretch->waiting_length == 0)
		return end;
	const uint64_t since = stretch->waiting[stretch->waiting_length - 1].since;
	return since + (all > stretch->process_since ? all - stretch->process_since
						     : UINT64_C(1000) * timeline->slice_us);
}

static void measure(struct stretch *stretch, uint64_t end)
{
	for (size_t i = 0; i < stretch->waiting_length; i++) {
		struct waiting *at = &stretch->waiting[i];
		if (at->pass == stretch->pass)
			at->length = end > at->since ? end - at->since : 0;
	}
}

bool stretch_run_out(struct stretch *stretch, struct timeline *timeline, bool sliced, struct move *move)
{
	const size_t part = timeline->position.part;
	const uint32_t thread = timeline->event.thread;
	stretch->pass++;
	traps_use(timeline, NULL);
	slices_begin(timeline, (unsigned)(stretch->length / SLICES / 1000));
	if (sliced && inside_here(timeline))
		add_waiting(stretch, timeline, thread);
	while (timeline->position.part == part && !timeline->over) {
		const struct event *event = sliced ? slices_next(timeline) : run_advance(timeline, MODE_FREE);
		if (event->kind == EVENT_INTERRUPTED) {
			move_fill(timeline, MOVE_INTERRUPTED, move);
			return false;
		}
		if (event->kind == EVENT_SLICE && timeline->position.steps_known)
			add_waiting(stretch, timeline, thread);
	}
	measure(stretch, used_at_end(stretch, timeline, thread));
	return true;
}

/* To the latest image that was passed and isn't too near to the end. */
static enum approached take_waiting(struct stretch *stretch, struct timeline *timeline, size_t part,
				    struct move *move)
{
	const struct inside *inside = NULL;
	while (stretch->waiting_length > 0 && !inside) {
		const struct waiting *at = &stretch->waiting[--stretch->waiting_length];
		if (at->length >= stretch->least)
			inside = inside_before(timeline, part, at->root, 0);
		stretch->length = at->length;
	}
	if (!inside)
		return APPROACHED_NONE;
	return inside_go(timeline, inside, move) ? APPROACHED : APPROACHED_BROKEN;
}

/*
 * How long a slice was tells little of how near its end is: on a busy machine the thread goes on while fmc waits for a processor, and may
 * come to the end. What is left may still become shorter then; some of that time goes into stopping it.
 */
static bool is_long(const struct stretch *stretch, uint64_t *best, unsigned *vain)
{
	const bool better = *best == 0 || stretch->length < *best - *best / 4;
	*vain = better ? 0 : *vain + 1;
	if (better)
		*best = stretch->length;
	return stretch->length > stretch->most && *vain < PASSES_IN_VAIN;
}

enum approached stretch_approach(struct stretch *stretch, struct timeline *timeline, struct move *move)
{
	const size_t part = timeline->position.part;
	uint64_t best = 0;
	unsigned vain = 0;
	do {
		if (!stretch_run_out(stretch, timeline, true, move))
			return APPROACHED_BROKEN;
		const enum approached approached = take_waiting(stretch, timeline, part, move);
		if (approached != APPROACHED)
			return approached;
	} while (is_long(stretch, &best, &vain));
	return APPROACHED;
}
