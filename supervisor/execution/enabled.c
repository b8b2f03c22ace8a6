/* The present state of an execution: what is enabled, what is schedulable, and which ways there are to go on.
 */
#include "supervisor/execution/state.h"

#include <fmc/supervisor/bitset.h>
#include <fmc/tracer/assert.h>

#include <stdio.h>

static void set_ready(struct execution *x, uint32_t thread, bool ready)
{
	struct op op = *model_pending(x->block.model, thread);
	uint16_t flags = (uint16_t)(ready ? op.flags | OP_READY : op.flags & ~OP_READY);
	if (flags == op.flags)
		return;
	op.flags = flags;
	model_set_pending(x->block.model, thread, &op);
}

/*
 * Whom a signal that is about to be sent, or to come of a process's end, can come to, and whether one that has been can end a wait, hangs on
 * masks and handlers.
 */
static void aim(struct execution *x, uint32_t thread)
{
	struct op op = *model_pending(x->block.model, thread);
	const bool ends = op.kind == OP_PROCESS_EXIT && op.arg2;
	if (!x->machine->ops->aim || (op.kind != OP_SIGNAL_SEND && op.kind != OP_SIGNAL_TAKE && !ends))
		return;
	x->machine->ops->aim(x->machine, thread, &op);
	model_set_pending(x->block.model, thread, &op);
}

/* Only the model decides about it, and time doesn't: it is enabled as long as nothing happens to its objects. */
static bool is_plain(const struct model *model, uint32_t t)
{
	const struct op *op = model_pending(model, t);
	return !op_waits_outside(op->kind) && !model_awaits(model, t) && !model_timed(model, t) &&
	       op->kind != OP_SIGNAL_SEND && op->kind != OP_SIGNAL_TAKE && op->kind != OP_PROCESS_EXIT;
}

static bool is_on(const struct op *op, uint32_t object)
{
	return op->object == object || op->object2 == object;
}

/* Where only the model decides: whether it is enabled, and in which way if there is one alone. */
static void compute_one(struct execution *x, uint32_t t)
{
	const struct model *model = x->block.model;
	int32_t choice = CHOICE_DEFAULT;
	const uint32_t ways = model_ways(model, t, &choice);
	bitset_remove(x->enabled, t);
	bitset_remove(x->sole, t);
	if (ways > 0)
		bitset_add(x->enabled, t);
	if (ways != 1 || model_flushes(model, t))
		return;
	x->choices[t] = choice;
	bitset_add(x->sole, t);
}

/* What is asserted now and then of what hasn't been computed anew. */
#define CHECK_EVERY 64

static void check_enabled(const struct execution *x)
{
	const struct model *model = x->block.model;
	for (uint32_t t = 0; t < model_threads(model); t++)
		FMC_ASSERT((is_plain(model, t) || !x->plain) &&
			   (bitset_has(x->enabled, t) || bitset_has(x->held, t)) == model_enabled(model, t) &&
			   (!bitset_has(x->sole, t) ||
			    (model_choices(model, t) == 1 && model_choice(model, t, 0) == x->choices[t])));
}

/* Where all isn't plain: what the kernel says, and time, is asked for anew when the thread that is ahead has stopped; until then nobody else goes on. */
static bool is_still(const struct execution *x)
{
	return x->plain || (x->steady && execution_ahead(x) == x->previous &&
			    (!x->timed || (x->hurried && execution_comes_before(x, x->previous))));
}

/*
 * The last transition was about an object, if about anything: only the thread itself, and those before an operation on that or on what it stands before now, may be
 * enabled otherwise than before. False: all have to be looked at.
 */
static bool compute_changed(struct execution *x)
{
	const struct model *model = x->block.model;
	const bool local = x->local && is_plain(model, x->previous) && is_still(x);
	bool alone = true;
	x->local = x->kept = x->same = false;
	if (!local)
		return false;
	const uint32_t next = model_pending(model, x->previous)->object;
	for (uint32_t t = 0; t < model_threads(model); t++) {
		const struct op *op = model_pending(model, t);
		const bool about = (x->touched != NO_OBJECT && is_on(op, x->touched)) ||
				   (next != NO_OBJECT && is_on(op, next));
		if (t != x->previous && !about)
			continue;
		if (!x->plain && !is_plain(model, t))
			return false;
		compute_one(x, t);
		alone &= t == x->previous;
	}
	if (!x->plain && !bitset_has(x->enabled, x->previous))
		return false;
	if (x->trace->length % CHECK_EVERY == 0)
		check_enabled(x);
	x->same = alone && bitset_has(x->enabled, x->previous);
	return x->kept = true;
}

