/*
 * A trace's model, replayed from what the trace says: the objects as they were first seen, and each thread's
 * operations in their order. Snapshots on the way make every state cheap to come back to.
 */
#include "supervisor/order/model_replay.h"

#include <fmc/supervisor/bitset.h>
#include <fmc/supervisor/fair_footprint.h>
#include <fmc/tracer/assert.h>

#include <stdlib.h>
#include <string.h>

/* Snapshots are taken every so many transitions, more rarely in long traces. */
#define SNAPSHOT_INTERVAL 16
#define MOST_SNAPSHOTS	  512

struct model_replay {
	const struct trace *trace;
	uint32_t fair_k;
	uint32_t threads;
	uint32_t words; /* of sets */
	size_t *next;	/* the same thread's next transition; SIZE_MAX if none. Where flushes are apart, */
	size_t *list;	/* and here, none of them: transitions thread after thread */
	size_t *first;	/* of each thread, into list; one more than threads */
	bool *exits;	/* which threads do */
	struct model *model;	    /* in a block of its own */
	struct fair *fair;	    /* after it */
	uint64_t *enabled, *before; /* sets, after that */
	size_t model_size, fair_size, state_size;
	unsigned char *state; /* the present one; and as much room after it to lay it aside */
	unsigned char *snapshots;
	size_t state_room, snapshots_room;
	size_t interval;
	bool yields; /* a transition of the trace does: without any nobody ever lets others go first */
};

struct model_replay *model_replay_new(void)
{
	return calloc(1, sizeof(struct model_replay));
}

void model_replay_free(struct model_replay *r)
{
	if (!r)
		return;
	free(r->next);
	free(r->list);
	free(r->first);
	free(r->exits);
	free(r->state);
	free(r->snapshots);
	free(r);
}

static bool reserve(void *array_pointer, size_t needed, size_t size)
{
	void **array = array_pointer;
	void *moved = reallocarray(*array, needed ? needed : 1, size);
	if (moved)
		*array = moved;
	return moved != NULL;
}

/* Is it of the buffer's lane? */
static bool is_flush(const struct trace *trace, size_t i)
{
	return trace->apart && trace->at[i].choice == CHOICE_FLUSH;
}

/* Each thread's transitions in their order. */
static bool index_transitions(struct model_replay *r)
{
	const struct trace *trace = r->trace;
	if (!reserve(&r->next, trace->length, sizeof *r->next) ||
	    !reserve(&r->list, trace->length, sizeof *r->list) ||
	    !reserve(&r->first, r->threads + 1, sizeof *r->first) ||
	    !reserve(&r->exits, r->threads, sizeof *r->exits))
		return false;
	memset(r->first, 0, (r->threads + 1) * sizeof *r->first);
	memset(r->exits, 0, r->threads * sizeof *r->exits);
	for (size_t i = 0; i < trace->length; i++) {
		r->first[trace->at[i].thread + 1] += !is_flush(trace, i);
		r->exits[trace->at[i].thread] |= (trace->at[i].flags & TRANSITION_EXITS) != 0;
	}
	for (uint32_t t = 0; t < r->threads; t++)
		r->first[t + 1] += r->first[t];
	for (size_t i = 0; i < trace->length; i++)
		if (!is_flush(trace, i))
			r->list[r->first[trace->at[i].thread]++] = i;
	for (uint32_t t = r->threads; t > 0; t--)
		r->first[t] = r->first[t - 1];
	r->first[0] = 0;
	for (uint32_t t = 0; t < r->threads; t++)
		for (size_t k = r->first[t]; k < r->first[t + 1]; k++)
			r->next[r->list[k]] = k + 1 < r->first[t + 1] ? r->list[k + 1] : SIZE_MAX;
	return true;
}

static size_t aligned(size_t size)
{
	return (size + 15) & ~(size_t)15;
}

/* A block for the present state, and room for snapshots of it. */
static bool lay_out(struct model_replay *r)
{
	uint32_t objects = r->trace->objects_length;
	r->words = bitset_words(r->threads);
	r->model_size = aligned(model_bytes(r->threads, objects));
	r->fair_size = r->fair_k ? aligned(fair_bytes(r->threads)) : 0;
	r->state_size = r->model_size + r->fair_size + aligned(2 * r->words * sizeof *r->enabled);
	r->interval = r->trace->length / MOST_SNAPSHOTS;
	if (r->interval < SNAPSHOT_INTERVAL)
		r->interval = SNAPSHOT_INTERVAL;
	size_t snapshots = (r->trace->length / r->interval + 1) * r->state_size;
	if (snapshots > r->snapshots_room) {
		if (!reserve(&r->snapshots, snapshots, 1))
			return false;
		r->snapshots_room = snapshots;
	}
	if (2 * r->state_size > r->state_room) {
		if (!reserve(&r->state, 2 * r->state_size, 1))
			return false;
		r->state_room = 2 * r->state_size;
	}
	r->model = model_init(r->state, r->threads, objects);
	r->fair = r->fair_k ? fair_init(r->state + r->model_size, r->threads, r->fair_k) : NULL;
	r->enabled = (uint64_t *)(void *)(r->state + r->model_size + r->fair_size);
	r->before = r->enabled + r->words;
	/* As they stay where nobody yields. */
	bitset_clear(r->enabled, r->words);
	return true;
}

