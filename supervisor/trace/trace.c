/* What came of one execution: growing arrays that are kept between executions. */
#include <fmc/supervisor/bitset.h>
#include <fmc/supervisor/trace.h>
#include <fmc/tracer/assert.h>

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

void trace_init(struct trace *trace)
{
	memset(trace, 0, sizeof *trace);
	trace->end_thread = NO_THREAD;
}

void trace_clear(struct trace *trace)
{
	struct trace old = *trace;
	trace_init(trace);
	trace->at = old.at;
	trace->room = old.room;
	trace->alternatives = old.alternatives;
	trace->alternatives_room = old.alternatives_room;
	trace->sets = old.sets;
	trace->sets_room = old.sets_room;
	trace->accesses = old.accesses;
	trace->accesses_room = old.accesses_room;
	trace->under = old.under;
	trace->under_room = old.under_room;
	trace->objects = old.objects;
	trace->objects_room = old.objects_room;
	trace->found = old.found;
	trace->found_room = old.found_room;
	trace->threads = old.threads;
	trace->threads_room = old.threads_room;
}

void trace_release(struct trace *trace)
{
	free(trace->at);
	free(trace->alternatives);
	free(trace->sets);
	free(trace->accesses);
	free(trace->under);
	free(trace->objects);
	free(trace->found);
	free(trace->threads);
	trace_init(trace);
}

struct transition *trace_add(struct trace *trace)
{
	return ARRAY_GROW(trace->at, trace->length, trace->room) ? &trace->at[trace->length++] : NULL;
}

bool trace_push(struct trace *trace, const struct transition *transition)
{
	struct transition *added = trace_add(trace);
	if (added)
		*added = *transition;
	return added != NULL;
}

struct alternative *trace_reserve_alternatives(struct trace *trace, size_t most)
{
	const size_t length = trace->alternatives_length;
	return ARRAY_RESERVE(trace->alternatives, length + most, trace->alternatives_room)
		   ? trace->alternatives + length
		   : NULL;
}

bool trace_push_alternative(struct trace *trace, const struct alternative *alternative)
{
	if (!ARRAY_GROW(trace->alternatives, trace->alternatives_length, trace->alternatives_room))
		return false;
	trace->alternatives[trace->alternatives_length++] = *alternative;
	return true;
}

bool trace_push_footprint(struct trace *trace, const struct footprint *footprint)
{
	struct transition *transition = &trace->at[trace->length - 1];
	size_t first = trace->accesses_length;
	if (footprint->failed ||
	    !ARRAY_RESERVE(trace->accesses, first + footprint->length, trace->accesses_room))
		return false;
	for (uint32_t i = 0; i < footprint->length; i++)
		trace->accesses[first + i] = footprint->at[i];
	trace->accesses_length += footprint->length;
	transition->first_access = (uint32_t)first;
	transition->accesses = footprint->length;
	return true;
}

bool trace_push_under(struct trace *trace, const struct op *op)
{
	if (!ARRAY_GROW(trace->under, trace->under_length, trace->under_room))
		return false;
	trace->at[trace->length - 1].under = trace->under_length;
	trace->under[trace->under_length++] = *op;
	return true;
}

bool trace_push_object(struct trace *trace, const struct object_state *state)
{
	if (!ARRAY_GROW(trace->objects, trace->objects_length, trace->objects_room))
		return false;
	trace->objects[trace->objects_length++] = *state;
	return true;
}

/* Make every recorded set as wide as `words`; from the last to the first, because they move up. */
static void widen_sets(struct trace *trace, uint32_t words, size_t sets)
{
	uint32_t old = trace->set_words;
	for (size_t i = sets; i-- > 0;) {
		memmove(trace->sets + i * words, trace->sets + i * old, old * sizeof *trace->sets);
		memset(trace->sets + i * words + old, 0, (words - old) * sizeof *trace->sets);
	}
	trace->set_words = words;
}

bool trace_push_sets(struct trace *trace, const uint64_t *enabled, const uint64_t *schedulable,
		     uint32_t words)
{
	FMC_ASSERT(trace->length > 0 && words >= trace->set_words);
	size_t sets = 2 * (trace->length - 1);
	if (!ARRAY_RESERVE(trace->sets, (sets + 2) * words, trace->sets_room))
		return false;
	if (words > trace->set_words)
		widen_sets(trace, words, sets);
	bitset_copy(trace->sets + sets * words, enabled, words);
	bitset_copy(trace->sets + (sets + 1) * words, schedulable, words);
	return true;
}

bool trace_push_thread(struct trace *trace, const struct thread_end *end)
{
	if (!ARRAY_GROW(trace->threads, trace->threads_length, trace->threads_room))
		return false;
	trace->threads[trace->threads_length++] = *end;
	return true;
}

