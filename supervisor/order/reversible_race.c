/* Which races of a trace can be reversed, and how. */
#include "supervisor/order/reversible_race.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>

struct reversible_races {
	const struct trace *trace;
	struct happens_before *order;
	struct model_replay *replay;
	struct reversal reversal;
	struct footprint footprint; /* of the last transition of a reversal */
	struct footprint pending;   /* of a thread that is left over */
	size_t
	    j; /* whose races are being listed; length + t: of thread t's next transition, and so on by enum left_over */
	size_t end;
	uint32_t joined; /* the thread that j can't do without the end of, NO_THREAD if there is none */
	bool open;	 /* candidates of j may be left */
	bool failed;
};

/* What those who are left over may do next: for each all threads. Flushes only where they are apart. */
enum left_over { LEFT_GOES_ON, LEFT_WAKES, LEFT_FLUSHES };

struct reversible_races *reversible_races_new(void)
{
	struct reversible_races *races = calloc(1, sizeof *races);
	if (!races)
		return NULL;
	races->order = happens_before_new();
	races->replay = model_replay_new();
	if (!races->order || !races->replay) {
		reversible_races_free(races);
		return NULL;
	}
	return races;
}

void reversible_races_free(struct reversible_races *races)
{
	if (!races)
		return;
	happens_before_free(races->order);
	model_replay_free(races->replay);
	footprint_release(&races->footprint);
	footprint_release(&races->pending);
	free(races->reversal.events);
	free(races);
}

bool reversible_races_start(struct reversible_races *races, const struct trace *trace, uint32_t fair_k)
{
	races->trace = trace;
	races->failed = false;
	return model_replay_start(races->replay, trace, fair_k) &&
	       happens_before_start(races->order, trace, fair_k != 0) &&
	       happens_before_push_all(races->order);
}

void reversible_races_from(struct reversible_races *races, size_t from, bool last)
{
	races->j = from;
	const size_t ways = races->trace->apart ? LEFT_FLUSHES + 1 : LEFT_WAKES + 1;
	races->end = races->trace->length + (last ? ways * races->trace->threads_length : 0);
	races->open = false;
}

static bool push_event(struct reversible_races *races, const struct event *event)
{
	struct reversal *reversal = &races->reversal;
	if (!ARRAY_GROW(reversal->events, reversal->length, reversal->room)) {
		races->failed = true;
		return false;
	}
	reversal->events[reversal->length++] = *event;
	return true;
}

/* The thread of races->j. */
static uint32_t racing_thread(const struct reversible_races *races)
{
	size_t length = races->trace->length;
	if (races->j < length)
		return races->trace->at[races->j].thread;
	return (uint32_t)((races->j - length) % races->trace->threads_length);
}

static enum left_over left_over(const struct reversible_races *races)
{
	return (enum left_over)((races->j - races->trace->length) / races->trace->threads_length);
}

static bool is_spurious(const struct reversible_races *races)
{
	if (races->j < races->trace->length)
		return races->trace->at[races->j].choice == CHOICE_SPURIOUS;
	return left_over(races) == LEFT_WAKES;
}

/* Is it of the buffer's lane? */
static bool is_flush(const struct reversible_races *races)
{
	if (races->j < races->trace->length)
		return races->trace->apart && races->trace->at[races->j].choice == CHOICE_FLUSH;
	return left_over(races) == LEFT_FLUSHES;
}

static uint32_t racing_lane(const struct reversible_races *races)
{
	const struct step step = {racing_thread(races), is_flush(races) ? CHOICE_FLUSH : CHOICE_DEFAULT};
	return lane_of(step, races->trace->apart);
}

/* A thread that can't go on otherwise may wake up spuriously: one that a signal woke in the trace, say. */
static bool may_only_wake(const struct reversible_races *races, uint32_t p)
{
	const struct step spurious = {p, CHOICE_SPURIOUS};
	return (is_spurious(races) || !model_replay_may_run(races->replay, p)) &&
	       model_replay_may_take(races->replay, &spurious);
}

static bool may_go_on(const struct reversible_races *races, uint32_t p)
{
	const struct model *model = model_replay_model(races->replay);
	if (is_flush(races))
		return model_replay_may_take(races->replay, &(struct step){p, CHOICE_FLUSH});
	if (races->trace->apart && model_flushes(model, p) && !model_goes_past(model, p))
		return false;
	return may_only_wake(races, p) || (!is_spurious(races) && model_replay_may_run(races->replay, p));
}

/* What ended its wait was no operation: whether that would be so in another order nobody knows. */
static bool came_unforeseen(const struct reversible_races *races, uint32_t p)
{
	const struct model *model = model_replay_model(races->replay);
	return model_awaits(model, p) && model_pending(model, p)->flags & OP_READY;
}

/* Who may get a signal that is sent to the program is for masks to say, of which the model doesn't know; the first way there is always. */
static bool is_unforeseen_way(const struct op *op)
{
	return op->kind == OP_SIGNAL_SEND && op->object == NO_OBJECT;
}

/* What thread p would do now, and what it would touch. */
static struct step perform_pending(struct reversible_races *races, uint32_t p, struct footprint *footprint)
{
	const struct model *model = model_replay_model(races->replay);
	struct observation seen = {0, 0};
	struct step step = {p, model_enabled(model, p) ? model_choice(model, p, 0) : CHOICE_DEFAULT};
	if (is_flush(races)) {
		step.choice = CHOICE_FLUSH;
	} else if (is_spurious(races) || may_only_wake(races, p)) {
		step.choice = CHOICE_SPURIOUS;
	} else if (races->j < races->trace->length) {
		const struct transition *j = &races->trace->at[races->j];
		seen = (struct observation){j->word, j->word2};
		if (!model_has_choice(model, p, step.choice) ||
		    (model_has_choice(model, p, j->choice) && !is_unforeseen_way(model_pending(model, p))))
			step.choice = j->choice;
	}
	model_replay_perform(races->replay, &step, &seen, footprint);
	races->failed |= footprint->failed;
	return step;
}

