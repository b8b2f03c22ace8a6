/* Time-outs that fire in order: whose time hasn't come yet, as others could go on before. */
#include "supervisor/execution/state.h"

#include <fmc/supervisor/bitset.h>
#include <fmc/tracer/assert.h>

/*
 * So many yields in which nothing else kept it waiting, and a thread holds no time-out back any more: it may wait for just that
 * time-out, or for the clock. A thread that tries something a few dozen times before it gives up is within it, and the depth of
 * executions is far above.
 */
#define PATIENCE 100

/*
 * Nor does one that goes on alone, round after round, and does so much in each that it would take an execution's whole depth to get there: a
 * thread of a server that looks at all it has every millisecond, while another one waits for a second to pass.
 */
#define LONE_ROUNDS	 4
#define LONE_TRANSITIONS 2000

static int64_t now(const struct execution *x)
{
	return x->machine->ops->now ? x->machine->ops->now(x->machine) : 0;
}

/* It goes on by itself as time passes, and only so; once its time has come nothing more is needed. */
static bool needs_time(const struct execution *x, uint32_t t, int64_t moment)
{
	const struct op *op = model_pending(x->block.model, t);
	return model_waits_for_time(x->block.model, t) && !(op->end && op->end <= moment);
}

static bool is_patient(const struct execution *x, uint32_t t)
{
	const struct stretch *alone = &x->alone;
	const bool rounds =
	    alone->thread == t && alone->yields >= LONE_ROUNDS && alone->transitions >= LONE_TRANSITIONS;
	return x->yields[t] < PATIENCE && !rounds;
}

/* Does what it could do come before the time-outs of others? Who is patient only has to wait where time comes by itself. */
static bool counts(const struct execution *x, uint32_t t)
{
	const struct machine_ops *ops = x->machine->ops;
	const bool comes = ops->follows && ops->follows(x->machine);
	return (comes || is_patient(x, t)) && !execution_used_up(x, t);
}

bool execution_comes_before(const struct execution *x, uint32_t t)
{
	const struct machine_ops *ops = x->machine->ops;
	const bool comes = ops->follows && ops->follows(x->machine);
	const bool rounds = x->alone.thread == t && x->alone.yields + 1 >= LONE_ROUNDS;
	return (comes || (x->yields[t] + 1 < PATIENCE && !rounds)) && !execution_used_up(x, t);
}

static void count_alone(struct stretch *alone, const struct transition *last)
{
	if (alone->thread != last->thread)
		*alone = (struct stretch){.thread = last->thread};
	alone->transitions++;
	alone->yields += (last->flags & TRANSITION_YIELD) != 0;
}

/* Yields since a thread had to wait for another one, and since another one went on. */
void execution_count_turns(struct execution *x)
{
	const struct model *model = x->block.model;
	const struct trace *trace = x->trace;
	const struct transition *last = trace->length ? &trace->at[trace->length - 1] : NULL;
	if (last)
		count_alone(&x->alone, last);
	if (last && last->flags & TRANSITION_YIELD) {
		x->yielded = true;
		x->yields[last->thread] += x->yields[last->thread] < PATIENCE;
	}
	/* Else they have been forgotten. */
	for (uint32_t t = 0; x->yielded && !x->same && t < model_threads(model); t++)
		if (!(x->plain	? bitset_has(x->enabled, t)
		      : x->kept ? bitset_has(x->enabled, t) || bitset_has(x->held, t)
				: model_enabled(model, t)))
			x->yields[t] = 0;
}

/* The moment at which the first of those comes whose end is known; INT64_MIN: somebody goes on without any time passing. */
static int64_t first_moment(const struct execution *x, int64_t moment)
{
	int64_t first = INT64_MAX;
	uint32_t t;
	BITSET_EACH(t, x->enabled, fair_words(x->fair))
	{
		const int64_t end = model_pending(x->block.model, t)->end;
		if (!counts(x, t))
			continue;
		if (!needs_time(x, t, moment))
			return INT64_MIN;
		if (end && end < first)
			first = end;
	}
	return first;
}

void execution_hold_timeouts(struct execution *x)
{
	const struct model *model = x->block.model;
	const uint32_t words = fair_words(x->fair);
	uint32_t t;
	execution_count_turns(x);
	/* Who is held back stays so, and isn't among the enabled ones. */
	if (x->kept && !x->plain)
		return;
	bitset_clear(x->held, words);
	x->timed = x->hurried = false;
	for (t = 0; t < model_threads(model) && !x->plain; t++)
		x->timed |= model_timed(model, t);
	if (!x->timed)
		return;
	const int64_t moment = now(x), first = first_moment(x, moment);
	BITSET_EACH(t, x->enabled, words)
	{
		const int64_t end = model_pending(model, t)->end;
		if (needs_time(x, t, moment) && (first == INT64_MIN || end > first))
			bitset_add(x->held, t);
	}
	if (!x->plan->policy.ordered)
		return;
	x->hurried = first == INT64_MIN;
	BITSET_EACH(t, x->held, words)
	bitset_remove(x->enabled, t);
}

uint8_t execution_timeout_flags(const struct execution *x, const struct step *step)
{
	unsigned flags = 0;
	if (x->plan->policy.ordered && x->timed)
		flags |= TRANSITION_ORDERED;
	if (!bitset_empty(x->held, fair_words(x->fair)))
		flags |= TRANSITION_HOLDS;
	if (step->choice != CHOICE_SPURIOUS && bitset_has(x->held, step->thread)) {
		FMC_ASSERT(!x->plan->policy.ordered);
		flags |= TRANSITION_EARLY;
	}
	return (uint8_t)flags;
}