/* The enabled set, after asking the machine about threads that wait for something outside of the model. */
static void compute_enabled(struct execution *x)
{
	const struct model *model = x->block.model;
	uint32_t threads = model_threads(model);
	bitset_clear(x->enabled, fair_words(x->fair));
	bitset_clear(x->sole, fair_words(x->fair));
	x->plain = x->steady = true;
	x->sleepers = x->kept = x->same = false;
	for (uint32_t t = 0; t < threads; t++) {
		const struct op *op = model_pending(model, t);
		const bool awaits = model_awaits(model, t);
		x->sleepers |= op->kind == OP_COND_ASLEEP;
		if (op_waits_outside(op->kind) || awaits)
			set_ready(x, t, x->machine->ops->ready(x->machine, t, op));
		aim(x, t);
		x->plain &= is_plain(model, t);
		x->steady &= !awaits;
	}
	/* Whether others go on matters to some. */
	for (uint32_t t = 0; t < threads; t++)
		if (model_enabled(model, t))
			bitset_add(x->enabled, t);
}

/* When the wait of a thread that goes on by itself as time passes ends; 0: it needs no time, or nobody knows how much. */
static int64_t end_of_wait(const struct model *model, uint32_t t)
{
	const struct op *op = model_pending(model, t);
	return op->kind == OP_SLEEP || !model_ready(model, t) ? op->end : 0;
}

/* Nobody goes on before this moment, as long as nothing comes from outside; 0: somebody does. */
static int64_t idle_until(const struct execution *x)
{
	const struct model *model = x->block.model;
	int64_t first = INT64_MAX;
	uint32_t t;
	BITSET_EACH(t, x->enabled, fair_words(x->fair))
	{
		const int64_t end = end_of_wait(model, t);
		if (!end)
			return 0;
		if (end < first)
			first = end;
	}
	return bitset_empty(x->enabled, fair_words(x->fair)) ? 0 : first;
}

/* A thread whose time is yet to come doesn't go on. */
static void hold_back_later(struct execution *x, int64_t until)
{
	uint32_t t;
	BITSET_EACH(t, x->enabled, fair_words(x->fair))
	if (end_of_wait(x->block.model, t) > until)
		bitset_remove(x->enabled, t);
}

/* The plan says what comes next, and it could now: nobody has to wait for it. */
static bool is_planned(const struct execution *x)
{
	const size_t next = x->trace->length;
	if (next >= x->plan->prefix_length)
		return false;
	const struct step *step = &x->plan->prefix[next];
	return step->thread < model_threads(x->block.model) &&
	       model_has_choice(x->block.model, step->thread, step->choice);
}

void execution_let_children_end(const struct execution *x)
{
	const size_t now = x->trace->length;
	const struct plan *plan = x->plan;
	const uint64_t *before = plan->ended && now < plan->prefix_length ? &plan->ended[now] : NULL;
	if (x->machine->ops->children)
		x->machine->ops->children(x->machine, before);
}

/* No child process ends from here on before the transition. A thread whose wait one of the last has ended is enabled, too. */
static void hold_children(struct execution *x)
{
	const struct model *model = x->block.model;
	const uint64_t ended =
	    x->machine->ops->children_held ? x->machine->ops->children_held(x->machine) : 0;
	for (uint32_t t = 0; t < model_threads(model) && ended != x->ended; t++) {
		const struct op *op = model_pending(model, t);
		if (!op_waits_outside(op->kind) || bitset_has(x->enabled, t) ||
		    !x->machine->ops->ready(x->machine, t, op))
			continue;
		set_ready(x, t, true);
		if (model_enabled(model, t))
			bitset_add(x->enabled, t);
		x->same = false;
	}
	x->ended = ended;
}

/*
 * Where nobody goes on but by a sleep's or a time-out's end, and something outside is awaited, time isn't skipped: it has to
 * pass for those outside as well. Whose time comes first goes on then, if nothing has come before. False: nothing comes.
 */
