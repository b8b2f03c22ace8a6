/* POLICY_DEVIATIONS: the default policy but for a list of decisions. */
#include "supervisor/policy/state.h"

#include <fmc/supervisor/deviation.h>
#include <fmc/tracer/assert.h>

static int compare(const struct deviation *a, const struct deviation *b)
{
	if (a->thread != b->thread)
		return a->thread < b->thread ? -1 : 1;
	if (a->steps != b->steps)
		return a->steps < b->steps ? -1 : 1;
	return (int)a->kind - (int)b->kind;
}

int deviation_compare(const void *a, const void *b)
{
	return compare(a, b);
}

static const struct deviation *find(const struct deviation *list, size_t length, uint32_t thread,
				    uint64_t steps, enum deviation_kind kind)
{
	const struct deviation wanted = {.thread = thread, .steps = steps, .kind = kind};
	while (length > 0) {
		size_t middle = length / 2;
		int order = compare(&wanted, &list[middle]);
		if (order == 0)
			return &list[middle];
		if (order > 0) {
			list += middle + 1;
			length -= middle + 1;
		} else {
			length = middle;
		}
	}
	return NULL;
}

/* The first alternative of the thread, one that makes progress if there is one; count if there is none. */
static size_t usual_alternative(const struct alternative *a, size_t count, uint32_t thread)
{
	size_t first = count;
	for (size_t i = 0; i < count; i++) {
		if (a[i].step.thread != thread)
			continue;
		if (a[i].step.choice >= 0)
			return i;
		if (first == count)
			first = i;
	}
	return first;
}

uint32_t deviation_thread(const struct deviation *list, size_t length, uint32_t previous,
			  uint64_t previous_steps, const struct alternative *alternatives, size_t count)
{
	const struct deviation *d = find(list, length, previous, previous_steps, DEVIATION_SWITCH);
	if (d && usual_alternative(alternatives, count, d->to) < count)
		return d->to;
	return alternatives[policy_default(previous, alternatives, count)].step.thread;
}

size_t deviation_alternative(const struct deviation *list, size_t length, uint32_t thread, uint64_t steps,
			     const struct alternative *alternatives, size_t count)
{
	const struct deviation *d = find(list, length, thread, steps, DEVIATION_CHOICE);
	for (size_t i = 0; d && i < count; i++)
		if (alternatives[i].step.thread == thread && alternatives[i].step.choice == d->choice)
			return i;
	size_t usual = usual_alternative(alternatives, count, thread);
	FMC_ASSERT(usual < count);
	return usual;
}

size_t policy_deviations_choose(const struct policy_state *state, const struct policy_view *view)
{
	const struct policy *policy = &state->policy;
	const struct deviation *list = policy->deviations;
	size_t length = policy->deviations_length;
	uint64_t steps = view->previous == NO_THREAD ? 0 : policy_steps(state, view->previous);
	uint32_t thread =
	    deviation_thread(list, length, view->previous, steps, view->alternatives, view->count);
	return deviation_alternative(list, length, thread, policy_steps(state, thread), view->alternatives,
				     view->count);
}
