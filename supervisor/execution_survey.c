/* The present state of an execution: what is enabled, what is schedulable, and which ways there are to go on.
 */
#include "execution_state.h"

#include <fmc/bitset.h>

#include <assert.h>
#include <stdio.h>

static bool waits_outside(const struct op *op)
{
	return op->kind == OP_SYSCALL || op->kind == OP_POLL;
}

static void set_ready(struct execution *x, uint32_t thread, bool ready)
{
	struct op op = *model_pending(x->block.model, thread);
	uint16_t flags = (uint16_t)(ready ? op.flags | OP_READY : op.flags & ~OP_READY);
	if (flags == op.flags)
		return;
	op.flags = flags;
	model_set_pending(x->block.model, thread, &op);
}

/* The enabled set, after asking the machine about threads that wait for something outside of the model. */
static void survey_enabled(struct execution *x)
{
	const struct model *model = x->block.model;
	bitset_clear(x->enabled, fair_words(x->fair));
	uint32_t threads = model_threads(model);
	for (uint32_t t = 0; t < threads; t++) {
		const struct op *op = model_pending(model, t);
		if (waits_outside(op))
			set_ready(x, t, x->machine->ops->ready(x->machine, t, op));
		if (model_enabled(model, t))
			bitset_add(x->enabled, t);
	}
}

/*
 * Nothing is enabled: can the outside still change that? If it hasn't for long, a thread that waits for it is let wait
 * in the kernel, as the only one enabled: the machine may not be able to see when its wait is over. False: nothing can
 * go on.
 */
static bool await_outside(struct execution *x)
{
	const struct model *model = x->block.model;
	const bool asked = x->machine->ops->await != NULL;
	enum hope hope = HOPE_NONE;
	while (asked && (hope = x->machine->ops->await(x->machine)) == HOPE_MORE) {
		survey_enabled(x);
		if (!bitset_empty(x->enabled, fair_words(x->fair)))
			return true;
	}
	for (uint32_t t = 0; t < model_threads(model) && (hope != HOPE_NONE || !asked); t++) {
		if (!waits_outside(model_pending(model, t)))
			continue;
		set_ready(x, t, true);
		bitset_add(x->enabled, t);
		return true;
	}
	x->hopeless = hope == HOPE_NONE;
	return false;
}

static void end_without_enabled(struct execution *x)
{
	const struct model *model = x->block.model;
	x->trace->end = END_EXIT;
	for (uint32_t t = 0; t < model_threads(model); t++)
		if (!model_exited(model, t))
			x->trace->end = x->hopeless ? END_DEADLOCK : END_STUCK;
	if (x->trace->end == END_STUCK)
		snprintf(x->trace->message, sizeof x->trace->message,
			 "every thread waits, and another process could still wake one");
}

/*
 * Could the thread that ran last go on? Ready counts, not merely enabled: leaving a thread that can only time
 * out is no preemption.
 */
static bool previous_ready(const struct execution *x)
{
	return x->previous != NO_THREAD && bitset_has(x->enabled, x->previous) &&
	       model_ready(x->block.model, x->previous);
}

/* Has t had all the transitions that a thread may have? */
static bool used_up(const struct execution *x, uint32_t t)
{
	uint64_t most = x->plan->policy.max_thread_depth;
	return most != 0 && policy_steps(x->policy, t) >= most;
}

static bool push_alternative(struct execution *x, uint32_t t, int32_t choice, bool may_stay)
{
	struct alternative alternative = {
	    .step = {.thread = t, .choice = choice},
	    .preemption = may_stay && t != x->previous,
	    .timeout = choice == CHOICE_TIMEOUT,
	};
	return trace_push_alternative(x->trace, &alternative) || execution_out_of_memory(x->trace);
}

/* The ways of one thread. */
static bool list_choices(struct execution *x, uint32_t t, bool may_stay)
{
	const struct model *model = x->block.model;
	uint32_t choices = model_choices(model, t);
	assert(choices > 0);
	for (uint32_t i = 0; i < choices; i++)
		if (!push_alternative(x, t, model_choice(model, t, i), may_stay))
			return false;
	return true;
}

/* Is there a way to go on besides spurious wakeups? */
static bool goes_on(const struct execution *x)
{
	uint32_t t;
	BITSET_EACH(t, x->schedulable, fair_words(x->fair))
	if (!used_up(x, t))
		return true;
	return false;
}

/* All ways to go on, appended to the trace's alternatives. */
static bool list_alternatives(struct execution *x)
{
	const struct model *model = x->block.model;
	bool ready = previous_ready(x) && !used_up(x, x->previous);
	bool may_stay = ready && bitset_has(x->schedulable, x->previous);
	x->forced = ready && !may_stay;
	/*
	 * Fairness owes nobody a spurious wakeup: it is open whoever has priority, and not where it alone would
	 * keep the program going, because there a real one may hang.
	 */
	bool spurious = goes_on(x);
	for (uint32_t t = 0; t < model_threads(model); t++) {
		bool schedulable = bitset_has(x->schedulable, t);
		if (used_up(x, t)) {
			x->trace->held_back |= schedulable;
			continue;
		}
		if (schedulable && !list_choices(x, t, may_stay))
			return false;
		if (spurious && model_spurious(model, t) &&
		    !push_alternative(x, t, CHOICE_SPURIOUS, may_stay))
			return false;
	}
	return true;
}

/* The sets and alternatives of the present state; false: nothing can go on, and the end is set. */
bool execution_survey(struct execution *x)
{
	struct trace *trace = x->trace;
	uint32_t words = fair_words(x->fair);
	survey_enabled(x);
	if (!execution_believes_plugin(trace))
		return false;
	if (trace->length > 0) {
		const struct transition *last = &trace->at[trace->length - 1];
		if (!execution_advance_fairness(x, last->thread, (last->flags & TRANSITION_YIELD) != 0))
			return false;
		execution_wake_sleepers(x);
	}
	if (bitset_empty(x->enabled, words) && !await_outside(x)) {
		end_without_enabled(x);
		return false;
	}
	if (lasso_ends(&x->lasso, x->machine, x->block.model, x->plan->policy.max_depth, trace))
		return false;
	fair_schedulable(x->fair, x->enabled, x->schedulable);
	assert(!bitset_empty(x->schedulable, words)); /* Theorem 3 */
	bitset_copy(x->before, x->enabled, words);
	size_t first = trace->alternatives_length;
	if (!list_alternatives(x))
		return false;
	if (trace->alternatives_length == first)
		trace->end = END_THREAD_DEPTH;
	return trace->alternatives_length > first;
}