static bool follow_time(struct execution *x)
{
	int64_t until = 0;
	enum hope hope = HOPE_MORE;
	while (x->machine->ops->await && hope == HOPE_MORE && (until = idle_until(x)) != 0) {
		hope = x->machine->ops->await(x->machine, is_planned(x) ? 1 : until);
		if (hope == HOPE_MORE)
			compute_enabled(x);
	}
	hold_children(x);
	if (until && hope == HOPE_DUE)
		hold_back_later(x, until);
	return !until || hope != HOPE_LOST;
}

/* The thread's wait is let begin in the kernel: it may be over there, which nobody could see from here. */
static void let_wait(struct execution *x, uint32_t thread)
{
	set_ready(x, thread, true);
	bitset_add(x->enabled, thread);
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
	execution_let_children_end(x);
	/* Also where there is no hope the model may have learned by asking that somebody can go on. */
	do {
		hope = asked ? x->machine->ops->await(x->machine, 0) : HOPE_NONE;
		compute_enabled(x);
		if (!bitset_empty(x->enabled, fair_words(x->fair)))
			return true;
	} while (hope == HOPE_MORE);
	for (uint32_t t = 0; t < model_threads(model) && (hope != HOPE_NONE || !asked); t++) {
		if (!op_waits_outside(model_pending(model, t)->kind))
			continue;
		let_wait(x, t);
		return true;
	}
	x->hopeless = hope == HOPE_NONE;
	return false;
}

/*
 * What threads ask for that others could change is looked at in a whole round, which is one more than it takes to find that they go round. It has been where
 * a schedule ends, or was no condition for one in the version that wrote it. False: that is still to come.
 */
static bool is_watched(struct execution *x)
{
	struct trace *trace = x->trace;
	if (!x->machine->ops->go_round ||
	    (x->plan->policy.written && trace->length == x->plan->prefix_length))
		return true;
	if (!x->round) {
		x->round = trace->length;
		x->machine->ops->go_round(x->machine);
	}
	if (trace->loop_start >= x->round)
		return true;
	lasso_longer(&x->lasso, trace->length, trace->length - trace->loop_start);
	trace->end_thread = NO_THREAD;
	trace->end = END_NONE;
	trace->loop_start = 0;
	return false;
}

/*
 * The threads go round and come to the same state again, which is for ever unless somebody outside ends it: a child process by memory that it
 * shares, or what another thread waits for. As where nobody goes on, time is let pass for those, and what has come shows before the next transition.
 * True: the execution ends here.
 */
static bool goes_round(struct execution *x)
{
	struct trace *trace = x->trace;
	const bool told =
	    trace->end == END_LIVELOCK || trace->end == END_NO_YIELD || trace->end == END_UNFULFILLED_LOOP;
	if (told && !is_watched(x))
		return false;
	const enum hope hope =
	    told && x->machine->ops->await ? x->machine->ops->await(x->machine, 0) : HOPE_NONE;
	if (hope == HOPE_NONE)
		return true;
	trace->end_thread = NO_THREAD;
	trace->end = END_NONE;
	if (hope != HOPE_LOST) {
		trace->loop_start = 0;
	} else {
		trace->end = END_STUCK;
		snprintf(trace->message, sizeof trace->message,
			 "threads go round until something comes from outside of the program");
	}
	lasso_again(&x->lasso);
	return hope == HOPE_LOST;
}

/* Does the plan go on with an operation whose wait for something outside isn't over yet? */
static bool plan_waits(const struct execution *x)
{
	const struct model *model = x->block.model;
	const size_t now = x->trace->length;
	if (now >= x->plan->prefix_length || !x->machine->ops->await)
		return false;
	const struct step *next = &x->plan->prefix[now];
	return next->choice != CHOICE_TIMEOUT && next->thread < model_threads(model) &&
	       op_waits_outside(model_pending(model, next->thread)->kind) &&
	       !model_ready(model, next->thread);
}

