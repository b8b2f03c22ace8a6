#ifndef FMC_REPLAY_MINIMIZE_LINEARIZE_H
#define FMC_REPLAY_MINIMIZE_LINEARIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The same trace, in an order of its transitions that has as few switches between threads as can be had
 * (Jalbert and Sen, A Trace Simplification Technique, FSE 2010: hard in general).
 *
 * The partial order is given by vector clocks: transition i happens after (or is) the first
 * clocks[i * threads + t] transitions of thread t.
 */
struct partial_order {
	size_t length;
	uint32_t threads;
	const uint32_t *thread; /* of each transition, as executed */
	const uint32_t *clocks;
};

/* Partial orders with at most so many states, a set of transitions done and who came last, are solved exactly. */
#define LINEARIZE_STATES 20000

/*
 * order[k] is the transition that comes k-th. *exact: no order has fewer switches; else the longest block that
 * can be had comes next, again and again. False without memory.
 */
bool linearize(const struct partial_order *po, size_t *order, bool *exact);

/* Switches between threads in this order. */
size_t linearize_switches(const struct partial_order *po, const size_t *order);

#endif
