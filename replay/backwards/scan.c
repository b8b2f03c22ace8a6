/*
 * The past executed once more: what it is stopped at is noted in order. Where that happens too often for all of it to be
 * looked at, only the last of it is: up to there the program runs freely, and images are kept.
 */
#include "replay/backwards/scan.h"
#include "replay/backwards/near.h"
#include "replay/backwards/stretch.h"

#include <string.h>

#define MANY_HITS  2000u /* in one part: the first of them aren't worth the time */
#define LEAST_HITS 64u	 /* of them are looked at in any case */
#define IMAGE_HITS 64u	 /* so many between two images */

/* Where the end of a part has too few of them, so many times as much is looked at. */
#define LONGER_LEAST 4u
#define LONGER_MOST  64u
/* So often no image has to be where one is looked for: where they come to be is another place each time. */
#define TRIES 8u

struct scan {
	struct timeline *timeline;
	struct scanner scanner;
	size_t limit;
	struct hits *hits;
	uint64_t
	    after; /* so many of the last part don't count: they are after the place that is gone back from */
	/* In the present part. */
	uint32_t root;
	uint64_t count; /* after it */
	uint64_t total, next_image;
	uint64_t passed; /* in the part before it */
	/* Instructions that are known to touch what is watched, met since the last hit. */
	bool spies;
	uint64_t arrivals[TOUCHERS], spied;
	uint64_t many;
	struct stretch stretch; /* at the end of the last part */
	unsigned tries;		/* to get there, in vain */
	bool hurried, patient;
};

void scanner_begin(struct scanner *scanner, struct timeline *timeline, const struct traps *traps)
{
	const struct inside *root =
	    timeline->root ? inside_before(timeline, timeline->position.part, timeline->root, 0) : NULL;
	const uint64_t pc = visible_place(timeline, timeline->event.thread);
	*scanner = (struct scanner){.timeline = timeline,
				    .traps = traps,
				    .second = root && root->anywhere && traps_has_break(traps, pc)};
}

bool scanner_next(struct scanner *scanner, struct event *hit)
{
	struct timeline *timeline = scanner->timeline;
	const uint32_t thread = timeline->event.thread;
	if (scanner->second) {
		scanner->second = false;
		*hit = (struct event){
		    .kind = EVENT_BREAKPOINT, .thread = thread, .address = visible_place(timeline, thread)};
		return true;
	}
	*hit = *run_advance(timeline, MODE_FREE);
	switch (hit->kind) {
	case EVENT_WATCHPOINT:
		scanner->second = traps_has_break(scanner->traps, visible_place(timeline, hit->thread));
		return true;
	case EVENT_BREAKPOINT:
		return traps_has_break(scanner->traps, hit->address);
	case EVENT_SIGNAL:
		return true;
	default:
		return false;
	}
}

/* What stops it while it is scanned: besides what counts, the instructions before which a watchpoint will be. */
static bool use_traps(struct scan *scan)
{
	struct timeline *timeline = scan->timeline;
	traps_use(timeline, NULL);
	if (!traps_copy(&timeline->scanned, scan->scanner.traps))
		return false;
	for (size_t i = 0; scan->spies && i < timeline->touchers_length; i++)
		if (!traps_add_break(&timeline->scanned, timeline->touchers[i].address))
			return false;
	traps_use(timeline, &timeline->scanned);
	return true;
}

static void note_arrival(struct scan *scan, uint64_t address)
{
	const struct timeline *timeline = scan->timeline;
	for (size_t i = 0; i < timeline->touchers_length; i++)
		scan->arrivals[i] += timeline->touchers[i].address == address;
	/* Where they touch something else most of the time, they are no help. */
	if (++scan->spied <= MANY_HITS + 4 * scan->total)
		return;
	scan->spies = false;
	use_traps(scan);
}

/* Which instruction it was, if that is known. */
static void note_toucher(struct scan *scan, struct hit *hit)
{
	const struct timeline *timeline = scan->timeline;
	for (size_t i = 0; scan->spies && i < timeline->touchers_length; i++)
		if (timeline->touchers[i].behind == hit->behind) {
			hit->by = timeline->touchers[i].address;
			hit->arrivals = scan->arrivals[i];
		}
}

/* From the root where it stands. */
static void begin_root(struct scan *scan)
{
	scan->root = scan->timeline->root;
	scan->count = 0;
	memset(scan->arrivals, 0, sizeof scan->arrivals);
}

/* A breakpoint's condition may say no; it is counted all the same. */
static bool is_wanted(const struct timeline *timeline, const struct event *hit)
{
	return hit->kind != EVENT_BREAKPOINT || traps_stop(timeline, hit->thread, hit->address);
}

