/* One transition of an execution: choose it, perform it, take in what came of it. */
#include "supervisor/execution/state.h"

#include <fmc/breakpoints/plugin.h>
#include <fmc/supervisor/bitset.h>
#include <fmc/supervisor/misuse.h>
#include <fmc/tracer/assert.h>

#include <stdio.h>
#include <stdlib.h>

/* Threads that the machine has added to the model meanwhile enter the fair scheduler. */
static bool admit_births(struct execution *x)
{
	uint32_t threads = model_threads(x->block.model);
	if (x->trace->length > 0 && fair_threads(x->fair) == threads)
		return true;
	if (!execution_reserve_threads(x, threads))
		return execution_out_of_memory(x->trace);
	if (x->trace->length == 0)
		x->trace->initial_threads = threads;
	while (fair_threads(x->fair) < threads)
		fair_add_thread(x->fair);
	return true;
}

/* Where each round is one of its own, the last one tells nothing. */
static void set_pending_in_vain(struct execution *x, uint32_t thread, struct op op)
{
	const bool once = x->plan->policy.once_round && !x->monitor.look;
	if (once) {
		op.flags |= OP_AWAITS;
	} else {
		op.flags &= (uint16_t)~OP_VAIN;
		op.arg3 = op.flags & OP_AWAITS ? op.arg3 : 0;
	}
	model_set_pending(x->block.model, thread, &op);
}

/* The thread has come as far as `outcome` says; false: the execution is over. */
bool execution_settle(struct execution *x, uint32_t thread, bool asleep, const struct outcome *outcome)
{
	struct trace *trace = x->trace;
	FMC_ASSERT(x->stage == EXECUTION_BEGINS || x->stage == EXECUTION_PERFORMS);
	x->stage = EXECUTION_BETWEEN;
	if (!admit_births(x) || !execution_record_objects(x))
		return false;
	switch (outcome->kind) {
	case OUTCOME_PENDING:
		if (!asleep && outcome->next.flags & OP_VAIN)
			set_pending_in_vain(x, thread, outcome->next);
		else if (!asleep)
			model_set_pending(x->block.model, thread, &outcome->next);
		return true;
	case OUTCOME_EXITED:
		model_thread_exit(x->block.model, thread);
		return true;
	case OUTCOME_PROCESS_END:
		execution_set_end(trace, outcome->end, outcome->status, outcome->message);
		trace->end_value = outcome->end_value;
		trace->end_thread = thread;
		trace->midway = outcome->end == END_VIOLATED;
		return false;
	case OUTCOME_FAILED:
		execution_set_end(trace, outcome->end, outcome->status, outcome->message);
		trace->end_thread = thread;
		return false;
	case OUTCOME_AGAIN:
		x->again = true;
		if (x->monitor.come)
			x->monitor.come(x->monitor.context, NULL, NULL, NULL);
		return false;
	}
	FMC_ASSERT(!"an outcome of no known kind");
}

/* The policy's choice among the alternatives that are awake; `count` if all are asleep. */
static size_t choose_awake(struct execution *x, const struct alternative *alternatives, size_t count)
{
	const bool all = x->plan->sleep_set_length == 0;
	size_t awake = all ? count : 0, chosen;
	struct policy_view view = {x->block.model, x->previous, alternatives, count};
	for (size_t i = 0; !all && i < count; i++)
		awake += !execution_is_asleep(x, &alternatives[i].step);
	if (awake == 0)
		return count;
	if (awake == count) {
		chosen = policy_choose(x->policy, &view);
		policy_took(x->policy, &view, chosen);
		return chosen;
	}
	/* Those awake for a moment after all others, at the end of the trace's own list. */
	struct trace *trace = x->trace;
	size_t end = trace->alternatives_length;
	for (size_t i = 0; i < count; i++) {
		struct alternative alternative = trace->alternatives[end - count + i];
		if (!execution_is_asleep(x, &alternative.step) &&
		    !trace_push_alternative(trace, &alternative)) {
			execution_out_of_memory(trace);
			return count;
		}
	}
	view.alternatives = trace->alternatives + end;
	view.count = awake;
	chosen = policy_choose(x->policy, &view);
	/* Not even a policy that never chooses them by itself may pass over spurious wakeups here. */
	if (chosen >= awake)
		chosen = 0;
	const struct step step = view.alternatives[chosen].step;
	policy_took(x->policy, &view, chosen);
	trace->alternatives_length = end;
	return alternative_find(trace->alternatives + end - count, count, step);
}

