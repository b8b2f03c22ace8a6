/*
 * Looking for what comes again. The choice is a function of the state, drawn anew for each seed: whoever comes to a state a second
 * time goes on as it did the first time, and so round and round. Threads that have to keep step for a livelock to last
 * do so for as long as somebody looks, where each round of other random walks is another chance to fall out of step. The fair scheduler still
 * has its say, so what is gone round for ever is fair.
 *
 * Half of the seeds draw from all that can go on. The others mostly take the thread that hasn't run for longest, since what keeps step goes
 * round in turn: three threads that try for two locks each are found in a livelock after some 10 executions instead of 75.
 *
 * A loop that changes the program's memory in each round comes back to no state, and isn't to be gone round for long: the walk is a plain one
 * from POLICY_RECURS transitions on.
 */
#include "supervisor/policy/state.h"

/* Odd: seeds that follow each other draw from generators that have nothing to do with each other. */
#define SPREAD UINT64_C(0xd1342543de82ef95)

/* Who goes round in turn leaves one decision of so many to chance. */
#define TURN_ODDS 4

static size_t by_turns(struct policy_state *state, const struct policy_view *view)
{
	if (policy_random_below(&state->random, TURN_ODDS) == 0)
		return policy_random_choose(state, view);
	const bool wild = policy_draw_wild(state, view);
	return policy_draw_choice(state, view, policy_highest(state, view, wild), wild);
}

size_t policy_recur_choose(struct policy_state *state, const struct policy_view *view)
{
	if (state->steps >= POLICY_RECURS)
		return policy_random_choose(state, view);
	state->random.state = state->policy.seed * SPREAD ^ model_digest(view->model);
	return state->policy.seed % 2 ? by_turns(state, view) : policy_random_choose(state, view);
}

/* The later it has run the lower it is. */
void policy_recur_took(struct policy_state *state, const struct policy_view *view, size_t taken)
{
	state->thread[view->alternatives[taken].step.thread].priority = UINT64_MAX - 1 - state->steps;
}
