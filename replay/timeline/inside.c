/*
 * Images in the middle of parts. How the transition is performed up to there, a run repeats each time; only the way between
 * two stops that concern the process is left out, which is where programs compute.
 */
#include "replay/timeline/mark.h"

#include <string.h>

#define INSIDE_BYTES (UINT64_C(1) << 30)

static size_t most(const struct timeline *timeline)
{
	const size_t images = timeline->options.images;
	return images && images < INSIDES ? images : INSIDES;
}

static uint64_t bytes(const struct timeline *timeline)
{
	uint64_t sum = 0;
	for (size_t i = 0; i < timeline->insides_length; i++)
		sum += timeline->insides[i].bytes;
	return sum;
}

/* Is some mark counted from this root? */
static bool marks_use(const struct timeline *timeline, uint32_t root)
{
	for (const struct timeline_mark *mark = timeline->marks; mark; mark = mark->next)
		if (mark->spot.root == root)
			return true;
	return false;
}

/* What was come to from this one, without counting, can only be come to again by it. */
static bool is_needed(const struct timeline *timeline, const struct inside *inside)
{
	return inside->root != 0 && inside->steps == 0 &&
	       (inside->root == timeline->root || marks_use(timeline, inside->root));
}

/* Hits are counted from this one. */
static bool serves_hits(const struct timeline *timeline, const struct inside *inside)
{
	return inside->root != 0 && inside->steps == 0 && hits_uses(&timeline->hits, inside->root);
}

void inside_found(struct timeline *timeline, uint32_t root, uint32_t from, uint64_t hits)
{
	for (size_t i = 0; i < timeline->insides_length; i++) {
		struct inside *inside = &timeline->insides[i];
		if (inside->root != root || inside->steps > 0 || inside->based)
			continue;
		inside->based = true;
		inside->base = from;
		inside->base_hits = hits;
	}
}

/* What was counted from it is counted from its base, where that is known; else hits have to be looked for again. */
static void rebase(struct timeline *timeline, const struct inside *gone)
{
	for (size_t i = 0; i < timeline->insides_length; i++) {
		struct inside *inside = &timeline->insides[i];
		if (!inside->based || inside->base != gone->root)
			continue;
		inside->based = gone->based;
		inside->base = gone->base;
		inside->base_hits += gone->base_hits;
	}
	if (gone->based)
		hits_rebase(&timeline->hits, gone->part, gone->root, gone->base, gone->base_hits);
	else if (hits_uses(&timeline->hits, gone->root))
		hits_clear(&timeline->hits);
}

static void remove_at(struct timeline *timeline, size_t i)
{
	const struct inside gone = timeline->insides[i];
	process_midway_free(gone.process);
	timeline->insides[i] = timeline->insides[--timeline->insides_length];
	if (gone.root != 0 && gone.steps == 0)
		rebase(timeline, &gone);
}

/* Which are kept although room is needed, besides those that places hang on. */
enum spared {
	SPARED_HITS,  /* what hits are counted from, */
	SPARED_ROOTS, /* what they can't be counted from another one instead of, */
	SPARED_NONE,
};

/* The one that served longest ago, of those that nothing hangs on; INSIDES: there is none. */
static size_t oldest(const struct timeline *timeline, enum spared spared)
{
	size_t found = INSIDES;
	for (size_t i = 0; i < timeline->insides_length; i++) {
		const struct inside *inside = &timeline->insides[i];
		const bool spare = spared == SPARED_HITS || (spared == SPARED_ROOTS && !inside->based);
		if (is_needed(timeline, inside) || (spare && serves_hits(timeline, inside)))
			continue;
		if (found == INSIDES || inside->used < timeline->insides[found].used)
			found = i;
	}
	return found;
}

static void make_room(struct timeline *timeline)
{
	const uint64_t limit = timeline->options.image_bytes ? timeline->options.image_bytes : INSIDE_BYTES;
	while (timeline->insides_length >= most(timeline) || bytes(timeline) > limit) {
		size_t least = INSIDES;
		for (int spared = SPARED_HITS; spared <= SPARED_NONE && least == INSIDES; spared++)
			least = oldest(timeline, (enum spared)spared);
		if (least == INSIDES)
			return;
		remove_at(timeline, least);
	}
}