static bool ended(struct accesses accesses)
{
	for (uint32_t a = 0; a < accesses.length; a++)
		if (accesses.at[a].key == touch_key(TOUCH_ALL, 0))
			return accesses.at[a].mode == TOUCH_WRITE;
	return false;
}

/*
 * The last transition of the reversal. Only if it ended the process it did more than the model knows of; then
 * it is taken to do so in the other order too.
 */
static bool push_last(struct reversible_races *races, uint32_t p)
{
	struct event event = {.op = *model_pending(model_replay_model(races->replay), p)};
	event.step = perform_pending(races, p, &races->footprint);
	if (races->j < races->trace->length && ended(trace_accesses(races->trace, races->j)))
		dependence_ended(&races->footprint);
	event.footprint = (struct accesses){races->footprint.at, races->footprint.length};
	return push_event(races, &event);
}

/* Where thread t has come to the end of its process, by another's doing; the trace's length if it hasn't: so long it could have gone on. */
static size_t cut_at(const struct trace *trace, uint32_t t)
{
	const struct thread_end *end = &trace->threads[t];
	for (size_t k = trace->length; end->cut.kind != OP_NONE && k-- > 0;) {
		const struct transition *transition = &trace->at[k];
		const bool ends = transition->op.kind == OP_PROCESS_EXIT || transition->op.flags & OP_ENDS;
		if (ends && transition->op.kind != OP_SIGNAL_SEND &&
		    trace->threads[transition->thread].process == end->process)
			return k;
	}
	return trace->length;
}

/* Is the race of i with thread p reversible? Then races->reversal is how. */
static bool reverse(struct reversible_races *races, size_t i, uint32_t p)
{
	const struct trace *trace = races->trace;
	const size_t end = races->j < trace->length ? races->j : cut_at(trace, p);
	if (i > end)
		return false;
	races->reversal.i = i;
	races->reversal.length = 0;
	model_replay_goto(races->replay, i);
	for (size_t k = i + 1; k < end; k++) {
		if (happens_before(races->order, i, k))
			continue;
		const struct event event = {
		    .step = transition_step(&trace->at[k]),
		    .op = trace->at[k].op,
		    .footprint = trace_accesses(trace, k),
		};
		if (!model_replay_step(races->replay, k) || !push_event(races, &event))
			return false;
	}
	return !came_unforeseen(races, p) && may_go_on(races, p) && push_last(races, p);
}

/*
 * The thread whose end a join waits for, if nothing else can replace that: it has neither been detached nor joined by
 * another. All its transitions are candidates, and none but a join of its own, which would be of one another,
 * can be reversed: so they needn't be tried.
 */
static uint32_t thread_joined(const struct trace *trace, const struct op *op, uint32_t t)
{
	if (op->kind != OP_THREAD_JOIN || op->object == NO_OBJECT)
		return NO_THREAD;
	for (size_t i = 0; i < trace->length; i++) {
		const struct transition *other = &trace->at[i];
		bool joins = other->thread != t && op_class(other->op.kind) == CLASS_THREAD;
		if ((joins && other->op.object == op->object) || other->op.kind == OP_THREAD_DETACH ||
		    other->op.kind == OP_THREAD_CANCEL)
			return NO_THREAD;
	}
	return op->object;
}

static bool is_hopeless(const struct reversible_races *races, size_t i)
{
	const struct transition *transition = &races->trace->at[i];
	return transition->thread == races->joined && op_class(transition->op.kind) != CLASS_THREAD;
}

/* Begin with the candidates of races->j; false: it has none. */
static bool open_candidates(struct reversible_races *races)
{
	size_t length = races->trace->length;
	uint32_t t = racing_thread(races);
	if (races->j < length) {
		races->joined = thread_joined(races->trace, &races->trace->at[races->j].op, t);
		return happens_before_candidates(races->order, races->j, racing_lane(races),
						 trace_accesses(races->trace, races->j));
	}
	const size_t cut = cut_at(races->trace, t);
	model_replay_goto(races->replay, cut);
	const struct model *model = model_replay_model(races->replay);
	const enum op_kind kind = (enum op_kind)model_pending(model, t)->kind;
	if (is_flush(races) ? !model_flushes(model, t) : kind == OP_NONE || kind == OP_MEMORY_FLUSH)
		return false;
	if (is_spurious(races) && !model_spurious(model, t))
		return false;
	/* What a sleeping thread would do has been explored. */
	if (races->trace->end == END_REDUNDANT && cut == length && may_go_on(races, t))
		return false;
	races->joined = thread_joined(races->trace, model_pending(model, t), t);
	perform_pending(races, t, &races->pending);
	return happens_before_candidates(races->order, length, racing_lane(races),
					 (struct accesses){races->pending.at, races->pending.length});
}

const struct reversal *reversible_races_next(struct reversible_races *races)
{
	for (; races->j < races->end; races->j++, races->open = false) {
		if (!races->open)
			races->open = open_candidates(races);
		size_t i = races->open ? happens_before_candidate(races->order) : SIZE_MAX;
		for (; i != SIZE_MAX; i = happens_before_candidate(races->order)) {
			if (is_hopeless(races, i) || !reverse(races, i, racing_thread(races)))
				continue;
			happens_before_pass(races->order, i);
			return &races->reversal;
		}
	}
	return NULL;
}

bool reversible_races_failed(const struct reversible_races *races)
{
	return races->failed;
}

struct model_replay *reversible_races_replay(const struct reversible_races *races)
{
	return races->replay;
}