/* What had come when the plan was made, a child's end for instance, comes again at its own pace: be patient. */
static void await_planned(struct execution *x)
{
	enum hope hope = HOPE_MORE;
	while (plan_waits(x) && (hope = x->machine->ops->await(x->machine, 0)) == HOPE_MORE)
		compute_enabled(x);
	if (hope == HOPE_LOST)
		let_wait(x, x->plan->prefix[x->trace->length].thread);
}

/* Some could go on, if they hadn't gone a round in vain (OP_VAIN): another execution goes on from there. */
static bool somebody_is_held_back(const struct execution *x)
{
	const struct model *model = x->block.model;
	for (uint32_t t = 0; t < model_threads(model); t++)
		if (model_held_back(model, t))
			return true;
	return false;
}

/* Returns false. */
static bool end_without_enabled(struct execution *x)
{
	const struct model *model = x->block.model;
	x->trace->end = END_EXIT;
	for (uint32_t t = 0; t < model_threads(model); t++)
		if (!model_exited(model, t))
			x->trace->end = x->hopeless ? END_DEADLOCK : END_STUCK;
	if (x->trace->end == END_STUCK)
		snprintf(x->trace->message, sizeof x->trace->message,
			 "every thread waits, and another process could still wake one");
	return false;
}

/*
 * Could the thread that ran last go on? Ready counts, not merely enabled: leaving a thread that can only time
 * out is no preemption.
 */
static bool previous_ready(const struct execution *x)
{
	return x->previous != NO_THREAD && bitset_has(x->enabled, x->previous) &&
	       (x->plain || x->kept || model_ready(x->block.model, x->previous));
}

/* These let threads that sleep go on to a lock. */
static bool wakes(const struct op *op)
{
	return op->kind == OP_COND_SIGNAL || op->kind == OP_COND_BROADCAST;
}

/*
 * Do threads wait for each other in a circle since the last transition? Then the thread that made it is one of them: it has come to
 * wait, or it holds what others wait for; or it has woken one. What the plan says is followed to its end all the same, and then
 * all are asked.
 */
static bool circle_closed(const struct execution *x)
{
	const struct model *model = x->block.model;
	const struct trace *trace = x->trace;
	if (!x->ends_at_circles || trace->length < x->plan->prefix_length)
		return false;
	if (trace->length > x->plan->prefix_length && !wakes(&trace->at[trace->length - 1].op))
		return !previous_ready(x) && model_in_circle(model, x->previous);
	for (uint32_t t = 0; t < model_threads(model); t++)
		if (model_in_circle(model, t))
			return true;
	return false;
}

static bool ends_at_circle(struct execution *x)
{
	if (!circle_closed(x))
		return false;
	x->trace->end = END_DEADLOCK;
	return true;
}

static inline struct alternative alternative(const struct execution *x, uint32_t t, int32_t choice,
					     bool may_stay)
{
	return (struct alternative){
	    .step = {.thread = t, .choice = choice},
	    .preemption = may_stay && t != x->previous,
	    .timeout = choice == CHOICE_TIMEOUT,
	};
}

static bool push_alternative(struct execution *x, uint32_t t, int32_t choice, bool may_stay)
{
	const struct alternative one = alternative(x, t, choice, may_stay);
	return trace_push_alternative(x->trace, &one) || execution_out_of_memory(x->trace);
}

/* Does the plan have this thread flush where nobody else need try to? */
static bool plans_flush(const struct execution *x, uint32_t t)
{
	const struct model *model = x->block.model;
	const size_t now = x->trace->length;
	if (now >= x->plan->prefix_length ||
	    !step_equal(x->plan->prefix[now], (struct step){t, CHOICE_FLUSH}) ||
	    !model_has_choice(model, t, CHOICE_FLUSH))
		return false;
	for (uint32_t i = 0; i < model_choices(model, t); i++)
		if (model_choice(model, t, i) == CHOICE_FLUSH)
			return false;
	return true;
}

/* The ways of one thread. */
static bool list_choices(struct execution *x, uint32_t t, bool may_stay)
{
	const struct model *model = x->block.model;
	if (bitset_has(x->sole, t))
		return push_alternative(x, t, x->choices[t], may_stay);
	int32_t choice = CHOICE_DEFAULT;
	const uint32_t choices = model_ways(model, t, &choice);
	FMC_ASSERT(choices > 0);
	if (choices == 1 && (x->plain || is_plain(model, t)) && !model_flushes(model, t)) {
		x->choices[t] = choice;
		bitset_add(x->sole, t);
		return push_alternative(x, t, choice, may_stay);
	}
	for (uint32_t i = 0; i < choices; i++)
		if (!push_alternative(x, t, model_choice(model, t, i), may_stay))
			return false;
	return !plans_flush(x, t) || push_alternative(x, t, CHOICE_FLUSH, may_stay);
}