static bool note_hit(struct scan *scan, const struct event *event)
{
	struct timeline *timeline = scan->timeline;
	struct hit hit = {.event = *event,
			  .part = timeline->position.part,
			  .at_beginning = event->flushed,
			  .root = scan->root,
			  .count = ++scan->count,
			  .behind = visible_place(timeline, event->thread)};
	if (event->kind == EVENT_WATCHPOINT && !event->flushed) {
		note_toucher(scan, &hit);
		touch_note(timeline, &scan->scanner.traps->watches[event->watch]);
	}
	memset(scan->arrivals, 0, sizeof scan->arrivals);
	if (is_wanted(timeline, event) && !hits_add(scan->hits, &hit))
		return false;
	if (++scan->total < scan->next_image || scan->scanner.second)
		return true;
	scan->next_image = scan->total + (scan->total / 8 > IMAGE_HITS ? scan->total / 8 : IMAGE_HITS);
	if (inside_here(timeline) && timeline->root != scan->root) {
		inside_found(timeline, timeline->root, scan->root, scan->count);
		begin_root(scan);
	}
	return true;
}

/* At the beginning of a part: is there a breakpoint? */
static bool begin_part(struct scan *scan)
{
	struct timeline *timeline = scan->timeline;
	struct hit hit = {.event = timeline->event, .part = timeline->position.part, .at_beginning = true};
	begin_root(scan);
	scan->passed = scan->total;
	scan->total = scan->spied = 0;
	scan->next_image = IMAGE_HITS;
	/* What stands at the limit isn't before it. */
	if (timeline->event.kind == EVENT_START || timeline->position.part == scan->limit)
		return true;
	hit.event.kind = EVENT_BREAKPOINT;
	hit.event.address = visible_place(timeline, hit.event.thread);
	bool there = hit.event.address && traps_has_break(scan->scanner.traps, hit.event.address) &&
		     is_wanted(timeline, &hit.event);
	return !there || hits_add(scan->hits, &hit);
}

/* From an image in the part where it stands. */
static bool look_from_here(struct scan *scan)
{
	const struct traps *traps = scan->scanner.traps;
	begin_root(scan);
	scan->total = scan->spied = 0;
	scan->next_image = IMAGE_HITS;
	scanner_begin(&scan->scanner, scan->timeline, traps);
	return use_traps(scan);
}

static bool begin_again(struct scan *scan, struct move *move);

/*
 * So many at the end of a part are worth looking for. What is passed again when they have been used up is then never more than what has
 * been gone back over.
 */
static uint64_t least_hits(const struct scan *scan)
{
	return 2 * scan->after > LEAST_HITS ? 2 * scan->after : LEAST_HITS;
}

/* In the last part, from where it stands. The whole of it is looked at where no end of it will do: that may be a million hits. */
static bool approach_end(struct scan *scan, struct move *move)
{
	enum approached approached;
	hits_clear(scan->hits);
	while ((approached = stretch_approach(&scan->stretch, scan->timeline, move)) == APPROACHED_NONE) {
		if (scan->stretch.too_short == 0 || scan->tries++ == TRIES)
			return begin_again(scan, move);
		(void)stretch_shorten(&scan->stretch,
				      scan->stretch.least); /* it is tried again in any case */
		if (!go_to_part(scan->timeline, scan->limit - 1, move))
			return false;
	}
	return approached == APPROACHED && look_from_here(scan);
}

/* So much is stopped at in this part, the last one, that only its end is looked at; where that can't be shorter, for longer. */
static bool look_at_end(struct scan *scan, struct move *move)
{
	const bool shorter = scan->hurried && stretch_shorten(&scan->stretch, scan->stretch.length);
	scan->hurried = true;
	scan->spies = false; /* twice as many stops */
	if (!shorter)
		scan->many = 2 * (scan->many > least_hits(scan) ? scan->many : least_hits(scan));
	scan->stretch.length = 0;
	return approach_end(scan, move);
}

/* That was too little: a longer stretch, by how much is missing. */
static bool look_at_more(struct scan *scan, struct move *move)
{
	const uint64_t missing = scan->passed ? 2 * least_hits(scan) / scan->passed : (uint64_t)LONGER_MOST;
	const uint64_t least = missing > LONGER_LEAST ? missing : LONGER_LEAST;
	stretch_lengthen(&scan->stretch, least < LONGER_MOST ? least : LONGER_MOST);
	return go_to_part(scan->timeline, scan->limit - 1, move) && approach_end(scan, move);
}

