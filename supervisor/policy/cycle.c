#include "supervisor/policy/cycle.h"

#include <fmc/supervisor/bitset.h>

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

enum end_reason cycle_judge(struct trace *trace, size_t start, uint32_t threads, bool only_fair)
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
