/*
 * The order of a trace with the fewest switches.
 *
 * Only maximal blocks need be looked at, those in which a thread runs as far as the partial order lets it:
 * moving a thread's transition forward into its earlier block, where it was possible already, takes nothing
 * from the others and adds no switch. So a state is how far each thread has come, every block costs one
 * switch, and the search is breadth first.
 */
#include "replay/minimize/linearize.h"

#include <fmc/tracer/assert.h>

#include <stdlib.h>
#include <string.h>

struct blocks {
	const struct partial_order *po;
	uint32_t *counts; /* transitions of each thread */
	size_t *first;	  /* of each thread's, into events */
	size_t *events;
	uint32_t *position; /* of each thread: workspace */
};

/* States met, breadth first: how far each thread has come, and by which block of which state. */
struct frontier {
	uint32_t *positions;
	uint32_t *parent;
	uint32_t *by; /* the thread of the block; `threads` for the first state */
	uint32_t length;
	uint32_t *slots; /* of a hash table: state + 1 */
};

#define SLOTS (4 * LINEARIZE_STATES)
_Static_assert(SLOTS > 2 * LINEARIZE_STATES, "the table stays half empty");

static bool blocks_init(struct blocks *b, const struct partial_order *po)
{
	uint32_t threads = po->threads;
	*b = (struct blocks){po, calloc(threads + 1, sizeof *b->counts),
			     calloc(threads + 1, sizeof *b->first), calloc(po->length + 1, sizeof *b->events),
			     calloc(threads + 1, sizeof *b->position)};
	if (!b->counts || !b->first || !b->events || !b->position)
		return false;
	for (size_t i = 0; i < po->length; i++)
		b->counts[po->thread[i]]++;
	for (uint32_t t = 1; t < threads; t++)
		b->first[t] = b->first[t - 1] + b->counts[t - 1];
	memset(b->counts, 0, threads * sizeof *b->counts);
	for (size_t i = 0; i < po->length; i++) {
		uint32_t t = po->thread[i];
		b->events[b->first[t] + b->counts[t]++] = i;
	}
	return true;
}

static void blocks_release(struct blocks *b)
{
	free(b->counts);
	free(b->first);
	free(b->events);
	free(b->position);
}

/* Has all that must come before thread t's next transition been done? */
static bool possible(const struct blocks *b, const uint32_t *position, uint32_t t)
{
	if (position[t] == b->counts[t])
		return false;
	const uint32_t *clock = b->po->clocks + b->events[b->first[t] + position[t]] * b->po->threads;
	for (uint32_t u = 0; u < b->po->threads; u++)
		if (u != t && clock[u] > position[u])
			return false;
	return true;
}

/* Run thread t as far as it can; how far that is. */
static uint32_t run_block(const struct blocks *b, uint32_t *position, uint32_t t)
{
	uint32_t begin = position[t];
	while (possible(b, position, t))
		position[t]++;
	return position[t] - begin;
}

static bool finished(const struct blocks *b, const uint32_t *position)
{
	return memcmp(position, b->counts, b->po->threads * sizeof *position) == 0;
}

static void greedy(const struct blocks *b, size_t *order)
{
	uint32_t threads = b->po->threads, last = 0;
	memset(b->position, 0, threads * sizeof *b->position);
	for (size_t k = 0; k < b->po->length;) {
		uint32_t best = threads, longest = 0;
		for (uint32_t i = 0; i < threads; i++) {
			uint32_t t = (last + i) % threads, begin = b->position[t];
			uint32_t length = run_block(b, b->position, t);
			b->position[t] = begin;
			if (length > longest) {
				longest = length;
				best = t;
			}
		}
		FMC_ASSERT(best < threads);
		for (uint32_t i = 0; i < longest; i++)
			order[k++] = b->events[b->first[best] + b->position[best]++];
		last = best;
	}
}

static bool frontier_init(struct frontier *f, uint32_t threads)
{
	*f = (struct frontier){calloc((size_t)LINEARIZE_STATES * threads + 1, sizeof *f->positions),
			       calloc(LINEARIZE_STATES, sizeof *f->parent),
			       calloc(LINEARIZE_STATES, sizeof *f->by), 0, calloc(SLOTS, sizeof *f->slots)};
	return f->positions && f->parent && f->by && f->slots;
}

static void frontier_release(struct frontier *f)
{
	free(f->positions);
	free(f->parent);
	free(f->by);
	free(f->slots);
}

/* Add a state unless it is there; false if it is new and there is no room. */
static bool frontier_add(struct frontier *f, const uint32_t *position, uint32_t threads, uint32_t parent,
			 uint32_t by)
{
	uint64_t hash = 0;
	size_t bytes = threads * sizeof *position;
	for (uint32_t t = 0; t < threads; t++)
		hash = (hash ^ position[t]) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
	size_t slot = (hash ^ hash >> 32) % SLOTS;
	for (; f->slots[slot]; slot = (slot + 1) % SLOTS)
		if (memcmp(f->positions + (size_t)(f->slots[slot] - 1) * threads, position, bytes) == 0)
			return true;
	if (f->length == LINEARIZE_STATES)
		return false;
	memcpy(f->positions + (size_t)f->length * threads, position, bytes);
	f->parent[f->length] = parent;
	f->by[f->length] = by;
	f->slots[slot] = ++f->length;
	return true;
}

/* The order that led to a state, from its end. */
static void unwind(const struct blocks *b, const struct frontier *f, uint32_t state, size_t *order)
{
	uint32_t threads = b->po->threads;
	size_t k = b->po->length;
	while (f->by[state] < threads) {
		uint32_t t = f->by[state], parent = f->parent[state];
		uint32_t end = f->positions[(size_t)state * threads + t];
		uint32_t begin = f->positions[(size_t)parent * threads + t];
		while (end-- > begin)
			order[--k] = b->events[b->first[t] + end];
		state = parent;
	}
	FMC_ASSERT(k == 0);
}

/* Breadth first; false if there are too many states. */
static bool search(const struct blocks *b, struct frontier *f, size_t *order)
{
	uint32_t threads = b->po->threads;
	memset(b->position, 0, threads * sizeof *b->position);
	if (!frontier_add(f, b->position, threads, 0, threads))
		return false;
	for (uint32_t state = 0; state < f->length; state++) {
		const uint32_t *position = f->positions + (size_t)state * threads;
		if (finished(b, position)) {
			unwind(b, f, state, order);
			return true;
		}
		/* In the default policy's order, so that of equals the one with fewer deviations is met first. */
		uint32_t last = f->by[state] < threads ? f->by[state] : 0;
		for (uint32_t i = 0; i < threads; i++) {
			uint32_t t = (last + i) % threads;
			memcpy(b->position, position, threads * sizeof *position);
			if (run_block(b, b->position, t) > 0 &&
			    !frontier_add(f, b->position, threads, state, t))
				return false;
		}
	}
	return false;
}

bool linearize(const struct partial_order *po, size_t *order, bool *exact)
{
	struct blocks b;
	struct frontier f = {0};
	bool ok = blocks_init(&b, po) && frontier_init(&f, po->threads);
	*exact = ok && search(&b, &f, order);
	if (ok && !*exact)
		greedy(&b, order);
	frontier_release(&f);
	blocks_release(&b);
	return ok;
}

size_t linearize_switches(const struct partial_order *po, const size_t *order)
{
	size_t switches = 0;
	for (size_t k = 1; k < po->length; k++)
		switches += po->thread[order[k]] != po->thread[order[k - 1]];
	return switches;
}