bool trace_push_found(struct trace *trace, const struct op *op)
{
	if (!ARRAY_GROW(trace->found, trace->found_length, trace->found_room))
		return false;
	trace->found[trace->found_length++] = *op;
	return true;
}

size_t alternative_find(const struct alternative *alternatives, size_t count, struct step step)
{
	size_t i = 0;
	while (i < count && !step_equal(alternatives[i].step, step))
		i++;
	return i;
}

uint32_t trace_taken(const struct trace *trace, size_t i)
{
	const struct transition *transition = &trace->at[i];
	size_t taken = alternative_find(trace->alternatives + transition->first_alternative,
					transition->alternatives, transition_step(transition));
	FMC_ASSERT(taken < transition->alternatives);
	return (uint32_t)taken;
}

const uint64_t *trace_enabled(const struct trace *trace, size_t i)
{
	return trace->set_words && i < trace->length ? trace->sets + 2 * i * trace->set_words : NULL;
}

const uint64_t *trace_schedulable(const struct trace *trace, size_t i)
{
	return trace->set_words && i < trace->length ? trace->sets + (2 * i + 1) * trace->set_words : NULL;
}

bool trace_forbids(const struct trace *trace)
{
	size_t words = trace->set_words;
	for (size_t i = 0; words > 0 && i < trace->length; i++)
		if (memcmp(trace_enabled(trace, i), trace_schedulable(trace, i), words * sizeof(uint64_t)) !=
		    0)
			return true;
	return false;
}

bool transition_same_result(const struct transition *a, const struct transition *b)
{
	return op_shows_memory((enum op_kind)a->op.kind) ||
	       (a->result_valid == b->result_valid && (!a->result_valid || a->result == b->result));
}

/* How long a sleep was to be may follow the clock and makes no difference to the schedule. */
static bool same_op(const struct op *a, const struct op *b)
{
	if (a->kind != b->kind || a->object != b->object || a->object2 != b->object2 || a->place != b->place)
		return false;
	if (a->kind == OP_SLEEP || a->kind == OP_POLL)
		return true;
	return a->arg == b->arg && a->arg2 == b->arg2 && a->arg3 == b->arg3;
}

static bool same_transition(const struct transition *a, const struct transition *b)
{
	return a->thread == b->thread && a->choice == b->choice && same_op(&a->op, &b->op) &&
	       transition_same_result(a, b);
}

size_t trace_difference(const struct trace *a, const struct trace *b)
{
	size_t shorter = a->length < b->length ? a->length : b->length;
	for (size_t i = 0; i < shorter; i++)
		if (!same_transition(&a->at[i], &b->at[i]))
			return i;
	bool same_end = a->length == b->length && a->end == b->end && a->end_value == b->end_value &&
			a->end_thread == b->end_thread && a->loop_start == b->loop_start;
	return same_end ? SIZE_MAX : shorter;
}

uint32_t trace_process_of(const struct trace *trace, uint32_t t)
{
	uint32_t processes = 0, number = 0;
	for (uint32_t u = 0; t < trace->threads_length && u < trace->threads_length; u++) {
		const uint32_t process = trace->threads[u].process;
		processes += process == u;
		number += process == u && u <= trace->threads[t].process;
	}
	return processes > 1 ? number : 0;
}

bool trace_goes_on(const struct trace *trace)
{
	for (uint32_t t = 0; t < trace->threads_length; t++)
		if (trace->threads[t].enabled)
			return true;
	return false;
}

bool trace_in_circle(const struct trace *trace, uint32_t start)
{
	uint32_t t = start;
	for (uint32_t steps = 0; steps < trace->threads_length; steps++) {
		if (t >= trace->threads_length || !trace->threads[t].holds_back)
			return false;
		t = trace->threads[t].blocker;
		if (t == start)
			return true;
	}
	return false;
}

bool trace_stuck(const struct trace *trace, uint32_t t)
{
	if (trace->end != END_DEADLOCK || trace->threads[t].pending.kind == OP_NONE)
		return false;
	return trace_goes_on(trace) ? trace_in_circle(trace, t) : true;
}

/* An array of `from` into the same one of `own`, which has room of its own. */
#define COPY_ARRAY(array, length, room)                                                                      \
	(ARRAY_RESERVE(own.array, (length), own.room) &&                                                     \
	 ((length) == 0 || memcpy(own.array, from->array, (length) * sizeof *own.array)))

