#ifndef FMC_SUPERVISOR_SEARCH_BOUND_CACHE_H
#define FMC_SUPERVISOR_SEARCH_BOUND_CACHE_H

#include "supervisor/order/model_replay.h"
#include "supervisor/order/visited.h"

/*
 * The states that a bounded search has come to or is going to: order/visited.h, together with what it takes to know
 * the states of a trace and those that lie beside it.
 *
 * A state beside the trace is one that another alternative would have led to. What a transition touches follows
 * from the model, so such a state is known without running the program (model_replay_foresee()). It is entered as
 * soon as a plan is going to lead there, so that no two plans lead to one state. Where the model can't tell, the
 * state has to be come to.
 */
struct bound_cache {
	struct visited visited;
	struct happens_before *happens_before;
	struct model_replay *replay;
	struct footprint footprint;
	uint32_t fair_k;
	const struct trace *trace;
	size_t at;    /* of the trace: the state before this transition is the present one */
	bool rebuilt; /* the rest is known */
	bool follows; /* the model follows the trace: states beside it can be foreseen */
};

/* NULL without memory. */
struct bound_cache *bound_cache_new(uint32_t fair_k, bool delays);
void bound_cache_free(struct bound_cache *states);

/* The present state becomes that before transition `first` of this trace; false without memory. */
bool bound_cache_start(struct bound_cache *states, const struct trace *trace, size_t first);

/*
 * Come to the present state at this cost, where `last` could go on for nothing (NO_THREAD: any thread). *known:
 * nothing new can follow. False without memory.
 */
bool bound_cache_arrive(struct bound_cache *states, uint32_t cost, uint32_t last, bool *known);

/*
 * Enter the state after this step, which is open in the present one, at this cost. *known: nothing new can follow
 * it. *state gets its digest, 0 if it can't be foreseen. False without memory.
 */
bool bound_cache_foresee(struct bound_cache *states, const struct step *step, uint32_t cost,
			 struct trace_hash *state, bool *known);

/* Has a state that was perhaps foreseen, after a step of this thread, been come to since, or needn't it be? */
bool bound_cache_done(const struct bound_cache *states, struct trace_hash state, uint32_t cost,
		      uint32_t thread);

/* Go on to the next state of the trace; false without memory. */
bool bound_cache_advance(struct bound_cache *states);

#endif
