/* The state of a policy, and which kind of policy chooses. */
#include "supervisor/policy/state.h"

#include <fmc/tracer/assert.h>

size_t policy_bytes(uint32_t threads)
{
	return sizeof(struct policy_state) + (size_t)threads * sizeof(struct policy_thread);
}

struct policy_state *policy_init(void *memory, uint32_t threads, const struct policy *policy)
{
	struct policy_state *state = memory;
	*state = (struct policy_state){
	    .policy = *policy,
	    .random = {policy->seed},
	    .room = threads,
	    .dropped = NO_THREAD,
	    .intended = NO_THREAD,
	};
	if (policy->kind == POLICY_PCT)
		policy_pct_start(state);
	return state;
}

struct policy_state *policy_copy(void *memory, uint32_t threads, const struct policy_state *from)
{
	struct policy_state *state = memory;
	FMC_ASSERT(threads >= from->threads);
	*state = *from;
	state->room = threads;
	for (uint32_t t = 0; t < from->threads; t++)
		state->thread[t] = from->thread[t];
	return state;
}

uint32_t policy_dropped(const struct policy_state *state)
{
	return state->dropped;
}

/* Threads that have been born since. PCT puts them above all priorities that it lowers others to. */
static void admit(struct policy_state *state, const struct policy_view *view)
{
	uint32_t threads = model_threads(view->model), first = state->threads;
	if (threads == first)
		return;
	FMC_ASSERT(threads <= state->room);
	enum policy_kind kind = state->policy.kind;
	for (uint32_t t = first; t < threads; t++) {
		uint64_t priority = 0;
		if (kind == POLICY_PCT || kind == POLICY_POS)
			priority = policy_random_next(&state->random);
		if (kind == POLICY_RECUR)
			priority = UINT64_MAX;
		if (kind == POLICY_PCT)
			priority |= UINT64_C(1) << 63;
		state->thread[t] = (struct policy_thread){.priority = priority};
	}
	state->threads = threads;
	if (state->policy.kind == POLICY_SURW)
		policy_surw_born(state, first);
}

size_t policy_choose(struct policy_state *state, const struct policy_view *view)
{
	FMC_ASSERT(view->count > 0);
	admit(state, view);
	switch (state->policy.kind) {
	case POLICY_RANDOM:
		return policy_random_choose(state, view);
	case POLICY_PCT:
		return policy_pct_choose(state, view);
	case POLICY_POS:
		return policy_pos_choose(state, view);
	case POLICY_SURW:
		return policy_surw_choose(state, view);
	case POLICY_RECUR:
		return policy_recur_choose(state, view);
	case POLICY_DEVIATIONS:
		return policy_deviations_choose(state, view);
	case POLICY_DEFAULT:
		break;
	}
	return policy_default(view->previous, view->alternatives, view->count);
}

void policy_took(struct policy_state *state, const struct policy_view *view, size_t taken)
{
	admit(state, view);
	if (state->policy.kind == POLICY_POS)
		policy_pos_took(state, view, taken);
	else if (state->policy.kind == POLICY_RECUR)
		policy_recur_took(state, view, taken);
	else if (state->policy.kind == POLICY_SURW)
		policy_surw_took(state, view, taken);
	state->thread[view->alternatives[taken].step.thread].steps++;
	state->steps++;
}