/* Thread t has come to its operation number `index`: as the trace says, if it gets that far there. */
static void arrive(struct model_replay *r, uint32_t t, size_t transition)
{
	const struct op *op = transition != SIZE_MAX	     ? trace_pending(r->trace, transition)
			      : t < r->trace->threads_length ? thread_end_op(&r->trace->threads[t])
							     : NULL;
	if (op && op->kind != OP_NONE)
		model_set_pending(r->model, t, op);
}

static size_t first_of(const struct model_replay *r, uint32_t t)
{
	return r->first[t] < r->first[t + 1] ? r->list[r->first[t]] : SIZE_MAX;
}

static void be_born(struct model_replay *r, uint32_t t)
{
	const struct trace *trace = r->trace;
	if (t < trace->threads_length)
		model_thread_of(r->model, t, trace->threads[t].process, trace->threads[t].parent);
	const struct op start = {.kind = OP_THREAD_START, .object = NO_OBJECT, .object2 = NO_OBJECT};
	model_set_pending(r->model, t, &start);
	if (r->fair)
		fair_add_thread(r->fair);
}

/* It had this pending when the execution began. */
static void find(struct model_replay *r, uint32_t t, const struct op *op)
{
	if (op->kind == OP_NONE)
		model_thread_exit(r->model, t);
	else
		model_set_found(r->model, t, op);
}

static void compute_enabled(struct model_replay *r)
{
	if (!r->yields)
		return;
	bitset_clear(r->enabled, r->words);
	for (uint32_t t = 0; t < r->threads; t++)
		if (model_enabled(r->model, t))
			bitset_add(r->enabled, t);
}

/*
 * All objects and threads are there from the beginning, since their numbers are given; threads not yet born
 * are running, which for the model is as good as away.
 */
static void begin(struct model_replay *r)
{
	const struct trace *trace = r->trace;
	struct effect effect;
	model_flush_apart(r->model, trace->apart);
	for (uint32_t t = 0; t < r->threads; t++) {
		model_add_thread(r->model);
		model_thread_of(r->model, t, NO_THREAD, NO_THREAD);
		model_perform(r->model, t, CHOICE_DEFAULT, NULL, &effect);
	}
	for (uint32_t o = 0; o < trace->objects_length; o++)
		model_add_object(r->model, &trace->objects[o]);
	for (uint32_t t = 0; t < trace->initial_threads; t++) {
		be_born(r, t);
		if (t < trace->found_length) {
			find(r, t, &trace->found[t]);
			continue;
		}
		size_t first = first_of(r, t);
		bool starts = first != SIZE_MAX && trace->at[first].op.kind == OP_THREAD_START;
		if (starts || (first == SIZE_MAX && t < trace->threads_length &&
			       trace->threads[t].pending.kind == OP_THREAD_START))
			continue;
		if (first == SIZE_MAX &&
		    (t >= trace->threads_length || trace->threads[t].pending.kind == OP_NONE))
			model_thread_exit(r->model, t);
		else
			arrive(r, t, first);
	}
	compute_enabled(r);
}

/* Does the trace end before a transition, and not within its last one? */
static bool stops_between(const struct trace *trace)
{
	switch (trace->end) {
	case END_DEADLOCK:
	case END_REDUNDANT:
	case END_DEPTH:
	case END_THREAD_DEPTH:
	case END_LIVELOCK:
	case END_UNFULFILLED_LOOP:
	case END_ALLOWED:
	case END_NO_YIELD:
	case END_GOES_ON:
		return true;
	default:
		return false;
	}
}

/* It has nothing before it any more but to flush, and then its end if it came to that. */
static void end_apart(struct model_replay *r, uint32_t t)
{
	static const struct op flush = {.kind = OP_MEMORY_FLUSH, .object = NO_OBJECT, .object2 = NO_OBJECT};
	if (model_stores(r->model, t) > 0)
		model_set_pending(r->model, t, &flush);
	else if (r->exits[t])
		model_thread_exit(r->model, t);
}