/* Is there a way to go on besides spurious wakeups? */
static bool goes_on(const struct execution *x)
{
	uint32_t t;
	BITSET_EACH(t, x->schedulable, fair_words(x->fair))
	if (!execution_used_up(x, t))
		return true;
	return false;
}

/* The ways of one thread, all of them. */
static bool list_thread(struct execution *x, uint32_t t, bool may_stay, bool spurious)
{
	const bool schedulable = bitset_has(x->schedulable, t);
	if (execution_used_up(x, t)) {
		x->trace->held_back |= schedulable;
		return true;
	}
	if (schedulable && !list_choices(x, t, may_stay))
		return false;
	return !spurious || !model_spurious(x->block.model, t) ||
	       push_alternative(x, t, CHOICE_SPURIOUS, may_stay);
}

/* Where each thread that may go on has one way to. */
static bool list_sole(struct execution *x, bool may_stay)
{
	const uint32_t words = fair_words(x->fair);
	struct trace *trace = x->trace;
	struct alternative *to = trace_reserve_alternatives(trace, model_threads(x->block.model));
	if (!to)
		return execution_out_of_memory(trace);
	for (uint32_t w = 0; w < words; w++)
		for (uint64_t rest = x->schedulable[w]; rest; rest &= rest - 1) {
			const uint32_t t = w * BITSET_WORD_BITS + (uint32_t)__builtin_ctzll(rest);
			*to++ = alternative(x, t, x->choices[t], may_stay);
		}
	trace->alternatives_length = (size_t)(to - trace->alternatives);
	return true;
}

/* All ways to go on, appended to the trace's alternatives. */
static bool list_alternatives(struct execution *x)
{
	const uint32_t threads = model_threads(x->block.model);
	bool ready = previous_ready(x) && !execution_used_up(x, x->previous);
	bool may_stay = ready && bitset_has(x->schedulable, x->previous);
	uint32_t t;
	x->forced = ready && !may_stay;
	/*
	 * Fairness owes nobody a spurious wakeup: it is open whoever has priority, and not where it alone would
	 * keep the program going, because there a real one may hang.
	 */
	bool spurious = x->sleepers && goes_on(x);
	for (t = 0; t < threads && spurious; t++)
		if (!list_thread(x, t, may_stay, true))
			return false;
	if (spurious)
		return true;
	if (!x->plan->policy.max_thread_depth && bitset_subset(x->schedulable, x->sole, fair_words(x->fair)))
		return list_sole(x, may_stay);
	BITSET_EACH(t, x->schedulable, fair_words(x->fair))
	if (!list_thread(x, t, may_stay, false))
		return false;
	return true;
}

static bool is_quiet(const struct transition *transition, uint32_t t)
{
	return transition->thread == t && transition->choice == CHOICE_DEFAULT &&
	       !(transition->flags & TRANSITION_YIELD);
}

/*
 * The thread that ran last has been the one twice, nobody can do anything else than before either of these transitions, and the fair scheduler
 * knew of both: then the ways to go on are the same ones.
 */
static bool is_as_before(const struct execution *x)
{
	const struct trace *trace = x->trace;
	const uint32_t t = x->previous;
	if (!x->same || trace->length < 2 || x->plan->policy.max_thread_depth)
		return false;
	const struct transition *last = &trace->at[trace->length - 1];
	if (!is_quiet(last, t) || !is_quiet(last - 1, t) || !bitset_has(x->sole, t) ||
	    x->choices[t] != CHOICE_DEFAULT)
		return false;
	uint32_t ways = 0;
	for (uint32_t i = 0; i < last->alternatives; i++)
		ways += trace->alternatives[last->first_alternative + i].step.thread == t;
	return ways == 1;
}

