/*
 * The past executed once more: what it is stopped at is noted in order. Where that happens too often for all of it to be
 * looked at, only the last of it is: up to there the program runs freely, and images are kept.
 */
#include "replay/timeline/timeline.h"

#include <string.h>

#define MANY_HITS  2000u /* in one part: the first of them aren't worth the time */
#define IMAGE_HITS 64u	 /* so many between two images */
#define WAITING	   64u

/* What is looked at of a part with too many hits: a stretch at its end, of so much processor time. */
#define STRETCH_NS 60000u
/* What one slice is of a stretch that is still too long. */
#define STRETCH_SLICES 8u
/* So often it need not have become much shorter. */
#define PASSES_IN_VAIN 12u

struct scan {
	struct timeline *timeline;
	struct scanner scanner;
	size_t limit;
	struct hits *hits;
	/* In the present part. */
	uint32_t root;
	uint64_t count; /* after it */
	uint64_t total, next_image;
	/* Instructions that are known to touch what is watched, met since the last hit. */
	bool spies;
	uint64_t arrivals[TOUCHERS], spied;
	/* Images that were passed without looking, the latest last. */
	uint64_t many;
	uint32_t waiting[WAITING];
	size_t waiting_length;
	uint64_t
	    stretch; /* nanoseconds that the thread has used from the latest to the end of the part; 0: unknown */
	bool hurried, patient;
};

void scanner_begin(struct scanner *scanner, struct timeline *timeline, const struct traps *traps)
{
	const struct inside *root =
	    timeline->root ? inside_before(timeline, timeline->position.part, timeline->root, 0) : NULL;
	const uint64_t pc = pilot_visible_pc(timeline, timeline->event.thread);
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
		*hit = (struct event){.kind = EVENT_BREAKPOINT,
				      .thread = thread,
				      .address = pilot_visible_pc(timeline, thread)};
		return true;
	}
	*hit = *run_advance(timeline, MODE_FREE);
	switch (hit->kind) {
	case EVENT_WATCHPOINT:
		scanner->second = traps_has_break(scanner->traps, pilot_visible_pc(timeline, hit->thread));
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
			  .root = scan->root,
			  .count = ++scan->count,
			  .behind = pilot_visible_pc(timeline, event->thread)};
	if (event->kind == EVENT_WATCHPOINT) {
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
	scan->total = scan->spied = 0;
	scan->next_image = IMAGE_HITS;
	scan->waiting_length = 0;
	if (timeline->event.kind == EVENT_START)
		return true;
	hit.event.kind = EVENT_BREAKPOINT;
	hit.event.address = pilot_visible_pc(timeline, hit.event.thread);
	bool there = hit.event.address && traps_has_break(scan->scanner.traps, hit.event.address) &&
		     is_wanted(timeline, &hit.event);
	return !there || hits_add(scan->hits, &hit);
}

static void add_waiting(struct scan *scan)
{
	if (scan->waiting_length == WAITING)
		memmove(scan->waiting, scan->waiting + 1, --scan->waiting_length * sizeof *scan->waiting);
	scan->waiting[scan->waiting_length++] = scan->timeline->root;
}

/* Of the thread that performs the present part. */
static uint64_t used_by(const struct timeline *timeline, uint32_t thread)
{
	struct tracee *tracee = process_tracee(timeline->process, thread);
	return tracee ? tracee_cpu_time(tracee) : 0;
}

/* To the end of the part without looking; false: interrupted. */
static bool run_out(struct scan *scan, bool sliced, struct move *move)
{
	struct timeline *timeline = scan->timeline;
	const size_t part = timeline->position.part;
	const uint32_t thread = timeline->event.thread;
	uint64_t since = used_by(timeline, thread);
	traps_use(timeline, NULL);
	slices_begin(timeline, (unsigned)(scan->stretch / STRETCH_SLICES / 1000));
	while (timeline->position.part == part && !timeline->over) {
		const struct event *event = sliced ? slices_next(timeline) : run_advance(timeline, MODE_FREE);
		if (event->kind == EVENT_INTERRUPTED) {
			move_fill(timeline, MOVE_INTERRUPTED, move);
			return false;
		}
		if (event->kind == EVENT_SLICE && timeline->position.steps_known) {
			add_waiting(scan);
			since = used_by(timeline, thread);
		}
	}
	const uint64_t used = used_by(timeline, thread);
	scan->stretch = used > since ? used - since : 0;
	return true;
}

/* To the latest image that was passed; false: there is none, or *failed and *move says why. */
static bool take_waiting(struct scan *scan, size_t part, bool *failed, struct move *move)
{
	struct timeline *timeline = scan->timeline;
	const struct inside *inside = NULL;
	*failed = false;
	while (scan->waiting_length > 0 && !inside)
		inside = inside_before(timeline, part, scan->waiting[--scan->waiting_length], 0);
	*failed = inside && !inside_go(timeline, inside, move);
	return inside && !*failed;
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

/* What is left isn't short yet, and may become so: some of that time goes into stopping it. */
static bool is_long(const struct scan *scan, uint64_t *best, unsigned *vain)
{
	const bool better = *best == 0 || scan->stretch < *best - *best / 4;
	*vain = better ? 0 : *vain + 1;
	if (better)
		*best = scan->stretch;
	return scan->stretch > STRETCH_NS && *vain < PASSES_IN_VAIN;
}

/* So much is stopped at in this part, the last one, that only its end is looked at. */
static bool look_at_end(struct scan *scan, struct move *move)
{
	struct timeline *timeline = scan->timeline;
	const size_t part = timeline->position.part;
	bool failed = false;
	uint64_t best = 0;
	unsigned vain = 0;
	hits_clear(scan->hits);
	scan->hurried = true;
	scan->many = scan->many < MANY_HITS * 16 ? MANY_HITS * 16 : 2 * scan->many;
	scan->stretch = 0;
	if (inside_here(timeline))
		add_waiting(scan);
	/*
	 * Until what is left is short. How long a slice was tells little of that: on a busy machine the thread goes on while fmc waits for a
	 * processor, and may come to the end.
	 */
	do {
		if (!run_out(scan, true, move))
			return false;
		if (!take_waiting(scan, part, &failed, move))
			return !failed && begin_again(scan, move);
		add_waiting(scan);
	} while (is_long(scan, &best, &vain));
	scan->waiting_length--;
	return look_from_here(scan);
}

/* So much that it is left for when it is the last one. */
static bool leave_out(struct scan *scan, struct move *move)
{
	if (!run_out(scan, false, move))
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

/* At the limit; where the end of a part alone was looked at and nothing found, more of it. */
static bool is_through(struct scan *scan, bool *failed, struct move *move)
{
	*failed = false;
	if (scan->hits->length > 0 || !scan->hurried || scan->patient)
		return true;
	if (take_waiting(scan, scan->limit - 1, failed, move))
		*failed = !look_from_here(scan);
	else if (!*failed)
		*failed = !begin_again(scan, move);
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
		 struct move *move)
{
	struct scan state = {.timeline = timeline,
			     .scanner = {.timeline = timeline, .traps = traps},
			     .limit = part,
			     .hits = &timeline->hits,
			     .spies = traps->watches_length > 0,
			     .many = MANY_HITS};
	return scan(&state, images, move);
}

bool scan_all_before(struct timeline *timeline, const struct traps *traps, size_t part, struct move *move)
{
	struct scan state = {.timeline = timeline,
			     .scanner = {.timeline = timeline, .traps = traps},
			     .limit = part,
			     .hits = &timeline->hits,
			     .spies = traps->watches_length > 0,
			     .patient = true};
	return scan(&state, 1, move);
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