/* After a flush the thread has pending what it had: where that is one the trace knows no more of it. */
static void settle_flush(struct model_replay *r, uint32_t t, const struct op *pending)
{
	if (pending->kind == OP_MEMORY_FLUSH)
		end_apart(r, t);
	else
		model_set_pending(r->model, t, pending);
}

/* What it asks for has changed by no operation, and the kernel has been asked since. */
static void ask_kernel(struct model_replay *r, uint32_t t, size_t next)
{
	struct op op = *model_pending(r->model, t);
	const struct op *later = next != SIZE_MAX ? &r->trace->at[next].op : &r->trace->threads[t].pending;
	const uint16_t flags = OP_ASKS | OP_READY;
	if (op.kind != OP_POLL || later->kind != OP_POLL || (op.flags & flags) == (later->flags & flags))
		return;
	op.flags = (uint16_t)((op.flags & ~flags) | (later->flags & flags));
	model_set_pending(r->model, t, &op);
}

/* The pending operation of a thread that the program, not the model, brings to its next one. */
static void settle(struct model_replay *r, size_t k, const struct effect *effect)
{
	const struct transition *transition = &r->trace->at[k];
	uint32_t t = transition->thread;
	for (uint32_t i = 0; i < transition->births; i++)
		be_born(r, transition->created + i);
	if (effect->asleep)
		return ask_kernel(r, t, r->next[k]);
	const bool stops = k + 1 < r->trace->length || stops_between(r->trace);
	if (op_is_told(transition->op.kind) && stops)
		model_kernel_says(r->model, &transition->op,
				  &(struct observation){transition->word, transition->word2});
	if (r->trace->apart && r->next[k] == SIZE_MAX &&
	    (r->exits[t] || (stops && r->trace->threads[t].pending.kind == OP_MEMORY_FLUSH)))
		end_apart(r, t);
	else if (transition->flags & TRANSITION_EXITS)
		model_thread_exit(r->model, t);
	else if (stops)
		arrive(r, t, r->next[k]);
}

bool model_replay_may_run(const struct model_replay *r, uint32_t t)
{
	if (!model_enabled(r->model, t))
		return false;
	for (uint32_t u = 0; r->yields && u < fair_threads(r->fair); u++)
		if (fair_yields_to(r->fair, t, u) && bitset_has(r->enabled, u))
			return false;
	return true;
}

bool model_replay_may_take(const struct model_replay *r, const struct step *step)
{
	if (step->choice != CHOICE_SPURIOUS)
		return model_replay_may_run(r, step->thread) &&
		       model_has_choice(r->model, step->thread, step->choice);
	bool goes_on = false;
	for (uint32_t u = 0; u < r->threads && !goes_on; u++)
		goes_on = model_enabled(r->model, u);
	return goes_on && model_spurious(r->model, step->thread);
}

/* A step that is known to be open. seen->word of a write to memory: has it left everything as it was? */
static void perform(struct model_replay *r, const struct step *step, const struct observation *seen,
		    struct effect *effect)
{
	model_perform_again(r->model, step->thread, step->choice, seen, effect);
	if (!seen->word && step->choice != CHOICE_FLUSH)
		model_changed(r->model, step->thread);
}

/* Perform transition k, which is known to be possible in the present state. */
static void take(struct model_replay *r, size_t k)
{
	const struct transition *transition = &r->trace->at[k];
	const struct step step = transition_step(transition);
	const struct observation seen = {transition->word, transition->word2};
	const struct op pending = *model_pending(r->model, step.thread);
	struct effect effect;
	perform(r, &step, &seen, &effect);
	if (is_flush(r->trace, k))
		settle_flush(r, step.thread, &pending);
	else
		settle(r, k, &effect);
	if (!r->yields)
		return;
	bitset_copy(r->before, r->enabled, r->words);
	compute_enabled(r);
	const struct turn turn = fair_turn(r->model, step.thread, &transition->op, transition->word,
					   transition->flags & TRANSITION_YIELD);
	fair_take(r->fair, &turn, r->before, r->enabled);
}

bool model_replay_step(struct model_replay *r, size_t k)
{
	const struct transition *transition = &r->trace->at[k];
	const struct step step = transition_step(transition);
	const struct op *op = model_pending(r->model, step.thread);
	if (is_flush(r->trace, k)) {
		const bool open = model_replay_may_take(r, &step);
		if (open)
			take(r, k);
		return open;
	}
	if (op->kind != transition->op.kind || op->object != transition->op.object ||
	    op->object2 != transition->op.object2 || !model_replay_may_take(r, &step))
		return false;
	take(r, k);
	return true;
}

