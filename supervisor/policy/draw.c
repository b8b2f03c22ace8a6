/* Drawing one alternative of several by chance, and the one that is taken without any. */
#include "supervisor/policy/state.h"

#include <fmc/tracer/assert.h>

uint64_t policy_random_next(struct policy_random *random)
{
	uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return z ^ z >> 31;
}

/* The high half of a product, whose bias is below n in 2^64. */
uint64_t policy_random_below(struct policy_random *random, uint64_t n)
{
	return (uint64_t)((unsigned __int128)policy_random_next(random) * n >> 64);
}

uint64_t policy_steps(const struct policy_state *state, uint32_t t)
{
	return t < state->threads ? state->thread[t].steps : 0;
}

bool policy_first_of_thread(const struct alternative *a, size_t i, bool wild)
{
	if (!policy_counts(a, i, wild))
		return false;
	for (size_t j = i; j > 0 && a[j - 1].step.thread == a[i].step.thread; j--)
		if (policy_counts(a, j - 1, wild))
			return false;
	return true;
}

size_t policy_count_threads(const struct alternative *a, size_t count, bool wild)
{
	size_t threads = 0;
	for (size_t i = 0; i < count; i++)
		threads += policy_first_of_thread(a, i, wild);
	return threads;
}

size_t policy_count_choices(const struct alternative *a, size_t count, size_t i, bool wild)
{
	size_t choices = 0;
	for (size_t j = 0; j < count; j++)
		choices += a[j].step.thread == a[i].step.thread && policy_counts(a, j, wild);
	return choices;
}

/* The first alternative of the first thread at or after `previous`, cyclically; count if none counts. */
static size_t next_in_turn(uint32_t previous, const struct alternative *a, size_t count, bool wild)
{
	size_t lowest = count;
	for (size_t i = 0; i < count; i++) {
		/* Where nothing but time-outs is left, they come before spurious wakeups. */
		if (!policy_counts(a, i, wild) || a[i].step.choice == CHOICE_SPURIOUS)
			continue;
		if (previous == NO_THREAD || a[i].step.thread >= previous)
			return i;
		if (lowest == count)
			lowest = i;
	}
	return lowest;
}

size_t policy_default(uint32_t previous, const struct alternative *a, size_t count)
{
	size_t i = next_in_turn(previous, a, count, false);
	return i < count ? i : next_in_turn(previous, a, count, true);
}

bool policy_draw_wild(struct policy_state *state, const struct policy_view *view)
{
	bool wild = policy_random_below(&state->random, POLICY_WILD_ODDS) == 0;
	return wild || policy_count_threads(view->alternatives, view->count, false) == 0;
}

size_t policy_draw_choice(struct policy_state *state, const struct policy_view *view, size_t i, bool wild)
{
	const struct alternative *a = view->alternatives;
	uint64_t choice = policy_random_below(&state->random, policy_count_choices(a, view->count, i, wild));
	while (!policy_counts(a, i, wild) || choice-- > 0)
		i++;
	return i;
}

size_t policy_highest(const struct policy_state *state, const struct policy_view *view, bool wild)
{
	size_t best = view->count;
	for (size_t i = 0; i < view->count; i++) {
		if (!policy_first_of_thread(view->alternatives, i, wild))
			continue;
		uint32_t t = view->alternatives[i].step.thread;
		if (best == view->count ||
		    state->thread[t].priority > state->thread[view->alternatives[best].step.thread].priority)
			best = i;
	}
	FMC_ASSERT(best < view->count);
	return best;
}

/* The same where each is of a thread of its own, by as many numbers. */
static size_t choose_single(struct policy_random *random, size_t count)
{
	policy_random_next(random);
	const size_t i = (size_t)policy_random_below(random, count);
	policy_random_next(random);
	return i;
}

size_t policy_random_choose(struct policy_state *state, const struct policy_view *view)
{
	if (policy_are_single(view->alternatives, view->count))
		return choose_single(&state->random, view->count);
	bool wild = policy_draw_wild(state, view);
	const struct alternative *a = view->alternatives;
	uint64_t thread = policy_random_below(&state->random, policy_count_threads(a, view->count, wild));
	size_t i = 0;
	while (!policy_first_of_thread(a, i, wild) || thread-- > 0)
		i++;
	return policy_draw_choice(state, view, i, wild);
}

/* Ready threads come before those that can only time out, and these before spurious wakeups. */
static uint32_t tier_of(const struct alternative *a, size_t count, uint32_t thread)
{
	uint32_t tier = 2;
	for (size_t i = 0; i < count; i++) {
		if (a[i].step.thread != thread)
			continue;
		if (policy_counts(a, i, false))
			return 0;
		if (a[i].step.choice != CHOICE_SPURIOUS)
			tier = 1;
	}
	return tier;
}

/* x comes before y when one goes round from `previous`. */
static bool earlier_in_turn(uint32_t previous, uint32_t x, uint32_t y)
{
	uint32_t from = previous == NO_THREAD ? 0 : previous;
	return x - from < y - from;
}

uint32_t policy_delays(uint32_t previous, const struct alternative *a, size_t count, size_t i)
{
	uint32_t thread = a[i].step.thread, before = 0;
	uint32_t tier = tier_of(a, count, thread);
	for (size_t j = 0; j < count; j++) {
		uint32_t other = a[j].step.thread;
		if (other == thread || (j > 0 && a[j - 1].step.thread == other))
			continue;
		uint32_t its = tier_of(a, count, other);
		before += its == tier ? earlier_in_turn(previous, other, thread) : its < tier;
	}
	return before;
}