void inside_drop(struct timeline *timeline, size_t part)
{
	for (size_t i = timeline->insides_length; i-- > 0;)
		if (timeline->insides[i].part >= part)
			remove_at(timeline, i);
}

static struct inside *find(struct timeline *timeline, const struct inside *like)
{
	for (size_t i = 0; i < timeline->insides_length; i++) {
		struct inside *inside = &timeline->insides[i];
		if (inside->part == like->part && inside->root == like->root && inside->steps == like->steps)
			return inside;
	}
	return NULL;
}

/* Instructions are counted from here on. */
static void become_root(struct timeline *timeline)
{
	timeline->root = timeline->roots;
	timeline->position.steps = 0;
	timeline->position.steps_known = true;
	path_clear(&timeline->path);
}

bool inside_here(struct timeline *timeline)
{
	struct inside here = {.part = timeline->position.part,
			      .root = timeline->root,
			      .steps = timeline->position.steps,
			      .given = timeline->given,
			      .anywhere = timeline->event.kind == EVENT_SLICE ||
					  timeline->event.kind == EVENT_INTERRUPTED,
			      .used = ++timeline->clock};
	const bool counted = timeline->position.steps_known;
	if (!timeline->midway)
		return false;
	struct inside *known = counted ? find(timeline, &here) : NULL;
	if (known) {
		known->used = here.used;
		return true;
	}
	make_room(timeline);
	if (timeline->insides_length == INSIDES ||
	    process_save_midway(timeline->process, timeline->output_before, &here.process) != STATUS_OK)
		return false;
	here.bytes = process_midway_bytes(here.process);
	timeline->effort.copies++;
	if (!counted) {
		here.root = ++timeline->roots;
		here.steps = 0;
		become_root(timeline);
	}
	timeline->insides[timeline->insides_length++] = here;
	return true;
}

const struct inside *inside_before(const struct timeline *timeline, size_t part, uint32_t root,
				   uint64_t steps)
{
	const struct inside *best = NULL;
	for (size_t i = 0; i < timeline->insides_length; i++) {
		const struct inside *inside = &timeline->insides[i];
		if (inside->part == part && inside->root == root && inside->steps <= steps &&
		    (!best || inside->steps > best->steps))
			best = inside;
	}
	return best;
}

/* Is it to come by here? The program hasn't run past, as far as the process knows. */
static bool is_on_way(const struct timeline *timeline, const struct inside *inside)
{
	return timeline->run && !timeline->over && timeline->position.part == inside->part &&
	       timeline->given <= inside->given;
}

bool inside_go(struct timeline *timeline, const struct inside *inside, struct move *move)
{
	const size_t part = inside->part;
	const uint32_t root = inside->root;
	const uint64_t steps = inside->steps;
	const struct inside *kept = find(timeline, inside);
	if (!is_on_way(timeline, inside) && !go_to_part(timeline, part, move))
		return false;
	traps_use(timeline, NULL);
	checkpoint_here(timeline);
	timeline->enter = kept;
	if (kept)
		timeline->insides[kept - timeline->insides].used = ++timeline->clock;
	while (kept && timeline->event.kind != EVENT_ENTERED && !timeline->over &&
	       timeline->position.part == part && timeline->event.kind != EVENT_INTERRUPTED)
		run_advance(timeline, MODE_FREE);
	const bool there = timeline->event.kind == EVENT_ENTERED;
	timeline->enter = NULL;
	if (there) {
		timeline->root = root;
		timeline->position.steps = steps;
		return true;
	}
	inside_drop(timeline, part);
	if (timeline->event.kind == EVENT_INTERRUPTED)
		move_fill(timeline, MOVE_INTERRUPTED, move);
	else
		move_failed(timeline, STATUS_DIVERGED, NULL, move);
	return false;
}