/* So much that it is left for when it is the last one. */
static bool leave_out(struct scan *scan, struct move *move)
{
	if (!stretch_run_out(&scan->stretch, scan->timeline, false, move))
		return false;
	hits_begin(scan->hits, scan->scanner.traps, scan->timeline->position.part);
	return use_traps(scan);
}

static const struct checkpoint *scan_from(const struct timeline *timeline, size_t part, size_t images)
{
	const struct checkpoint *from = checkpoint_before(timeline, part > 0 ? part - 1 : 0);
	while (from && --images > 0 && from > timeline->checkpoints)
		from--;
	return from;
}

static bool start(struct scan *scan, const struct checkpoint *from, struct move *move)
{
	struct timeline *timeline = scan->timeline;
	traps_use(timeline, NULL);
	enum status status = run_start(timeline, from);
	if (status != STATUS_OK || !use_traps(scan)) {
		move_failed(timeline, status == STATUS_OK ? STATUS_NO_MEMORY : status,
			    "the program can't be started again", move);
		return false;
	}
	hits_begin(scan->hits, scan->scanner.traps, timeline->position.part);
	return begin_part(scan);
}

static bool begin_again(struct scan *scan, struct move *move)
{
	scan->patient = true;
	return start(scan, scan_from(scan->timeline, scan->limit, 1), move);
}

static bool is_boundary(const struct event *event)
{
	return event->kind == EVENT_PART || event->kind == EVENT_START || event->kind == EVENT_END;
}

/* One event on; false: *move says why it can't go on. */
static bool scan_on(struct scan *scan, struct move *move)
{
	struct timeline *timeline = scan->timeline;
	struct event hit;
	if (scanner_next(&scan->scanner, &hit)) {
		if (!note_hit(scan, &hit)) {
			move_failed(timeline, STATUS_NO_MEMORY, "what was passed can't be kept", move);
			return false;
		}
		if (scan->patient || scan->total < scan->many)
			return true;
		return timeline->position.part + 1 == scan->limit ? look_at_end(scan, move)
								  : leave_out(scan, move);
	}
	if (hit.kind == EVENT_INTERRUPTED) {
		move_fill(timeline, MOVE_INTERRUPTED, move);
		return false;
	}
	if (hit.kind == EVENT_BREAKPOINT)
		note_arrival(scan, hit.address);
	return true;
}

/* At the limit; where the end of a part alone was looked at and too little found, more of it. */
static bool is_through(struct scan *scan, bool *failed, struct move *move)
{
	const bool enough = scan->hits->length > scan->after && scan->passed >= least_hits(scan);
	*failed = false;
	if (enough || !scan->hurried || scan->patient)
		return true;
	*failed = !look_at_more(scan, move);
	return false;
}

static bool scan(struct scan *scan, size_t images, struct move *move)
{
	struct timeline *timeline = scan->timeline;
	const size_t part = scan->limit;
	bool failed = !start(scan, scan_from(timeline, part, images), move);
	while (!failed) {
		if (timeline->position.part == part && is_boundary(&timeline->event)) {
			if (is_through(scan, &failed, move))
				break;
		} else if (timeline->over) {
			move_failed(timeline, STATUS_DIVERGED, NULL, move);
			failed = true;
		} else {
			failed = !scan_on(scan, move) || (is_boundary(&timeline->event) && !begin_part(scan));
		}
	}
	traps_use(timeline, NULL);
	return !failed;
}

bool scan_before(struct timeline *timeline, const struct traps *traps, size_t part, size_t images,
		 uint64_t after, struct move *move)
{
	struct scan state = {.timeline = timeline,
			     .scanner = {.timeline = timeline, .traps = traps},
			     .limit = part,
			     .hits = &timeline->hits,
			     .after = after,
			     .spies = traps->watches_length > 0,
			     .many = MANY_HITS};
	stretch_begin(&state.stretch);
	return scan(&state, images, move);
}

bool scan_behind(struct timeline *timeline, struct traps *traps, uint64_t *count, struct move *move)
{
	const size_t part = timeline->position.part;
	struct scanner scanner = {.timeline = timeline, .traps = traps};
	struct event hit;
	traps_use(timeline, traps);
	for (*count = 0; timeline->position.part == part && !timeline->over;) {
		if (scanner_next(&scanner, &hit)) {
			*count += is_wanted(timeline, &hit);
		} else if (hit.kind == EVENT_INTERRUPTED) {
			move_fill(timeline, MOVE_INTERRUPTED, move);
			return false;
		}
	}
	traps_use(timeline, NULL);
	return true;
}
