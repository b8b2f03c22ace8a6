#include "visited.h"

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

/* The slot of a visit that covers this one, or the one that is free for it; there has to be room. */
static size_t find_slot(const struct visited *visited, struct trace_hash state, uint32_t cost, uint32_t last)
{
	size_t slot = first_slot(state, visited->room);
	for (; visited->at[slot].used; slot = (slot + 1) & (visited->room - 1))
		if (same_state(&visited->at[slot], state) && covers(visited, &visited->at[slot], cost, last))
			break;
	return slot;
}

bool visited_enter(struct visited *visited, struct trace_hash state, uint32_t cost, uint32_t last,
		   bool *known)
{
	*known = false;
	if (2 * (visited->count + 1) > visited->room && !grow(visited))
		return false;
	size_t slot = find_slot(visited, state, cost, last);
	*known = visited->at[slot].used;
	if (*known)
		return true;
	visited->at[slot] = (struct visit){state, cost, last, true};
	visited->count++;
	return true;
}

bool visited_otherwise(const struct visited *visited, struct trace_hash state, uint32_t cost, uint32_t last)
{
	if (visited->room == 0)
		return false;
	size_t slot = first_slot(state, visited->room);
	for (; visited->at[slot].used; slot = (slot + 1) & (visited->room - 1)) {
		const struct visit *earlier = &visited->at[slot];
		bool own = earlier->cost == cost && earlier->last == last;
		if (!own && same_state(earlier, state) && covers(visited, earlier, cost, last))
			return true;
	}
	return false;
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
	}
}

/*
 * Visits that others cover are saved like those; left out in loading if they come behind them, they are not
 * missed.
 */
bool visited_load(struct visited *visited, struct loader *loader)
{
	for (size_t left = load_count(loader, 4); left > 0; left--) {
		uint64_t low = load_number(loader), high = load_number(loader);
		uint32_t cost = (uint32_t)load_most(loader, UINT32_MAX);
		uint32_t last = (uint32_t)load_most(loader, UINT32_MAX);
		bool known;
		if (loader->failed ||
		    !visited_enter(visited, (struct trace_hash){low, high}, cost, last, &known))
			return false;
	}
	return !loader->failed;
}