/* [FAIR] Until a thread yields Algorithm 1 lets each run, and its sets needn't be kept. */
static bool has_yields(const struct trace *trace)
{
	for (size_t i = 0; i < trace->length; i++)
		if (trace->at[i].flags & TRANSITION_YIELD)
			return true;
	return false;
}

bool model_replay_start(struct model_replay *r, const struct trace *trace, uint32_t fair_k)
{
	r->trace = trace;
	r->fair_k = fair_k;
	r->threads = trace->threads_length;
	r->yields = fair_k && has_yields(trace);
	if (!index_transitions(r) || !lay_out(r))
		return false;
	begin(r);
	for (size_t i = 0;; i++) {
		if (i % r->interval == 0)
			memcpy(r->snapshots + i / r->interval * r->state_size, r->state, r->state_size);
		if (i == trace->length)
			return true;
		if (!model_replay_step(r, i))
			return false;
	}
}

void model_replay_goto(struct model_replay *r, size_t i)
{
	FMC_ASSERT(i <= r->trace->length);
	size_t snapshot = i / r->interval;
	memcpy(r->state, r->snapshots + snapshot * r->state_size, r->state_size);
	/* They were possible when the replay began. */
	for (size_t k = snapshot * r->interval; k < i; k++)
		take(r, k);
}

const struct model *model_replay_model(const struct model_replay *r)
{
	return r->model;
}

size_t model_replay_transition(const struct model_replay *r, uint32_t t, uint32_t index)
{
	size_t k = r->first[t] + index;
	return k < r->first[t + 1] ? r->list[k] : SIZE_MAX;
}

void model_replay_perform(struct model_replay *r, const struct step *step, const struct observation *seen,
			  struct footprint *footprint)
{
	struct effect effect;
	uint32_t t = step->thread;
	const struct op op = *model_pending(r->model, t);
	dependence_begin(footprint, r->model, t, step->choice);
	if (!model_has_choice(r->model, t, step->choice))
		return;
	perform(r, step, seen, &effect);
	dependence_performed(footprint, r->model, t);
	/* Nothing but its execution tells whether it changes what is looked at: then it may. */
	if (r->trace->observed) {
		footprint_touch(footprint, touch_key(TOUCH_SEEN, 0), TOUCH_WRITE);
		footprint_touch(footprint, touch_key(TOUCH_ASSERTED, 0), TOUCH_WRITE);
		footprint_touch(footprint, touch_key(TOUCH_ASSERTED, 1), TOUCH_WRITE);
	}
	if (!r->fair)
		return;
	bitset_copy(r->before, r->enabled, r->words);
	compute_enabled(r);
	const struct turn turn = fair_turn(r->model, t, &op, seen->word, effect.yield);
	fair_footprint(footprint, r->fair, &turn, r->before, r->enabled);
}

/* It may end a wait or not, which depends on what it finds and makes of it. */
static bool changes_awaited(const struct model *m, const struct op *op)
{
	for (uint32_t t = 0; op->kind == OP_MEMORY_WRITE && t < model_threads(m); t++)
		if (model_pending(m, t)->flags & OP_AWAITS)
			return true;
	return false;
}

/* Operations that find out what to do, or whom there is to do it to, when they are performed. */
static bool unforeseen(const struct op *op)
{
	switch (op->kind) {
	case OP_NONE:
	case OP_THREAD_CREATE:
	case OP_PROCESS_FORK:
	case OP_FUTEX_REQUEUE:
	case OP_FUTEX_WAKE_OP:
	case OP_SYSCALL:
		return true;
	case OP_POLL:
		return !(op->flags & OP_ASKS);
	case OP_SIGNAL_SEND:
		return op->object != NO_OBJECT && op->arg2 == SIGNAL_ACROSS;
	default:
		return !op_knows_objects(op);
	}
}

/*
 * Whether the thread exits after the operation makes no difference: that enables who joins it, and nobody yields to a
 * thread that can't go on before another exits, since it was neither enabled nor disabled by the one that yields.
 */
bool model_replay_foresee(struct model_replay *r, const struct step *step, struct footprint *footprint)
{
	/* What a futex operation sees decides no more than whether its own thread falls asleep. */
	static const struct observation unknown;
	const struct op *op = model_pending(r->model, step->thread);
	if (r->trace->observed || unforeseen(op) || changes_awaited(r->model, op) ||
	    !model_has_choice(r->model, step->thread, step->choice))
		return false;
	memcpy(r->state + r->state_size, r->state, r->state_size);
	model_replay_perform(r, step, &unknown, footprint);
	memcpy(r->state, r->state + r->state_size, r->state_size);
	return !footprint->failed;
}
