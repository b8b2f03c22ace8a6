#include "supervisor/order/visited.h"

#include <stdlib.h>

#define FIRST_ROOM 1024

void visited_release(struct visited *visited)
{
	free(visited->at);
	*visited = (struct visited){.delays = visited->delays};
}

static bool covers(const struct visited *visited, const struct visit *earlier, uint32_t cost, uint32_t last)
{
	if (visited->delays)
		return earlier->cost <= cost && earlier->last == last;
	return earlier->cost < cost ||
	       (earlier->cost == cost && (earlier->last == NO_THREAD || earlier->last == last));
}

/* Visits of one state follow each other in the order of their slots. */
static size_t first_slot(struct trace_hash state, size_t room)
{
	return (state.low ^ state.high >> 7) & (room - 1);
}

static bool grow(struct visited *visited)
{
	size_t room = visited->room ? 2 * visited->room : FIRST_ROOM;
	struct visit *at = calloc(room, sizeof *at);
	if (!at)
		return false;
	for (size_t i = 0; i < visited->room; i++) {
		if (!visited->at[i].used)
			continue;
		size_t slot = first_slot(visited->at[i].state, room);
		while (at[slot].used)
			slot = (slot + 1) & (room - 1);
		at[slot] = visited->at[i];
	}
	free(visited->at);
	visited->at = at;
	visited->room = room;
	return true;
}

static bool same_state(const struct visit *visit, struct trace_hash state)
{
	return visit->state.low == state.low && visit->state.high == state.high;
}

static bool is_own(const struct visit *visit, uint32_t cost, uint32_t last)
{
	return visit->foreseen && visit->cost == cost && visit->last == last;
}

/*
 * The slot of a visit that covers this one, if possible of one that doesn't just foresee it; or the slot that is free
 * for it. There has to be room.
 */
static size_t find_slot(const struct visited *visited, struct trace_hash state, uint32_t cost, uint32_t last)
{
	size_t slot = first_slot(state, visited->room), own = SIZE_MAX;
	for (; visited->at[slot].used; slot = (slot + 1) & (visited->room - 1)) {
		const struct visit *visit = &visited->at[slot];
		if (!same_state(visit, state) || !covers(visited, visit, cost, last))
			continue;
		if (!is_own(visit, cost, last))
			return slot;
		own = slot;
	}
	return own != SIZE_MAX ? own : slot;
}

static bool enter(struct visited *visited, const struct visit *visit, bool *known)
{
	*known = false;
	if (2 * (visited->count + 1) > visited->room && !grow(visited))
		return false;
	size_t slot = find_slot(visited, visit->state, visit->cost, visit->last);
	struct visit *earlier = &visited->at[slot];
	if (!earlier->used) {
		*earlier = *visit;
		visited->count++;
		return true;
	}
	*known = visit->foreseen || !is_own(earlier, visit->cost, visit->last);
	if (!*known)
		earlier->foreseen = false;
	return true;
}

bool visited_arrive(struct visited *visited, struct trace_hash state, uint32_t cost, uint32_t last,
		    bool *known)
{
	return enter(visited, &(struct visit){state, cost, last, true, false}, known);
}

bool visited_foresee(struct visited *visited, struct trace_hash state, uint32_t cost, uint32_t last,
		     bool *known)
{
	return enter(visited, &(struct visit){state, cost, last, true, true}, known);
}

bool visited_done(const struct visited *visited, struct trace_hash state, uint32_t cost, uint32_t last)
{
	if (visited->room == 0)
		return false;
	const struct visit *visit = &visited->at[find_slot(visited, state, cost, last)];
	return visit->used && !is_own(visit, cost, last);
}

void visited_save(const struct visited *visited, struct saver *saver)
{
	save_number(saver, visited->count);
	for (size_t i = 0; i < visited->room; i++) {
		const struct visit *visit = &visited->at[i];
		if (!visit->used)
			continue;
		save_number(saver, visit->state.low);
		save_number(saver, visit->state.high);
		save_number(saver, visit->cost);
		save_number(saver, visit->last);
		save_number(saver, visit->foreseen);
	}
}

/* Those that another covers are left out if they come after it: they aren't missed. */
bool visited_load(struct visited *visited, struct loader *loader)
{
	for (size_t left = load_count(loader, 5); left > 0; left--) {
		struct visit visit = {.used = true};
		bool known;
		visit.state.low = load_number(loader);
		visit.state.high = load_number(loader);
		visit.cost = (uint32_t)load_most(loader, UINT32_MAX);
		visit.last = (uint32_t)load_most(loader, UINT32_MAX);
		visit.foreseen = load_bool(loader);
		if (loader->failed || !enter(visited, &visit, &known))
			return false;
	}
	return !loader->failed;
}
