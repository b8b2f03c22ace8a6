#include "supervisor/policy/lasso.h"

#include <fmc/supervisor/bitset.h>

#define WINDOW_LEAST 1024u
#define WINDOW_MOST  16384u

/* How long a watched execution goes on past its depth bound while a loop is looked for. */
static size_t window(uint64_t depth)
{
	uint64_t length = depth / 4;
	if (length < WINDOW_LEAST)
		length = WINDOW_LEAST;
	return length > WINDOW_MOST ? WINDOW_MOST : (size_t)length;
}

void lasso_start(struct lasso *lasso, uint64_t depth, uint64_t longer, bool watched)
{
	*lasso = (struct lasso){.depth = (size_t)depth,
				.limit = (size_t)depth + (watched ? window(depth) : 0),
				.longer = (size_t)longer};
}

void lasso_watch_all(struct lasso *lasso)
{
	if (lasso->depth == 0)
		lasso->limit = SIZE_MAX;
	lasso->depth = 1;
	lasso->fair = true;
}

static bool take_base(struct lasso *lasso, struct machine *machine, uint64_t model, size_t now)
{
	lasso->renewal = lasso->active ? 2 * lasso->renewal : 1;
	lasso->active = true;
	lasso->base = now;
	lasso->model = model;
	return machine->ops->digest(machine, lasso->machine);
}

/* Is thread t enabled at some state of the trace from `start` on? */
static bool enabled_since(const struct trace *trace, size_t start, uint32_t t)
{
	for (size_t i = start; i < trace->length; i++)
		if (t < trace->set_words * BITSET_WORD_BITS && bitset_has(trace_enabled(trace, i), t))
			return true;
	return false;
}

static bool holds_since(const struct trace *trace, size_t start)
{
	for (size_t i = start; i < trace->length; i++)
		if (trace->at[i].flags & TRANSITION_ORDERED && trace->at[i].flags & TRANSITION_HOLDS)
			return true;
	return false;
}

struct share {
	bool scheduled;
	bool yielded;
};

static struct share share_since(const struct trace *trace, size_t start, uint32_t t)
{
	struct share share = {false, false};
	for (size_t i = start; i < trace->length; i++) {
		if (trace->at[i].thread != t)
			continue;
		share.scheduled = true;
		/* Who waits for memory to change says as well that it gets no further by itself. */
		share.yielded |=
		    (trace->at[i].flags & TRANSITION_YIELD) || (trace->at[i].op.flags & OP_AWAITS);
	}
	return share;
}

/* Does thread t do this in the cycle? */
static bool does_since(const struct trace *trace, size_t start, uint32_t t, uint64_t place)
{
	for (size_t i = start; i < trace->length; i++)
		if (trace->at[i].thread == t && trace->at[i].op.place == place)
			return true;
	return false;
}

/* What t had before it when the execution began in the middle of a run, and all that it has done since, is part of the cycle. */
static bool was_in_it(const struct trace *trace, size_t start, uint32_t t)
{
	if (t >= trace->found_length || trace->found[t].kind == OP_NONE ||
	    !does_since(trace, start, t, trace->found[t].place))
		return false;
	for (size_t i = 0; i < start; i++)
		if (trace->at[i].thread == t && !does_since(trace, start, t, trace->at[i].op.place))
			return false;
	return true;
}

/*
 * Nobody who runs in the cycle has come to it: a process that does its rounds for as long as it lives isn't at fault, and one that
 * waits for what won't come can't be told from it.
 */
static bool ran_before(const struct trace *trace, size_t start, uint32_t threads)
{
	for (uint32_t t = 0; t < threads; t++)
		if (share_since(trace, start, t).scheduled && !was_in_it(trace, start, t))
			return false;
	return trace->found_length > 0;
}

/*
 * The cycle from `start` to the end of the trace is fair (SF of [FAIR]) if every thread that is enabled in it
 * is scheduled in it: a livelock. Otherwise it breaks the good samaritan rule (GS) if a thread that is
 * scheduled in it doesn't yield in it. Otherwise the fair scheduler will leave it by itself (Theorem 4). Nor does anything go on
 * for ever that only lasts as long as a time-out is held back.
 */
static enum end_reason judge_cycle(struct trace *trace, size_t start, uint32_t threads, bool only_fair)
{
	if (holds_since(trace, start))
		return END_NONE;
	bool fair = true;
	uint32_t selfish = NO_THREAD;
	for (uint32_t t = 0; t < threads; t++) {
		struct share share = share_since(trace, start, t);
		if (!share.scheduled && enabled_since(trace, start, t))
			fair = false;
		if (share.scheduled && !share.yielded && selfish == NO_THREAD)
			selfish = t;
	}
	if (!fair && (only_fair || selfish == NO_THREAD))
		return END_NONE;
	trace->loop_start = start;
	if (ran_before(trace, start, threads)) {
		trace->end_thread = trace->at[start].thread;
		return END_GOES_ON;
	}
	if (fair)
		return END_LIVELOCK;
	trace->end_thread = selfish;
	return END_NO_YIELD;
}

static bool same_machine(struct lasso *lasso, struct machine *machine)
{
	uint64_t now[2];
	return machine->ops->digest(machine, now) && now[0] == lasso->machine[0] &&
	       now[1] == lasso->machine[1];
}

/* No loop has been seen. False: it isn't cut yet. */
static bool gives_up(struct lasso *lasso, struct trace *trace)
{
	const size_t longer = lasso->longer;
	if (longer > trace->length) {
		*lasso = (struct lasso){.depth = longer, .limit = longer, .fair = lasso->fair};
		return false;
	}
	trace->end = END_DEPTH;
	return true;
}

bool lasso_ends(struct lasso *lasso, struct machine *machine, const struct model *model, struct trace *trace)
{
	if (lasso->depth == 0 || trace->length < lasso->depth)
		return false;
	uint64_t digest = model_digest(model);
	if (lasso->active && digest == lasso->model && same_machine(lasso, machine))
		trace->end = judge_cycle(trace, lasso->base, model_threads(model), lasso->fair);
	if (trace->end == END_NONE && trace->length >= lasso->limit)
		return gives_up(lasso, trace);
	if (trace->end != END_NONE)
		return true;
	if (lasso->active && trace->length - lasso->base < lasso->renewal)
		return false;
	if (take_base(lasso, machine, digest, trace->length))
		return false;
	return gives_up(lasso, trace); /* this machine can't tell */
}
