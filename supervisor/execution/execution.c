/* An execution from its beginning to its end; state.h draws the loop. */
#include "supervisor/execution/state.h"

#include <fmc/supervisor/bitset.h>
#include <fmc/tracer/assert.h>

#include <stdlib.h>
#include <string.h>

struct execution *execution_new(struct machine *machine)
{
	struct execution *x = calloc(1, sizeof *x);
	if (!x)
		return NULL;
	x->machine = machine;
	if (!model_block_init(&x->block) || !execution_reserve_threads(x, FIRST_ROOM)) {
		execution_free(x);
		return NULL;
	}
	return x;
}

void execution_free(struct execution *x)
{
	if (!x)
		return;
	model_block_release(&x->block);
	free(x->fair);
	free(x->policy);
	free(x->asleep);
	footprint_release(&x->footprint);
	recurrences_release(&x->recurrences);
	free(x->enabled); /* the first of five sets in one block */
	free(x->yields);
	free(x->choices);
	free(x);
}

void execution_observe(struct execution *x, const struct execution_monitor *monitor)
{
	x->monitor = *monitor;
}

void execution_watch(struct execution *x, const struct execution_watcher *watcher)
{
	x->watcher = *watcher;
}

const struct model *execution_model(const struct execution *x)
{
	return x->block.model;
}

struct accesses execution_touched(const struct execution *x)
{
	const struct footprint *footprint = &x->footprint;
	return x->stage == EXECUTION_PERFORMS ? (struct accesses){footprint->at, footprint->length}
					      : (struct accesses){NULL, 0};
}

struct machine *execution_machine(const struct execution *x)
{
	return x->machine;
}

void execution_expect(struct execution *x, const struct good_ends *ends)
{
	x->good_ends = *ends;
}

void execution_end_at_circles(struct execution *x)
{
	x->ends_at_circles = true;
}

void execution_verify_model(struct execution *x, bool on)
{
	x->verify = on;
}

/* In the middle of a run: how the threads stand there. */
static bool record_found(struct execution *x)
{
	const struct model *model = x->block.model;
	for (uint32_t t = 0; t < model_threads(model); t++)
		if (!trace_push_found(x->trace, model_pending(model, t)))
			return false;
	return true;
}

static bool begin(struct execution *x, const struct plan *plan, struct trace *trace)
{
	const struct policy *policy = &plan->policy;
	trace_clear(trace);
	x->plan = plan;
	x->trace = trace;
	model_block_clear(&x->block);
	trace->apart = policy->apart;
	fair_init(x->fair, x->fair_room, policy->fair_k);
	policy_init(x->policy, x->fair_room, policy);
	x->previous = NO_THREAD;
	memset(x->yields, 0, x->fair_room);
	x->yielded = false;
	x->alone = (struct stretch){.thread = NO_THREAD};
	x->windows = false;
	x->plain = x->local = false;
	x->again = false;
	x->ended = 0;
	if (!execution_sleep_start(x))
		return false;
	lasso_start(&x->lasso, policy);
	x->round = 0;
	recurrences_clear(&x->recurrences);
	x->judges_cycles = x->monitor.cycle && !policy->endless;
	if (x->judges_cycles || policy->endless)
		lasso_only_cut(&x->lasso);
	struct outcome first;
	outcome_clear(&first);
	x->stage = EXECUTION_BEGINS;
	execution_let_children_end(x);
	x->machine->ops->start(x->machine, &x->block, &first);
	/* It may have gone back to where an execution of another policy began. */
	model_flush_apart(x->block.model, policy->apart);
	bool set = first.kind == OUTCOME_PENDING && first.next.kind == OP_NONE;
	if (set && !record_found(x))
		return execution_out_of_memory(trace);
	if (model_threads(x->block.model) > 0)
		return execution_judge(x, execution_settle(x, 0, set, &first));
	FMC_ASSERT(first.kind != OUTCOME_PENDING && first.kind != OUTCOME_EXITED);
	return execution_settle(x, NO_THREAD, false, &first);
}

/* Bring a new execution to the first operation of its first thread. */
bool execution_begin(struct execution *x, const struct plan *plan, struct trace *trace)
{
	FMC_ASSERT(x->stage == EXECUTION_IDLE || (x->stage == EXECUTION_OVER && x->again));
	return execution_goes_on(x, begin(x, plan, trace));
}

struct thread_end execution_thread(const struct model *model, uint32_t thread, bool enabled)
{
	struct thread_end end = {.pending = *model_under(model, thread),
				 .enabled = enabled,
				 .blocker = NO_THREAD,
				 .blocked_object = NO_OBJECT,
				 .process = model_process(model, thread),
				 .parent = model_parent(model, thread)};
	if (!enabled && !model_exited(model, thread))
		end.blocker = model_waits_for(model, thread, &end.blocked_class, &end.blocked_object);
	end.holds_back = end.blocker != NO_THREAD;
	const struct op *cut = model_cut(model, thread);
	if (cut && !op_is_by_model(cut->kind))
		end.cut = *cut;
	return end;
}

/* How every thread stands at the end. */
static void record_threads(struct execution *x)
{
	const struct model *model = x->block.model;
	for (uint32_t t = 0; t < model_threads(model); t++) {
		struct thread_end end = execution_thread(model, t, model_enabled(model, t));
		if (end.pending.kind == OP_NONE && !model_exited(model, t) && t == x->previous)
			end.pending = x->trace->at[x->trace->length - 1].op;
		if (!trace_push_thread(x->trace, &end)) {
			execution_out_of_memory(x->trace);
			return;
		}
	}
}

/* What is good by itself may be wrong to others. */
static void ask_others(struct execution *x)
{
	struct outcome outcome;
	outcome_clear(&outcome);
	if (!x->machine->ops->judge || !x->machine->ops->judge(x->machine, x->trace, &outcome))
		return;
	execution_set_end(x->trace, outcome.end, outcome.status, outcome.message);
	x->trace->end_value = outcome.end_value;
	x->trace->good_end = good_ends_expect(&x->good_ends, x->trace);
}

void execution_conclude(struct execution *x)
{
	FMC_ASSERT(x->stage == EXECUTION_OVER || x->stage == EXECUTION_BETWEEN);
	record_threads(x);
	if (x->monitor.reached)
		x->trace->reached = x->monitor.reached(x->monitor.context);
	x->trace->good_end = good_ends_expect(&x->good_ends, x->trace);
	ask_others(x);
	if (x->watcher.end)
		x->watcher.end(x->watcher.context, x, x->trace);
}

void execution_finish(struct execution *x)
{
	x->machine->ops->finish(x->machine);
	x->plan = NULL;
	x->trace = NULL;
	x->stage = EXECUTION_IDLE;
}

void execution_run(struct execution *x, const struct plan *plan, struct trace *trace)
{
	do {
		bool on = execution_begin(x, plan, trace);
		while (on)
			on = execution_next(x);
	} while (x->again);
	execution_conclude(x);
	execution_finish(x);
}
