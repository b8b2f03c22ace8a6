/* Picking one alternative of several: by rule or by chance. */
#include "policy.h"

#include <assert.h>

/* One decision of so many considers time-outs and spurious wake-ups beside real progress. */
#define WILD_ODDS 8

static uint64_t random_next(struct policy_random *random)
{
	uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* Uniform below n: the high half of a product, whose bias is below n in 2^64. */
static size_t random_below(struct policy_random *random, size_t n)
{
	return (size_t)((unsigned __int128)random_next(random) * n >> 64);
}

static bool counts(const struct alternative *a, bool wild)
{
	return wild || a->step.choice >= 0;
}

/* True iff alternative i is the first of its thread that counts. */
static bool first_of_thread(const struct alternative *a, size_t i, bool wild)
{
	if (!counts(&a[i], wild))
		return false;
	for (size_t j = i; j > 0 && a[j - 1].step.thread == a[i].step.thread; j--)
		if (counts(&a[j - 1], wild))
			return false;
	return true;
}

/* How many threads have an alternative that counts. */
static size_t count_threads(const struct alternative *a, size_t count, bool wild)
{
	size_t threads = 0;
	for (size_t i = 0; i < count; i++)
		threads += first_of_thread(a, i, wild);
	return threads;
}

/* How many choices that count the thread of alternative i has. */
static size_t count_choices(const struct alternative *a, size_t count, size_t i, bool wild)
{
	size_t choices = 0;
	for (size_t j = 0; j < count; j++)
		choices += a[j].step.thread == a[i].step.thread && counts(&a[j], wild);
	return choices;
}

/* The first alternative of the first thread at or after `previous`, cyclically; count if none counts. */
static size_t next_in_turn(uint32_t previous, const struct alternative *a, size_t count, bool wild)
{
	size_t lowest = count;
	for (size_t i = 0; i < count; i++) {
		if (!counts(&a[i], wild))
			continue;
		if (previous == NO_THREAD || a[i].step.thread >= previous)
			return i;
		if (lowest == count)
			lowest = i;
	}
	return lowest;
}

static size_t choose_default(uint32_t previous, const struct alternative *a, size_t count)
{
	size_t i = next_in_turn(previous, a, count, false);
	return i < count ? i : next_in_turn(previous, a, count, true);
}

static size_t choose_random(struct policy_random *random, const struct alternative *a, size_t count)
{
	bool wild = random_below(random, WILD_ODDS) == 0;
	size_t threads = count_threads(a, count, wild);
	if (threads == 0) {
		wild = true;
		threads = count_threads(a, count, wild);
	}
	size_t thread = random_below(random, threads);
	size_t i = 0;
	while (!first_of_thread(a, i, wild) || thread-- > 0)
		i++;
	size_t choice = random_below(random, count_choices(a, count, i, wild));
	while (!counts(&a[i], wild) || choice-- > 0)
		i++;
	return i;
}

size_t policy_choose(enum policy_kind kind, struct policy_random *random, uint32_t previous,
		     const struct alternative *alternatives, size_t count)
{
	assert(count > 0);
	return kind == POLICY_RANDOM ? choose_random(random, alternatives, count)
				     : choose_default(previous, alternatives, count);
}

static double probability_if(const struct alternative *a, size_t count, size_t taken, bool wild)
{
	if (!counts(&a[taken], wild))
		return 0;
	return 1.0 / ((double)count_threads(a, count, wild) * (double)count_choices(a, count, taken, wild));
}

double policy_probability(const struct alternative *alternatives, size_t count, size_t taken)
{
	assert(taken < count);
	double wild = probability_if(alternatives, count, taken, true);
	if (count_threads(alternatives, count, false) == 0)
		return wild;
	double tame = probability_if(alternatives, count, taken, false);
	return wild / WILD_ODDS + tame * (WILD_ODDS - 1) / WILD_ODDS;
}
