/* What each transition touched, into the trace; and who of the plan's sleepers it wakes. */
#include "execution_state.h"

#include <fmc/bitset.h>

#include <assert.h>
#include <stdlib.h>

static bool holds_robust(const struct model *model, uint32_t t)
{
	for (uint32_t o = 0; o < model_objects(model); o++) {
		struct object_state state;
		if (model_object_class(model, o) != CLASS_MUTEX || model_holder(model, o) != t)
			continue;
		model_object_state(model, o, &state);
		if (state.type & MUTEX_ROBUST)
			return true;
	}
	return false;
}

bool execution_footprint(struct execution *x, uint32_t t, bool asleep, const struct outcome *outcome)
{
	struct footprint *footprint = &x->footprint;
	for (uint32_t i = 0; i < outcome->births; i++)
		dependence_born(footprint, outcome->created + i);
	if (outcome->kind == OUTCOME_EXITED)
		dependence_exited(footprint, t, holds_robust(x->block.model, t));
	else if (outcome->kind != OUTCOME_PENDING)
		dependence_ended(footprint);
	else if (!asleep)
		dependence_next(footprint, t, &outcome->next);
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

/* `changed` has become enabled or has ceased to be: whoever yields to it may be schedulable or not because of it. */
static void touch_yielding(struct execution *x, uint32_t changed)
{
	for (uint32_t u = 0; u < fair_threads(x->fair); u++)
		if (fair_yields_to(x->fair, u, changed))
			footprint_touch(&x->footprint, touch_key(TOUCH_PRIORITY, u), TOUCH_WRITE);
}

/* What the transition does to the priorities as they still are; line 13 of Algorithm 1 releases who yields to t. */
static void touch_priorities(struct execution *x, uint32_t t)
{
	uint32_t words = fair_words(x->fair), u;
	for (u = 0; u < fair_threads(x->fair); u++)
		if (fair_yields_to(x->fair, u, t))
			footprint_touch(&x->footprint, touch_key(TOUCH_PRIORITY, u), TOUCH_ADD);
	BITSET_EACH(u, x->before, words)
	if (!bitset_has(x->enabled, u))
		touch_yielding(x, u);
	BITSET_EACH(u, x->enabled, words)
	if (!bitset_has(x->before, u))
		touch_yielding(x, u);
}

bool execution_advance_fairness(struct execution *x, uint32_t t, bool yield)
{
	if (x->windows)
		touch_priorities(x, t);
	bool counted = fair_step(x->fair, t, yield, x->before, x->enabled);
	if (counted)
		footprint_touch(&x->footprint, touch_key(TOUCH_WINDOW, 0), TOUCH_WRITE);
	struct trace *trace = x->trace;
	if (counted || x->windows) {
		trace->accesses_length = trace->at[trace->length - 1].first_access;
		if (!trace_push_footprint(trace, &x->footprint))
			return execution_out_of_memory(trace);
	}
	x->windows |= counted;
	return true;
}

bool execution_sleep_start(struct execution *x)
{
	size_t length = x->plan->sleepers_length;
	free(x->asleep);
	x->asleep = NULL;
	if (length == 0)
		return true;
	x->asleep = malloc(length);
	for (size_t i = 0; x->asleep && i < length; i++)
		x->asleep[i] = true;
	return x->asleep || execution_out_of_memory(x->trace);
}

void execution_wake_sleepers(struct execution *x)
{
	const struct trace *trace = x->trace;
	const struct plan *plan = x->plan;
	if (trace->length <= plan->sleepers_from)
		return;
	uint32_t t = trace->at[trace->length - 1].thread;
	struct accesses done = trace_accesses(trace, trace->length - 1);
	for (size_t i = 0; i < plan->sleepers_length; i++)
		if (x->asleep[i] &&
		    (plan->sleepers[i].step.thread == t ||
		     dependence_conflict(plan->sleepers[i].footprint, done, plan->sleepers_fair)))
			x->asleep[i] = false;
}

bool execution_is_asleep(const struct execution *x, const struct step *step)
{
	const struct plan *plan = x->plan;
	if (x->trace->length < plan->prefix_length)
		return false;
	for (size_t i = 0; i < plan->sleepers_length; i++)
		if (x->asleep[i] && plan->sleepers[i].step.thread == step->thread &&
		    plan->sleepers[i].step.choice == step->choice)
			return true;
	return false;
}
