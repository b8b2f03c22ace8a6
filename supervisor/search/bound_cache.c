#include "supervisor/search/bound_cache.h"

#include <stdlib.h>

struct bound_cache *bound_cache_new(uint32_t fair_k, bool delays)
{
	struct bound_cache *s = calloc(1, sizeof *s);
	if (!s)
		return NULL;
	s->fair_k = fair_k;
	s->visited.delays = delays;
	s->happens_before = happens_before_new();
	s->replay = model_replay_new();
	if (s->happens_before && s->replay)
		return s;
	bound_cache_free(s);
	return NULL;
}

void bound_cache_free(struct bound_cache *s)
{
	if (!s)
		return;
	visited_release(&s->visited);
	happens_before_free(s->happens_before);
	model_replay_free(s->replay);
	footprint_release(&s->footprint);
	free(s);
}

bool bound_cache_start(struct bound_cache *s, const struct trace *trace, size_t first)
{
	if (!happens_before_start(s->happens_before, trace, s->fair_k != 0))
		return false;
	for (s->at = 0; s->at < first; s->at++)
		if (!happens_before_push(s->happens_before))
			return false;
	s->trace = trace;
	s->rebuilt = s->follows = false;
	return true;
}

bool bound_cache_arrive(struct bound_cache *s, uint32_t cost, uint32_t last, bool *known)
{
	struct trace_hash state = happens_before_hash(s->happens_before, s->at);
	return visited_arrive(&s->visited, state, cost, last, known);
}

/* Bring the model to the present state, where that is wanted first; false: it can't be. */
static bool follows(struct bound_cache *s)
{
	if (!s->rebuilt) {
		s->rebuilt = true;
		s->follows = model_replay_start(s->replay, s->trace, s->fair_k);
		if (s->follows)
			model_replay_goto(s->replay, s->at);
	}
	return s->follows;
}

bool bound_cache_foresee(struct bound_cache *s, const struct step *step, uint32_t cost,
			 struct trace_hash *state, bool *known)
{
	*known = false;
	*state = (struct trace_hash){0, 0};
	if (!follows(s) || !model_replay_foresee(s->replay, step, &s->footprint))
		return true;
	enum op_kind kind = model_pending(model_replay_model(s->replay), step->thread)->kind;
	struct accesses accesses = {s->footprint.at, s->footprint.length};
	*state = happens_before_ahead(s->happens_before, step->thread, kind, step->choice, accesses);
	/*
	 * Can the thread go on after the step for nothing, or can any? Of the two the first leaves out less; and one that
	 * else comes to the state will find that the second holds, if it does.
	 */
	return visited_foresee(&s->visited, *state, cost, step->thread, known);
}

bool bound_cache_done(const struct bound_cache *s, struct trace_hash state, uint32_t cost, uint32_t thread)
{
	bool foreseen = state.low != 0 || state.high != 0; /* only before all transitions are both 0 */
	return foreseen && visited_done(&s->visited, state, cost, thread);
}

bool bound_cache_advance(struct bound_cache *s)
{
	if (!happens_before_push(s->happens_before))
		return false;
	s->follows = s->follows && model_replay_step(s->replay, s->at);
	s->at++;
	return true;
}