/* A thread has performed its next operation already, which by the model it can't: that is fmc's own fault, or memory of fmc's was written to. */
static void end_ahead(struct trace *trace, uint32_t t)
{
	trace->end = END_ERROR;
	trace->status = STATUS_BUG;
	trace->end_thread = t;
	snprintf(trace->message, sizeof trace->message,
		 "T%u has passed transition %zu without a stop, and by the model it can't go on", t + 1,
		 trace->length);
}

/* Has another thread priority over it, as soon as that can go on? */
static bool yields_to_others(const struct execution *x, uint32_t t)
{
	const struct model *model = x->block.model;
	for (uint32_t u = 0; fair_yields(x->fair, t) && u < model_threads(model); u++)
		if (!model_exited(model, u) && fair_yields_to(x->fair, t, u))
			return true;
	return false;
}

/*
 * So many transitions may be made before they are chosen: by the default policy a thread goes on for as long as it can, unless it yields, or has
 * yielded to somebody whom it lets go on now; which it hasn't since it has passed what it is ahead by. What others look at on the way isn't made.
 */
static size_t room_ahead(const struct execution *x, uint32_t t, const struct effect *effect)
{
	const struct policy *policy = &x->plan->policy;
	const bool looked_at =
	    x->monitor.look || x->monitor.come || x->judges_cycles || x->watcher.decide || x->verify;
	if (policy->kind != POLICY_DEFAULT || effect->yield || policy->max_thread_depth || policy->apart ||
	    looked_at || x->trace->length < x->plan->prefix_length || x->plan->sleep_set_length > 0 ||
	    (execution_ahead(x) != t && yields_to_others(x, t)))
		return 0;
	return lasso_unwatched(&x->lasso, x->trace->length);
}

/* Which of the alternatives comes next; `count` if the plan's step is none of them, or all are asleep. */
static size_t choose(struct execution *x, const struct alternative *alternatives, size_t count)
{
	size_t now = x->trace->length;
	const struct policy_view view = {x->block.model, x->previous, alternatives, count};
	const uint32_t t = execution_ahead(x);
	if (t == NO_THREAD && now >= x->plan->prefix_length)
		return choose_awake(x, alternatives, count);
	const struct step step = t == NO_THREAD ? x->plan->prefix[now] : (struct step){t, CHOICE_DEFAULT};
	size_t i = alternative_find(alternatives, count, step);
	if (i < count)
		policy_took(x->policy, &view, i);
	return i;
}

static void end_diverged(struct trace *trace, const struct step *step)
{
	trace->end = END_DIVERGED;
	trace->status = STATUS_DIVERGED;
	trace->end_thread = step->thread;
	snprintf(trace->message, sizeof trace->message, "T%u can't run transition %zu with choice %d",
		 step->thread + 1, trace->length, step->choice);
}

static bool looks(const struct op *op, int32_t choice)
{
	return op->kind == OP_FUTEX_WAIT || op->kind == OP_FUTEX_REQUEUE || op->kind == OP_FUTEX_WAKE_OP ||
	       (op_tries(op) && choice != CHOICE_TIMEOUT);
}

/* The flags that are known before the machine has run. */
static uint8_t transition_flags(const struct execution *x, const struct effect *effect,
				const struct alternative *taken)
{
	unsigned flags = execution_timeout_flags(x, &taken->step);
	if (effect->yield)
		flags |= TRANSITION_YIELD;
	if (effect->timed_out)
		flags |= TRANSITION_TIMED_OUT;
	if (taken->preemption)
		flags |= TRANSITION_PREEMPTION;
	if (x->forced)
		flags |= TRANSITION_FORCED;
	return (uint8_t)flags;
}

