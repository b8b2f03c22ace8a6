/*
 * Movements backwards: what lies before is executed once more to see where the last stop before here was, then once more up to
 * there; if there was none, the same from earlier on. The stops that were seen serve those who go on backwards.
 */
#include "replay/backwards/near.h"
#include "replay/backwards/scan.h"

/* So many hits before the one that is gone to there are images. */
#define NEAR_HITS  8u
#define HITS_RATIO 16u
#define FAR_HITS   (NEAR_HITS * HITS_RATIO * HITS_RATIO)

/* An instruction and what it touches, for the next time: it is the one after which that was noticed. */
static void learn(struct timeline *timeline, uint32_t thread, uint64_t behind)
{
	const uint64_t pc = visible_place(timeline, thread);
	if (timeline->touchers_length == TOUCHERS || behind <= pc || behind - pc > 15)
		return;
	for (size_t i = 0; i < timeline->touchers_length; i++)
		if (timeline->touchers[i].address == pc)
			return;
	timeline->touchers[timeline->touchers_length++] = (struct toucher){pc, behind};
}

static bool lose(struct timeline *timeline, struct move *move)
{
	if (timeline->event.kind == EVENT_INTERRUPTED)
		move_fill(timeline, MOVE_INTERRUPTED, move);
	else
		move_failed(timeline, STATUS_DIVERGED, "the program doesn't come to the same place again",
			    move);
	return false;
}

/* So many on within the part; *done of them have been. */
static bool pass(struct scanner *scanner, uint64_t count, uint64_t *done)
{
	struct timeline *timeline = scanner->timeline;
	const size_t part = timeline->position.part;
	struct event hit;
	for (*done = 0; *done < count;) {
		if (scanner_next(scanner, &hit))
			++*done;
		else if (hit.kind == EVENT_INTERRUPTED || timeline->position.part != part || timeline->over)
			return false;
	}
	return true;
}

/* Where it stands, so many hits from a root, an image is a root for those that follow. */
static void found_root(struct scanner *scanner, const struct hit *hit, uint64_t from, uint32_t *root)
{
	struct timeline *timeline = scanner->timeline;
	if (scanner->second || !inside_here(timeline) || timeline->root == *root)
		return;
	inside_found(timeline, timeline->root, *root, from);
	hits_change_root(&timeline->hits, hit->part, *root, from, timeline->root);
	*root = timeline->root;
}

/* The same, with images on the way, the nearer the closer: those before it are likely to be asked for next. */
static bool pass_to(struct scanner *scanner, const struct hit *hit, uint64_t count, uint64_t *done)
{
	uint32_t root = hit->root;
	uint64_t base = 0, on;
	*done = 0;
	for (uint64_t gap = FAR_HITS; gap >= NEAR_HITS; gap /= HITS_RATIO) {
		if (count < *done + 2 * gap)
			continue;
		const uint32_t before = root;
		bool there = pass(scanner, count - gap - *done, &on);
		*done += on;
		if (!there)
			return false;
		found_root(scanner, hit, *done - base, &root);
		if (root != before)
			base = *done;
	}
	bool there = pass(scanner, count - *done, &on);
	*done += on;
	return there;
}

/* Where nothing changes any more, each round of a loop is as good as another. */
static bool is_in_loop(struct timeline *timeline, const struct hit *hit)
{
	struct user_regs_struct registers;
	return timeline->event.kind != EVENT_INTERRUPTED && ends_in_loop(timeline, hit->part, &registers);
}

static bool go_to_count(struct timeline *timeline, const struct hit *hit, uint64_t count, struct move *move)
{
	struct scanner scanner;
	uint64_t done;
	for (int again = 0; again < 2; again++) {
		if (!go_to_root(timeline, hit->part, hit->root, move))
			return false;
		traps_use(timeline, &timeline->hits.traps);
		scanner_begin(&scanner, timeline, &timeline->hits.traps);
		if (pass_to(&scanner, hit, count, &done))
			return true;
		traps_use(timeline, NULL);
		if (!is_in_loop(timeline, hit))
			break;
		count = done;
	}
	return lose(timeline, move);
}

/* Before the instruction that has touched what is watched: from the stop before. */
static bool go_before_touch(struct timeline *timeline, const struct hit *hit, struct move *move)
{
	const struct segment segment = {.kind = SEGMENT_BREAK, .count = hit->arrivals, .address = hit->by};
	const struct user_watch *watch = &timeline->hits.traps.watches[hit->event.watch];
	const uint32_t thread = timeline->event.thread;
	enum nearing nearing = NEAR_THERE;
	if (hit->arrivals > 0)
		return go_segment(timeline, &segment, move);
	const enum touch touch = touch_go(timeline, watch, hit->behind, move);
	if (touch == TOUCH_MISSED) {
		if (!go_to_count(timeline, hit, hit->count - 1, move))
			return false;
		nearing = near_next(timeline, move);
	}
	if (nearing == NEAR_NONE)
		return lose(timeline, move);
	if (touch == TOUCH_BROKEN || nearing != NEAR_THERE)
		return false;
	learn(timeline, thread, hit->behind);
	return true;
}