static bool list_again(struct execution *x)
{
	struct trace *trace = x->trace;
	const struct transition *last = &trace->at[trace->length - 1];
	for (uint32_t i = 0; i < last->alternatives; i++) {
		const struct alternative one = trace->alternatives[last->first_alternative + i];
		if (!trace_push_alternative(trace, &one))
			return execution_out_of_memory(trace);
	}
	return true;
}

/* The ways that have been listed from `first` on are those that there were before the last transition. */
static void check_again(const struct execution *x, size_t first)
{
	const struct trace *trace = x->trace;
	const struct transition *last = &trace->at[trace->length - 1];
	FMC_ASSERT(trace->alternatives_length - first == last->alternatives);
	for (uint32_t i = 0; i < last->alternatives; i++) {
		const struct alternative *one = &trace->alternatives[last->first_alternative + i];
		const struct alternative *other = &trace->alternatives[first + i];
		FMC_ASSERT(step_equal(one->step, other->step) && one->preemption == other->preemption &&
			   one->timeout == other->timeout);
	}
}

/* What the last transition means for who may go on: to priorities and sleepers. */
static bool advance(struct execution *x)
{
	const struct trace *trace = x->trace;
	if (trace->length == 0)
		return true;
	const struct transition *last = &trace->at[trace->length - 1];
	/* Before the first yield that counts there are no priorities that a transition could change. */
	if ((x->windows || last->flags & TRANSITION_YIELD) && !execution_advance_fairness(x, last))
		return false;
	if (x->plan->sleep_set_length > 0)
		execution_wake_sleepers(x);
	return true;
}

/* The enabled set, and what follows from it, where anything may have changed. False: nothing can go on, and the end is set. */
static bool compute_anew(struct execution *x)
{
	struct trace *trace = x->trace;
	if (!x->kept)
		compute_enabled(x);
	await_planned(x);
	if (!execution_believes_plugin(trace))
		return false;
	if (!follow_time(x)) {
		trace->end = END_STUCK;
		snprintf(trace->message, sizeof trace->message,
			 "every thread waits for something outside of the program, or for time to pass");
		return false;
	}
	execution_hold_timeouts(x);
	return advance(x);
}

/* The same where compute_changed() has done and all is plain: nobody waits for anything but the model, nor for time. */
static bool compute_rest(struct execution *x)
{
	if (!execution_believes_plugin(x->trace))
		return false;
	if (x->machine->ops->children)
		hold_children(x);
	execution_count_turns(x);
	return advance(x);
}

/* The sets and alternatives of the present state; false: nothing can go on, and the end is set. */
bool execution_compute_enabled(struct execution *x)
{
	struct trace *trace = x->trace;
	uint32_t words = fair_words(x->fair);
	execution_let_children_end(x);
	const bool rest = compute_changed(x) && x->plain;
	if (!(rest ? compute_rest(x) : compute_anew(x)))
		return false;
	if (bitset_empty(x->enabled, words) && somebody_is_held_back(x)) {
		trace->end = END_REDUNDANT;
		return false;
	}
	/* Nothing from outside ends that. */
	if (bitset_empty(x->enabled, words) && ends_at_circle(x))
		return false;
	if (bitset_empty(x->enabled, words)) {
		const bool on = await_outside(x);
		hold_children(x);
		if (!on)
			return end_without_enabled(x);
	}
	if (x->judges_cycles && execution_judge_cycles(x) && goes_round(x))
		return false;
	if (lasso_ends(&x->lasso, x->machine, x->block.model, trace) && goes_round(x))
		return false;
	if (ends_at_circle(x))
		return false;
	x->stage = EXECUTION_SURVEYED;
	size_t first = trace->alternatives_length;
	const bool as_before = is_as_before(x);
	if (as_before && trace->length % CHECK_EVERY != 0)
		return list_again(x);
	if (x->windows)
		fair_schedulable(x->fair, x->enabled, x->schedulable);
	else
		bitset_copy(x->schedulable, x->enabled, words);
	FMC_ASSERT(!bitset_empty(x->schedulable, words)); /* Theorem 3 */
	bitset_copy(x->before, x->enabled, words);
	if (!list_alternatives(x))
		return false;
	if (as_before)
		check_again(x, first);
	if (trace->alternatives_length == first)
		trace->end = END_THREAD_DEPTH;
	return trace->alternatives_length > first;
}