bool trace_copy(struct trace *to, const struct trace *from)
{
	struct trace own = *to;
	const bool ok = COPY_ARRAY(at, from->length, room) &&
			COPY_ARRAY(alternatives, from->alternatives_length, alternatives_room) &&
			COPY_ARRAY(sets, 2 * from->length * from->set_words, sets_room) &&
			COPY_ARRAY(accesses, from->accesses_length, accesses_room) &&
			COPY_ARRAY(under, from->under_length, under_room) &&
			COPY_ARRAY(objects, from->objects_length, objects_room) &&
			COPY_ARRAY(found, from->found_length, found_room) &&
			COPY_ARRAY(threads, from->threads_length, threads_room);
	if (ok)
		*to = *from;
	else
		trace_init(to);
	to->at = own.at;
	to->room = own.room;
	to->alternatives = own.alternatives;
	to->alternatives_room = own.alternatives_room;
	to->sets = own.sets;
	to->sets_room = own.sets_room;
	to->accesses = own.accesses;
	to->accesses_room = own.accesses_room;
	to->under = own.under;
	to->under_room = own.under_room;
	to->objects = own.objects;
	to->objects_room = own.objects_room;
	to->found = own.found;
	to->found_room = own.found_room;
	to->threads = own.threads;
	to->threads_room = own.threads_room;
	return ok;
}

const char *end_reason_name(enum end_reason reason)
{
	static const char *const names[] = {
	    [END_NONE] = "none",
	    [END_EXIT] = "exit",
	    [END_SIGNAL] = "signal",
	    [END_DEADLOCK] = "deadlock",
	    [END_DEPTH] = "depth",
	    [END_LIVELOCK] = "livelock",
	    [END_NO_YIELD] = "no-yield",
	    [END_SPIN] = "spin",
	    [END_MISUSE] = "misuse",
	    [END_VIOLATED] = "violated",
	    [END_UNFULFILLED] = "unfulfilled",
	    [END_UNFULFILLED_LOOP] = "unfulfilled-loop",
	    [END_REJECTED] = "rejected",
	    [END_ALLOWED] = "allowed-loop",
	    [END_DIVERGED] = "diverged",
	    [END_UNSUPPORTED] = "unsupported",
	    [END_STUCK] = "stuck",
	    [END_ABSENT] = "absent",
	    [END_GOES_ON] = "goes-on",
	    [END_INTERRUPTED] = "interrupted",
	    [END_ERROR] = "error",
	    [END_REDUNDANT] = "redundant",
	    [END_THREAD_DEPTH] = "thread-depth",
	};
	FMC_ASSERT((size_t)reason < sizeof names / sizeof *names);
	return names[reason];
}

/*
 * After pthread_exit() of the main thread whoever exits last ends the process: what a thread does at its end
 * depends on the ends of all others.
 */
static bool leaves_others(const struct trace *trace, size_t i)
{
	bool is_program = trace->initial_threads == 1 || trace->found_length > 0;
	return is_program && trace->at[i].thread == 0 && trace->at[i].flags & TRANSITION_EXITS &&
	       i + 1 < trace->length && trace->at[i].op.kind != OP_PROCESS_EXIT;
}

bool trace_outlives_main(const struct trace *trace)
{
	for (size_t i = 0; i < trace->length; i++)
		if (leaves_others(trace, i))
			return true;
	return false;
}

bool trace_holds(const struct trace *trace)
{
	for (size_t i = 0; i < trace->length; i++)
		if (trace->at[i].flags & TRANSITION_HOLDS)
			return true;
	return false;
}

size_t trace_early(const struct trace *trace)
{
	size_t i = 0;
	while (i < trace->length && !(trace->at[i].flags & TRANSITION_EARLY))
		i++;
	return i;
}

const char *trace_hides(const struct trace *trace, bool sees_memory)
{
	if (trace_outlives_main(trace))
		return "its main thread exits while others go on, and the last of them ends it";
	return trace_shares(trace, sees_memory);
}

const char *trace_shares(const struct trace *trace, bool sees_memory)
{
	if (trace->counted)
		return "a formula has X, which tells in how many transitions something comes about";
	for (size_t i = 0; i < trace->length; i++) {
		/* A time-out is enabled by all others that stop to be, and by what time it is. */
		if (trace->at[i].flags & TRANSITION_ORDERED)
			return "its time-outs fire in order, which any operation has a part in";
		switch (trace->at[i].op.kind) {
		case OP_FUTEX_WAIT:
		case OP_FUTEX_WAKE:
		case OP_FUTEX_REQUEUE:
		case OP_FUTEX_WAKE_OP:
			if (!sees_memory)
				return "it has locks of its own, made of futexes";
			break;
		case OP_POLL:
			if (trace->at[i].op.flags & OP_ASKS)
				break;
			/* fall through */
		case OP_SYSCALL:
			return "it waits for something outside in system calls";
		default:
			break;
		}
	}
	return NULL;
}