/* To where the signal has arrived, so that going on from there doesn't meet it again. */
static bool go_to_signal(struct timeline *timeline, const struct hit *hit, struct move *move)
{
	if (!go_to_step(timeline, hit->part, hit->steps, move))
		return false;
	return run_advance(timeline, MODE_STEP)->kind == EVENT_SIGNAL || lose(timeline, move);
}

/* To the place of a hit: of a watchpoint, before the instruction that has touched it. */
static bool go_to_hit(struct timeline *timeline, const struct hit *hit, struct move *move)
{
	const bool watch = hit->event.kind == EVENT_WATCHPOINT;
	if (hit->at_beginning)
		return go_to_part(timeline, hit->part, move);
	if (hit->counted && hit->event.kind == EVENT_SIGNAL)
		return go_to_signal(timeline, hit, move);
	if (hit->counted)
		return go_to_step(timeline, hit->part, hit->steps - watch, move);
	const bool there = go_to_count(timeline, hit, hit->count - watch, move) &&
			   (!watch || go_before_touch(timeline, hit, move));
	traps_use(timeline, NULL);
	return there;
}

/* To the i-th of those that are known. */
static void arrive(struct timeline *timeline, size_t i, struct move *move)
{
	static const enum move_end ends[] = {[EVENT_BREAKPOINT] = MOVE_BREAKPOINT,
					     [EVENT_WATCHPOINT] = MOVE_WATCHPOINT,
					     [EVENT_SIGNAL] = MOVE_SIGNAL};
	const struct hit hit = timeline->hits.at[i];
	if (!go_to_hit(timeline, &hit, move))
		return;
	move_fill(timeline, ends[hit.event.kind], move);
	move->thread = hit.event.thread;
	move->address = place_address(hit.event.address);
	move->signal = hit.event.signal;
	timeline->hits.here = timeline->hits.length > i ? i + 1 : 0;
}

static void note_counted(struct timeline *timeline, enum event_kind kind, uint64_t address)
{
	struct hit hit = {.event = timeline->event,
			  .part = timeline->position.part,
			  .counted = true,
			  .steps = timeline->position.steps};
	hit.event.kind = kind;
	hit.event.address = address;
	hits_add(&timeline->hits, &hit);
}

/* A step has been made: was that at a watchpoint or a breakpoint? */
static void note_step(struct timeline *timeline, const struct position *limit)
{
	const struct event *event = &timeline->event;
	const uint64_t pc = visible_place(timeline, event->thread);
	if (event->watch < WATCHES)
		note_counted(timeline, EVENT_WATCHPOINT, timeline->active->watches[event->watch].address);
	else if (timeline->position.steps < limit->steps && traps_has_break(timeline->active, pc) &&
		 traps_stop(timeline, event->thread, pc))
		note_counted(timeline, EVENT_BREAKPOINT, pc);
}

/* The part that ends in a loop, up to the limit within it: how often the loop is run differs. */
static bool scan_steps(struct timeline *timeline, const struct position *limit, struct move *move)
{
	if (!go_to_part(timeline, limit->part, move))
		return false;
	traps_use(timeline, &timeline->hits.traps);
	while (timeline->position.part == limit->part && timeline->position.steps < limit->steps) {
		const struct event *event = run_advance(timeline, MODE_STEP);
		if (event->kind == EVENT_STEP)
			note_step(timeline, limit);
		if (event->kind == EVENT_SIGNAL)
			note_counted(timeline, EVENT_SIGNAL, 0);
		if (event->kind == EVENT_INTERRUPTED ||
		    (event->kind == EVENT_STEP && path_is_enough(timeline))) {
			move_fill(timeline, MOVE_INTERRUPTED, move);
			return false;
		}
	}
	traps_use(timeline, NULL);
	return true;
}

/* Those of the last part from this one on aren't before the present place. */
static void drop_last(struct hits *hits, size_t part, uint64_t count)
{
	while (count > 0 && hits->length > 0 && hits->at[hits->length - 1].part == part) {
		hits->length--;
		count--;
	}
}

/* In the middle of a part: what is stopped at from here to its end isn't before here, all else in it is. */
static bool look_back_within(struct timeline *timeline, struct traps *traps, struct move *move)
{
	const struct position here = timeline->position;
	const bool counted = here.steps_known && timeline->root == 0;
	const uint64_t pc = visible_place(timeline, timeline->event.thread);
	struct user_regs_struct registers;
	uint64_t behind;
	/* A stop at this very place is none before it. */
	const bool stands = timeline->event.kind == EVENT_SIGNAL ||
			    (traps_has_break(traps, pc) && traps_stop(timeline, timeline->event.thread, pc));
	if (!scan_behind(timeline, traps, &behind, move))
		return false;
	if (counted && behind > 0 && ends_in_loop(timeline, here.part, &registers))
		return scan_before(timeline, traps, here.part, 1, 0, move) &&
		       scan_steps(timeline, &here, move);
	if (!scan_before(timeline, traps, here.part + 1, 1, behind + stands, move))
		return false;
	drop_last(&timeline->hits, here.part, behind + stands);
	return true;
}

