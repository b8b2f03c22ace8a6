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

/* Who waits for memory to change says as well that it gets no further by itself. */
static bool yields(const struct transition *transition)
{
	return (transition->flags & TRANSITION_YIELD) || (transition->op.flags & OP_AWAITS);
}

static struct share share_since(const struct trace *trace, size_t start, uint32_t t)
{
	struct share share = {false, false};
	for (size_t i = start; i < trace->length; i++) {
		if (trace->at[i].thread != t)
			continue;
		share.scheduled = true;
		share.yielded |= yields(&trace->at[i]);
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

static bool same_kind_of_try(enum op_kind try, enum op_kind lock)
{
	return (try == OP_MUTEX_TRYLOCK && lock == OP_MUTEX_LOCK) ||
	       (try == OP_RWLOCK_TRYWRLOCK && lock == OP_RWLOCK_WRLOCK) ||
	       (try == OP_RWLOCK_TRYRDLOCK && lock == OP_RWLOCK_RDLOCK);
}

static bool takes_lock(enum op_kind kind)
{
	return kind == OP_MUTEX_LOCK || kind == OP_MUTEX_TRYLOCK || kind == OP_RWLOCK_WRLOCK ||
	       kind == OP_RWLOCK_TRYWRLOCK || kind == OP_RWLOCK_RDLOCK || kind == OP_RWLOCK_TRYRDLOCK;
}

/* The next lock that the thread of transition i takes or tries in the cycle is the one that this failed to get, and it waits for it. */
static bool waits_next(const struct trace *trace, size_t start, size_t i)
{
	const struct op *try = &trace->at[i].op;
	const size_t round = trace->length - start;
	for (size_t n = 1; n <= round; n++) {
		const struct transition *next = &trace->at[start + (i - start + n) % round];
		if (next->thread == trace->at[i].thread && takes_lock(next->op.kind))
			return same_kind_of_try(try->kind, next->op.kind) && next->op.object == try->object;
	}
	return false;
}

/*
 * Each thread that yields in the cycle does so by tries for locks, after each of which it waits for the lock that it didn't get: the way
 * in which several locks are taken at once without a deadlock (std::lock). That all go on in step for ever needs more than is to be
 * expected of any scheduler, and nothing better can be done, so they aren't at fault.
 */
static bool waits_for_what_it_missed(const struct trace *trace, size_t start)
{
	for (size_t i = start; i < trace->length; i++)
		if (yields(&trace->at[i]) && !waits_next(trace, start, i))
			return false;
	return true;
}

/*
 * Somebody's sleep or time-out is over in the cycle while others could go on: in each round, for ever, they would have to be slower than the time
 * that passes. Threads that look for work every millisecond under a lock of their own are not to be told to starve the one that has it.
 */
static bool outruns(const struct trace *trace, size_t start)
{
	for (size_t i = start; i < trace->length; i++)
		if (trace->at[i].flags & TRANSITION_EARLY)
			return true;
	return false;
}

/* Does the thread go to sleep before an object of the kernel, for which it would have had to wait? */
static bool comes_late(const struct transition *transition)
{
	return model_came_late(&transition->op, transition->word);
}

/* All that it does in the cycle; false: it does nothing. */
static bool only_comes_late(const struct trace *trace, size_t start, uint32_t t)
{
	bool late = false;
	for (size_t i = start; i < trace->length; i++)
		if (trace->at[i].thread == t && !comes_late(&trace->at[i]))
			return false;
		else
			late |= trace->at[i].thread == t;
	return late;
}

/* Does the operation wait for this object? */
static bool awaits(const struct op *op, uint32_t object)
{
	return op->kind == OP_POLL ? object < OP_ASKED_MOST && (uint64_t)op->arg2 >> object & 1
				   : op->object == object;
}

static bool changes(const struct transition *transition, const struct op *late)
{
	const struct op *op = &transition->op;
	return op_is_tried(op->kind) && op->arg != 0 && transition->word == TRIED_GOES &&
	       (awaits(late, op->object) || (op->object2 != NO_OBJECT && awaits(late, op->object2)));
}

/*
 * Thread t has never been able to go on, as far as is known: whenever the object for which it waits has been changed, it has come late before that was
 * changed again.
 */
static bool is_kept_out(const struct trace *trace, size_t start, uint32_t t)
{
	const size_t round = trace->length - start;
	const struct op *late = NULL;
	bool open = false; /* changed, and nobody knows how */
	for (size_t n = 0; n < 2 * round; n++) {
		const struct transition *one = &trace->at[start + n % round];
		if (one->thread == t) {
			late = &one->op;
			open = false;
		} else if (late && changes(one, late)) {
			if (open)
				return false;
			open = true;
		}
	}
	return true;
}

/* Fair, and nobody's fault all the same. */
static bool excused(const struct trace *trace, size_t start, uint32_t selfish)
{
	return outruns(trace, start) || (selfish == NO_THREAD && waits_for_what_it_missed(trace, start));
}

enum end_reason cycle_judge(struct trace *trace, size_t start, uint32_t threads, bool only_fair)
{
	if (holds_since(trace, start))
		return END_NONE;
	bool fair = true;
	uint32_t selfish = NO_THREAD;
	for (uint32_t t = 0; t < threads; t++) {
		struct share share = share_since(trace, start, t);
		/*
		 * Somebody whom the kernel wakes for a lock comes too late each time, as others have taken it again: as with a mutex, that isn't fair.
		 */
		if (only_comes_late(trace, start, t)) {
			fair &= is_kept_out(trace, start, t);
			continue;
		}
		if (!share.scheduled && enabled_since(trace, start, t))
			fair = false;
		if (share.scheduled && !share.yielded && selfish == NO_THREAD)
			selfish = t;
	}
	if (!fair && (only_fair || selfish == NO_THREAD))
		return END_NONE;
	if (fair && !only_fair && excused(trace, start, selfish))
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
