/*
 * Probabilistic concurrency testing: Burckhardt, Kothari, Musuvathi and Nagarakatte, A Randomized Scheduler
 * with Probabilistic Guarantees of Finding Bugs, ASPLOS 2010.
 *
 * Threads have random priorities and the highest one that can run does. Before d - 1 transitions, drawn from
 * the k that executions have, the thread about to run drops below all others. A bug of depth d among n
 * threads is hit with probability at least 1/(n k^(d-1)) (Theorem 9 there).
 */
#include "supervisor/policy/state.h"

#include <fmc/tracer/assert.h>

void policy_pct_start(struct policy_state *state)
{
	FMC_ASSERT(state->policy.changes <= POLICY_CHANGES && state->policy.length > 0);
	for (uint32_t i = 0; i < state->policy.changes; i++)
		state->change[i] = 1 + policy_random_below(&state->random, state->policy.length);
}

size_t policy_pct_choose(struct policy_state *state, const struct policy_view *view)
{
	bool wild = policy_draw_wild(state, view);
	size_t i = policy_highest(state, view, wild);
	state->dropped = NO_THREAD;
	for (uint32_t change = 0; change < state->policy.changes; change++) {
		if (state->change[change] != state->steps + 1)
			continue;
		state->dropped = view->alternatives[i].step.thread;
		state->thread[state->dropped].priority = change;
		i = policy_highest(state, view, wild);
	}
	return policy_draw_choice(state, view, i, wild);
}