static bool at_beginning(const struct timeline *timeline)
{
	return timeline->position.steps_known && timeline->position.steps == 0 && timeline->root == 0;
}

/* From the beginning of a part: what is nearest first, and more and more at once. */
static void look_back_from(struct timeline *timeline, struct traps *traps, size_t part, struct move *move)
{
	struct hits *hits = &timeline->hits;
	for (size_t images = 1; part > 0; images++) {
		if (!scan_before(timeline, traps, part, images, 0, move))
			return;
		if (hits->length > 0) {
			arrive(timeline, hits->length - 1, move);
			return;
		}
		part = hits->part;
	}
	if (go_to_part(timeline, 0, move))
		move_fill(timeline, MOVE_BEGIN, move);
}

static void go_back(struct timeline *timeline, struct traps *traps, struct move *move)
{
	struct hits *hits = &timeline->hits;
	size_t part = timeline->position.part;
	const bool known = hits->here > 0 && traps_same(&hits->traps, traps);
	if (known && hits->here > 1) {
		/* What lies after it isn't asked for any more, nor are the images that only this is counted from. */
		hits->length = hits->here - 1;
		arrive(timeline, hits->here - 2, move);
		return;
	}
	if (known && !hits->cut) {
		part = hits->part;
	} else if (!at_beginning(timeline)) {
		if (!look_back_within(timeline, traps, move))
			return;
		if (hits->length > 0) {
			arrive(timeline, hits->length - 1, move);
			return;
		}
		part = hits->part;
	}
	look_back_from(timeline, traps, part, move);
}

void timeline_reverse_continue(struct timeline *timeline, struct move *move)
{
	move_begin(timeline);
	go_back(timeline, &timeline->user, move);
	traps_use(timeline, NULL);
}

/* Does it stand where a thread stores what others don't see yet? */
static bool only_waits(const struct timeline *timeline, const struct move *move)
{
	const struct trace *trace = &timeline->finding.trace;
	const size_t part = timeline->position.part;
	const struct op *op = part > 0 && part <= trace->length ? &trace->at[part - 1].op : NULL;
	return move->end == MOVE_WATCHPOINT && op && op->kind == OP_MEMORY_WRITE && op->flags & OP_BUFFERED &&
	       trace->at[part - 1].choice == CHOICE_DEFAULT;
}

enum status timeline_last_touch(struct timeline *timeline, uint64_t address, size_t size,
				enum timeline_access access, struct move *move)
{
	struct traps traps = {.watches_length = 1};
	traps.watches[0] = (struct user_watch){.address = place_in(timeline->shown, address),
					       .size = (uint8_t)size,
					       .access = access,
					       .everywhere = true};
	if (!watch_is_possible(address, size))
		return STATUS_UNSUPPORTED;
	move_begin(timeline);
	do
		go_back(timeline, &traps, move);
	while (move->end == MOVE_SIGNAL || (access == TIMELINE_WRITE && only_waits(timeline, move)));
	traps_use(timeline, NULL);
	return STATUS_OK;
}

/* The last part before `part` that `thread` has run in and made instructions. True: to before the last of them. */
static bool last_step(struct timeline *timeline, uint32_t thread, size_t part, struct move *move)
{
	struct user_regs_struct registers;
	while (part-- > 0) {
		uint64_t steps = 0;
		if (part_thread(timeline, part) != thread)
			continue;
		if (ends_in_loop(timeline, part, &registers)) {
			if (!count_steps(timeline, part, &steps, move))
				return false;
			if (steps == STEPS_MOST)
				return go_to_long_part(timeline, part, move);
			if (steps > 0)
				return go_to_step(timeline, part, steps - 1, move);
			continue;
		}
		if (!go_to_part(timeline, part, move))
			return false;
		const enum nearing nearing = near_next(timeline, move);
		if (nearing != NEAR_NONE)
			return nearing == NEAR_THERE;
	}
	if (!go_to_part(timeline, 0, move))
		return false;
	move_fill(timeline, MOVE_BEGIN, move);
	return false;
}

void timeline_reverse_step(struct timeline *timeline, uint32_t thread, struct move *move)
{
	move_begin(timeline);
	traps_use(timeline, NULL);
	const size_t part = timeline->position.part;
	enum nearing nearing = NEAR_NONE;
	if (!at_beginning(timeline) && timeline->event.thread == thread)
		nearing = near_before(timeline, move);
	if (nearing == NEAR_NONE && !last_step(timeline, thread, part, move))
		return;
	if (nearing == NEAR_ELSEWHERE)
		return;
	move_fill(timeline, MOVE_DONE, move);
	move->thread = thread;
}