/* The model's prediction against what the real function returned. */
static bool prediction_held(struct execution *x, const struct op *op, const struct effect *effect,
			    const struct outcome *outcome)
{
	bool user = op->kind >= OP_USER;
	if (!(x->verify || user) || !effect->result_known || !outcome->result_valid ||
	    !outcome->result_checked || effect->result == outcome->result)
		return true;
	struct trace *trace = x->trace;
	if (user) {
		plugin_blame("apply() of %s predicted the result %lld, the function returned %lld",
			     op_name(op->kind), (long long)effect->result, (long long)outcome->result);
		return execution_believes_plugin(trace);
	}
	trace->end = END_ERROR;
	trace->status = STATUS_BUG;
	trace->end_thread = trace->at[trace->length - 1].thread;
	snprintf(trace->message, sizeof trace->message,
		 "the model is wrong about transition %zu, T%u %s: it predicted the result %lld, got %lld",
		 trace->length - 1, trace->end_thread + 1, op_name(op->kind), (long long)effect->result,
		 (long long)outcome->result);
	return false;
}

/* An operation that no program may make isn't performed: the execution ends before it. */
static void end_misused(struct outcome *outcome, enum misuse misuse)
{
	outcome->kind = OUTCOME_PROCESS_END;
	outcome->end = END_MISUSE;
	outcome->end_value = (int)misuse;
}

static void hear_kernel(struct execution *x, struct transition *transition, const struct outcome *outcome)
{
	/* Else that is whether it would have waited. */
	if (!op_is_tried(transition->op.kind))
		transition->word = outcome->said.word;
	transition->word2 = outcome->said.word2;
	model_kernel_says(x->block.model, &transition->op, &outcome->said);
}

/* Whether a write has changed anything only the machine knows. */
static void take_change(struct execution *x, struct transition *done, const struct outcome *outcome)
{
	if (done->op.kind != OP_MEMORY_WRITE || done->choice == CHOICE_FLUSH)
		return;
	done->word = outcome->unchanged;
	if (!outcome->unchanged)
		model_changed(x->block.model, done->thread);
}

/*
 * Where the model alone decides about all, and nobody's time counts, these change nothing for others but by their object. Those who wait for memory
 * to change aren't such.
 */
static bool is_about_object(enum op_kind kind)
{
	switch (kind) {
	case OP_MUTEX_LOCK:
	case OP_MUTEX_TRYLOCK:
	case OP_MUTEX_UNLOCK:
	case OP_RWLOCK_RDLOCK:
	case OP_RWLOCK_TRYRDLOCK:
	case OP_RWLOCK_WRLOCK:
	case OP_RWLOCK_TRYWRLOCK:
	case OP_RWLOCK_UNLOCK:
	case OP_SPIN_LOCK:
	case OP_SPIN_TRYLOCK:
	case OP_SPIN_UNLOCK:
	case OP_SEM_WAIT:
	case OP_SEM_TRYWAIT:
	case OP_SEM_POST:
	case OP_MEMORY_READ:
	case OP_MEMORY_WRITE:
	case OP_YIELD:
		return true;
	default:
		return false;
	}
}

/* Did the transition change nothing for others but by its object, and nobody has since? */
static bool is_local(const struct transition *done, const struct effect *effect,
		     const struct outcome *outcome)
{
	return outcome->still && is_about_object((enum op_kind)done->op.kind) &&
	       done->choice == CHOICE_DEFAULT && !effect->asleep && !effect->cancelled &&
	       outcome->kind == OUTCOME_PENDING && !outcome->births;
}

