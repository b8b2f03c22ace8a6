/*
 * Looking for what comes again. The choice is a function of the state, drawn anew for each seed: whoever comes to a state a second
 * time goes on as it did the first time, and so round and round. Threads that have to keep step for a livelock to last
 * do so for as long as somebody looks, where each round of other random walks is another chance to fall out of step. The fair scheduler still has its say,
 * so what is gone round for ever is fair.
 *
 * A loop that changes the program's memory in each round comes back to no state, and isn't to be gone round for long: the walk is a plain one
 * from POLICY_RECURS transitions on.
 */
#include "supervisor/policy/state.h"

/* Odd: seeds that follow each other draw from generators that have nothing to do with each other. */
#define SPREAD UINT64_C(0xd1342543de82ef95)

size_t policy_recur_choose(struct policy_state *state, const struct policy_view *view)
{
	if (state->steps < POLICY_RECURS)
		state->random.state = state->policy.seed * SPREAD ^ model_digest(view->model);
	return policy_random_choose(state, view);
}
