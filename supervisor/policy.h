#ifndef FMC_SUPERVISOR_POLICY_H
#define FMC_SUPERVISOR_POLICY_H

#include <fmc/trace.h>

/*
 * How an execution goes on where its plan says nothing: pick one of the alternatives. Pure.
 *
 * Alternatives come in ascending order of threads, the choices of one thread in the model's order. A thread
 * is ready iff one of its choices is neither a time-out nor a spurious wake-up, that is, not negative.
 */

/* State of a generator (splitmix64, Steele, Lea and Flood, OOPSLA 2014): any seed is as good as any other. */
struct policy_random {
	uint64_t state;
};

/*
 * The index of the one to take. `previous` is the thread that ran last, NO_THREAD at the start.
 *
 * POLICY_DEFAULT: the previous thread if it is ready, else the next ready one in the cyclic order of the
 * numbers, else the same among those that can only time out; of a thread its first choice. POLICY_RANDOM: a
 * ready thread, each with the same probability, then one of its choices that make progress, each with the
 * same probability; in one of eight decisions, and where nothing else is left, from everything.
 */
size_t policy_choose(enum policy_kind kind, struct policy_random *random, uint32_t previous,
		     const struct alternative *alternatives, size_t count);

/* The probability with which POLICY_RANDOM takes alternative `taken`. */
double policy_probability(const struct alternative *alternatives, size_t count, size_t taken);

#endif
