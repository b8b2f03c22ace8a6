/* What each transition touched, into the trace; and which members of the plan's sleep set it wakes. */
#include "supervisor/execution/state.h"

#include <fmc/supervisor/fair_footprint.h>

#include <stdlib.h>

/* Does the transition of t end it, or find that all others have ended before? Then the process ends next. */
static bool counts_ends(const struct execution *x, uint32_t t, const struct outcome *outcome)
{
	const struct model *model = x->block.model;
	if (!x->plan->policy.ends_count || outcome->kind == OUTCOME_EXITED)
		return x->plan->policy.ends_count;
	if (outcome->kind != OUTCOME_PENDING || outcome->next.kind != OP_PROCESS_EXIT)
		return false;
	for (uint32_t u = 0; u < model_threads(model); u++)
		if (u != t && !model_exited(model, u))
			return false;
	return true;
}

bool execution_footprint(struct execution *x, const struct outcome *outcome)
{
	const struct model *model = x->block.model;
	struct footprint *footprint = &x->footprint;
	for (uint32_t i = 0; i < outcome->births; i++) {
		dependence_born(footprint, outcome->created + i);
		if (model_process(model, outcome->created + i) == outcome->created + i)
			dependence_forked(footprint, model, x->previous);
	}
	if (counts_ends(x, x->previous, outcome))
		dependence_exited(footprint);
	if (outcome->kind != OUTCOME_PENDING && outcome->kind != OUTCOME_EXITED)
		dependence_ended(footprint);
	return trace_push_footprint(x->trace, footprint) || execution_out_of_memory(x->trace);
}

/* The objects that are new: nobody has performed anything since they were seen. */
bool execution_record_objects(struct execution *x)
{
	const struct model *model = x->block.model;
	for (uint32_t o = x->trace->objects_length; o < model_objects(model); o++) {
		struct object_state state;
		model_object_state(model, o, &state);
		if (!trace_push_object(x->trace, &state))
			return execution_out_of_memory(x->trace);
	}
	return true;
}

bool execution_advance_fairness(struct execution *x, const struct transition *last)
{
	const struct turn turn = fair_turn(x->block.model, last->thread, &last->op, last->word,
					   (last->flags & TRANSITION_YIELD) != 0);
	x->windows |= fair_counts(x->fair, turn.thread, turn.yield);
	if (x->windows) {
		struct trace *trace = x->trace;
		fair_footprint(&x->footprint, x->fair, &turn, x->before, x->enabled);
		trace->accesses_length = trace->at[trace->length - 1].first_access;
		if (!trace_push_footprint(trace, &x->footprint))
			return execution_out_of_memory(trace);
	}
	fair_take(x->fair, &turn, x->before, x->enabled);
	return true;
}

bool execution_sleep_start(struct execution *x)
{
	size_t length = x->plan->sleep_set_length;
	free(x->asleep);
	x->asleep = NULL;
	if (length == 0)
		return true;
	x->asleep = malloc(length);
	for (size_t i = 0; x->asleep && i < length; i++)
		x->asleep[i] = true;
	return x->asleep || execution_out_of_memory(x->trace);
}

/* Transition k of the trace wakes those that depend on it. */
static void wake_by(struct execution *x, size_t k)
{
	const struct plan *plan = x->plan;
	const struct step step = transition_step(&x->trace->at[k]);
	struct accesses done = trace_accesses(x->trace, k);
	for (size_t i = 0; i < plan->sleep_set_length; i++)
		if (x->asleep[i] &&
		    (step_same_lane(plan->sleep_set[i].step, step) ||
		     dependence_disturbs(done, plan->sleep_set[i].footprint, plan->sleep_set_fair)))
			x->asleep[i] = false;
}

void execution_wake_sleepers(struct execution *x)
{
	const size_t length = x->trace->length;
	if (length > x->plan->sleep_set_from)
		wake_by(x, length - 1);
}

bool execution_sleep_again(struct execution *x)
{
	if (!execution_sleep_start(x))
		return false;
	for (size_t k = x->plan->sleep_set_from; k + 1 < x->trace->length; k++)
		wake_by(x, k);
	return true;
}

bool execution_is_asleep(const struct execution *x, const struct step *step)
{
	const struct plan *plan = x->plan;
	if (x->trace->length < plan->prefix_length)
		return false;
	for (size_t i = 0; i < plan->sleep_set_length; i++)
		if (x->asleep[i] && step_equal(plan->sleep_set[i].step, *step))
			return true;
	return false;
}