/* The thread performs its pending operation; false: the execution is over. */
static bool perform(struct execution *x, const struct alternative *taken, size_t first, size_t count)
{
	struct trace *trace = x->trace;
	uint32_t t = taken->step.thread;
	FMC_ASSERT(x->stage == EXECUTION_SURVEYED);
	x->stage = EXECUTION_PERFORMS;
	struct transition *done = trace_add(trace);
	if (!done)
		return execution_out_of_memory(trace);
	*done = (struct transition){
	    .thread = t,
	    .choice = taken->step.choice,
	    .op = *model_pending(x->block.model, t),
	    .created = NO_THREAD,
	    .first_alternative = (uint32_t)first,
	    .alternatives = (uint32_t)count,
	    .objects = model_objects(x->block.model),
	    .ended = x->ended,
	};
	if (done->op.kind == OP_SIGNAL_TAKE && !trace_push_under(trace, model_under(x->block.model, t)))
		return execution_out_of_memory(trace);
	struct observation seen = {0, 0};
	if (looks(&done->op, done->choice))
		x->machine->ops->observe(x->machine, t, &done->op, &seen);
	done->word = seen.word;
	done->word2 = seen.word2;
	dependence_begin(&x->footprint, x->block.model, t, done->choice);
	enum misuse misuse = misuse_of(x->block.model, t);
	struct effect effect;
	/* Of those that have one choice alone that was found when they were last looked at. */
	if (bitset_has(x->sole, t))
		model_perform_again(x->block.model, t, done->choice, &seen, &effect);
	else
		model_perform(x->block.model, t, done->choice, &seen, &effect);
	dependence_performed(&x->footprint, x->block.model, t);
	done->flags = transition_flags(x, &effect, taken);
	trace->preemptions += taken->preemption;
	if (!trace_push_sets(trace, x->enabled, x->schedulable, fair_words(x->fair)))
		return execution_out_of_memory(trace);

	struct outcome outcome;
	outcome_clear(&outcome);
	if (x->machine->ops->let_ahead)
		x->machine->ops->let_ahead(x->machine, room_ahead(x, t, &effect));
	if (misuse)
		end_misused(&outcome, misuse);
	else if (effect.asleep)
		x->machine->ops->sleep(x->machine, t, &done->op, &outcome);
	else
		x->machine->ops->perform(x->machine, t, &done->op, done->choice, &effect, &outcome);
	done->result = outcome.result;
	done->result_valid = outcome.result_valid && !effect.asleep;
	if (outcome.births > 0)
		done->created = outcome.created;
	done->births = outcome.births;
	if (outcome.said_valid)
		hear_kernel(x, done, &outcome);
	take_change(x, done, &outcome);
	if (outcome.kind == OUTCOME_EXITED)
		done->flags |= TRANSITION_EXITS;
	x->previous = t;
	x->local = is_local(done, &effect, &outcome);
	x->touched = done->op.object;
	const bool on = execution_footprint(x, &outcome) && execution_settle(x, t, effect.asleep, &outcome) &&
			prediction_held(x, &done->op, &effect, &outcome) && execution_believes_plugin(trace);
	return execution_judge(x, on);
}

static bool next(struct execution *x)
{
	struct trace *trace = x->trace;
	size_t first = trace->alternatives_length;
	if (!execution_compute_enabled(x))
		return false;
	size_t count = trace->alternatives_length - first;
	if (x->watcher.decide && !x->watcher.decide(x->watcher.context, x, trace)) {
		trace->end = END_REDUNDANT;
		trace->alternatives_length = first;
		return false;
	}
	size_t taken = choose(x, trace->alternatives + first, count);
	if (taken == count) {
		if (execution_ahead(x) != NO_THREAD)
			end_ahead(trace, execution_ahead(x));
		else if (trace->length < x->plan->prefix_length)
			end_diverged(trace, &x->plan->prefix[trace->length]);
		else if (trace->end == END_NONE)
			trace->end = END_REDUNDANT;
		trace->alternatives_length = first;
		return false;
	}
	struct alternative alternative = trace->alternatives[first + taken];
	if (x->watcher.before)
		x->watcher.before(x->watcher.context, x, trace, alternative.step.thread);
	bool on = perform(x, &alternative, first, count);
	if (x->again)
		return false;
	bool wanted = !x->watcher.transition || x->watcher.transition(x->watcher.context, x, trace);
	if (on && !wanted) {
		trace->end = END_INTERRUPTED;
		trace->end_thread = alternative.step.thread;
	}
	return on && wanted;
}

bool execution_next(struct execution *x)
{
	FMC_ASSERT(x->stage == EXECUTION_BETWEEN);
	return execution_goes_on(x, next(x));
}
