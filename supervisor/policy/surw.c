/*
 * Selectively uniform random walk: Zhao, Wolff, Mathur and Roychoudhury, Selectively Uniform Concurrency
 * Testing, ASPLOS 2025.
 *
 * Of the operations of one group (those on one object, or all) every order has the same probability, if each
 * thread has as many of them as in the profile: the thread that takes the group's next operation is drawn by
 * how many each has left, a thread that would take one out of turn is held. All else is a random walk.
 *
 * What a thread will do that is not yet born counts for the one that will create it, and at its birth the two
 * draw again which of them is meant: so the order is drawn from those that births allow.
 */
#include "supervisor/policy/state.h"

#include <fmc/tracer/assert.h>

static const struct profile_thread *profile_of(const struct policy_state *state, uint32_t t)
{
	const struct profile *profile = state->policy.profile;
	return profile && t < profile->thread_count ? &profile->threads[t] : NULL;
}

/* Is the operation that t has pending one of the group? */
static bool in_group(const struct policy_state *state, uint32_t t)
{
	const struct profile_thread *thread = profile_of(state, t);
	if (!thread || state->thread[t].steps >= thread->length)
		return false;
	uint32_t group = state->policy.profile->groups[thread->first + state->thread[t].steps];
	return state->policy.group == EVERY_GROUP || state->policy.group == group;
}

static uint64_t count_group(const struct policy_state *state, uint32_t t)
{
	const struct profile_thread *thread = profile_of(state, t);
	if (!thread)
		return 0;
	if (state->policy.group == EVERY_GROUP)
		return thread->length;
	uint64_t count = 0;
	for (size_t i = 0; i < thread->length; i++)
		count += state->policy.profile->groups[thread->first + i] == state->policy.group;
	return count;
}

/* The thread itself if it has been born, else its nearest ancestor that has; NO_THREAD if there is none. */
static uint32_t stand_in(const struct policy_state *state, uint32_t t)
{
	while (t != NO_THREAD && t >= state->threads) {
		uint32_t parent = profile_of(state, t)->parent;
		FMC_ASSERT(parent == NO_THREAD || parent < t);
		t = parent;
	}
	return t;
}

/* Operations of the group left to t; of a thread that isn't born, all. */
static uint64_t left(const struct policy_state *state, uint32_t t)
{
	return t < state->threads ? state->thread[t].left : count_group(state, t);
}

/* The threads among which is drawn. */
struct candidates {
	uint32_t only, first; /* this thread and those from `first` on; all if only is NO_THREAD */
	bool held;	      /* of these those alone that are held */
};

static bool takes_part(const struct policy_state *state, uint32_t t, struct candidates among)
{
	uint32_t who = stand_in(state, t);
	return who != NO_THREAD && (among.only == NO_THREAD || who == among.only || who >= among.first) &&
	       (!among.held || state->thread[who].held);
}

/* Draw the thread that takes the group's next operation, and let go of those that were held. */
static void draw_intended(struct policy_state *state, struct candidates among)
{
	uint32_t known = state->policy.profile ? state->policy.profile->thread_count : 0;
	uint64_t all = 0;
	for (uint32_t t = 0; t < known; t++)
		all += takes_part(state, t, among) ? left(state, t) : 0;
	state->intended = NO_THREAD;
	uint64_t drawn = all ? policy_random_below(&state->random, all) : 0;
	for (uint32_t t = 0; t < known && all; t++) {
		uint64_t weight = takes_part(state, t, among) ? left(state, t) : 0;
		if (drawn < weight) {
			state->intended = stand_in(state, t);
			break;
		}
		drawn -= weight;
	}
	for (uint32_t t = 0; t < state->threads; t++)
		state->thread[t].held = false;
}

void policy_surw_born(struct policy_state *state, uint32_t first)
{
	for (uint32_t t = first; t < state->threads; t++)
		state->thread[t].left = count_group(state, t);
	if (first == 0) {
		draw_intended(state, (struct candidates){.only = NO_THREAD});
		return;
	}
	for (uint32_t t = first; t < state->threads && state->intended != NO_THREAD; t++) {
		const struct profile_thread *thread = profile_of(state, t);
		if (!thread || thread->parent != state->intended)
			continue;
		draw_intended(state, (struct candidates){.only = state->intended, .first = first});
		return;
	}
}

/* A thread to be considered, each that isn't held with the same probability; view->count if all are. */
static size_t draw_free(struct policy_state *state, const struct policy_view *view, bool wild)
{
	const struct alternative *a = view->alternatives;
	uint64_t threads = 0;
	for (size_t i = 0; i < view->count; i++)
		threads += policy_first_of_thread(a, i, wild) && !state->thread[a[i].step.thread].held;
	if (threads == 0)
		return view->count;
	uint64_t drawn = policy_random_below(&state->random, threads);
	for (size_t i = 0; i < view->count; i++)
		if (policy_first_of_thread(a, i, wild) && !state->thread[a[i].step.thread].held &&
		    drawn-- == 0)
			return i;
	return view->count;
}

size_t policy_surw_choose(struct policy_state *state, const struct policy_view *view)
{
	bool wild = policy_draw_wild(state, view);
	for (;;) {
		size_t i = draw_free(state, view, wild);
		if (i == view->count) {
			/* The intended thread waits for one that is held, or the profile was another execution's. */
			draw_intended(state, (struct candidates){.only = NO_THREAD, .held = true});
			continue;
		}
		uint32_t t = view->alternatives[i].step.thread;
		if (!in_group(state, t) || state->intended == NO_THREAD || state->intended == t)
			return policy_draw_choice(state, view, i, wild);
		state->thread[t].held = true;
	}
}

void policy_surw_took(struct policy_state *state, const struct policy_view *view, size_t taken)
{
	uint32_t t = view->alternatives[taken].step.thread;
	if (!in_group(state, t))
		return;
	state->thread[t].left--;
	draw_intended(state, (struct candidates){.only = NO_THREAD});
}
