/* What an execution has come to between two transitions, kept and put back. */
#include "supervisor/execution/state.h"

#include <fmc/tracer/assert.h>

#include <stdlib.h>
#include <string.h>

struct execution_copy {
	struct model *model;
	struct fair *fair;
	struct policy_state *policy;
	uint32_t room;	/* of both, in threads */
	uint64_t *sets; /* enabled, schedulable, before */
	uint8_t *yields;
	bool yielded;
	struct stretch alone;
	struct lasso lasso;
	struct recurrences recurrences;
	size_t round;
	bool judges_cycles;
	uint32_t previous;
	bool windows;
	struct footprint footprint;
	struct trace trace;	/* its lengths and counts; the arrays are others' */
	struct transition last; /* what computes the enabled set after it adds to its footprint */
};

void execution_copy_free(struct execution_copy *copy)
{
	if (!copy)
		return;
	free(copy->model);
	free(copy->fair);
	free(copy->policy);
	free(copy->sets);
	free(copy->yields);
	footprint_release(&copy->footprint);
	recurrences_release(&copy->recurrences);
	free(copy);
}

static bool same_footprint(struct footprint *to, const struct footprint *from)
{
	footprint_copy(to, (struct accesses){from->at, from->length});
	return !to->failed;
}

static struct model *copy_model(const struct model *from)
{
	uint32_t threads = model_thread_room(from), objects = model_object_room(from);
	void *memory = malloc(model_bytes(threads, objects));
	return memory ? model_copy(memory, threads, objects, from) : NULL;
}

struct execution_copy *execution_save(const struct execution *x)
{
	struct execution_copy *copy = calloc(1, sizeof *copy);
	if (!copy)
		return NULL;
	size_t bytes = (size_t)3 * fair_words(x->fair) * sizeof *copy->sets;
	copy->room = x->fair_room;
	copy->model = copy_model(x->block.model);
	copy->fair = malloc(fair_bytes(copy->room));
	copy->policy = malloc(policy_bytes(copy->room));
	copy->sets = malloc(bytes);
	copy->yields = malloc(copy->room);
	if (!copy->model || !copy->fair || !copy->policy || !copy->sets || !copy->yields ||
	    !same_footprint(&copy->footprint, &x->footprint) ||
	    !recurrences_copy(&copy->recurrences, &x->recurrences)) {
		execution_copy_free(copy);
		return NULL;
	}
	fair_copy(copy->fair, copy->room, x->fair);
	policy_copy(copy->policy, copy->room, x->policy);
	memcpy(copy->sets, x->enabled, bytes);
	memcpy(copy->yields, x->yields, copy->room);
	copy->yielded = x->yielded;
	copy->alone = x->alone;
	copy->lasso = x->lasso;
	copy->round = x->round;
	copy->judges_cycles = x->judges_cycles;
	copy->previous = x->previous;
	copy->windows = x->windows;
	copy->trace = *x->trace;
	if (x->trace->length)
		copy->last = x->trace->at[x->trace->length - 1];
	return copy;
}

/* Room never shrinks, so sets that were narrower keep their words at the front. */
static void put_back_sets(struct execution *x, const struct execution_copy *copy)
{
	uint32_t words = fair_words(x->fair), old = fair_words(copy->fair);
	memset(x->enabled, 0, (size_t)3 * words * sizeof *x->enabled);
	memcpy(x->enabled, copy->sets, old * sizeof *x->enabled);
	memcpy(x->schedulable, copy->sets + old, old * sizeof *x->enabled);
	memcpy(x->before, copy->sets + 2 * old, old * sizeof *x->enabled);
}

static void cut_trace(struct trace *trace, const struct execution_copy *copy)
{
	const struct trace *then = &copy->trace;
	trace->length = then->length;
	trace->alternatives_length = then->alternatives_length;
	trace->accesses_length = then->accesses_length;
	trace->under_length = then->under_length;
	trace->objects_length = then->objects_length;
	trace->threads_length = 0;
	trace->loop_start = 0;
	trace->initial_threads = then->initial_threads;
	trace->preemptions = then->preemptions;
	trace->held_back = then->held_back;
	trace->apart = then->apart;
	trace->observed = then->observed;
	trace->counted = then->counted;
	trace->midway = false;
	trace->unmodelled = then->unmodelled;
	trace->end = END_NONE;
	trace->end_value = 0;
	trace->end_thread = then->end_thread;
	trace->status = STATUS_OK;
	memcpy(trace->message, then->message, sizeof trace->message);
	if (trace->length)
		trace->at[trace->length - 1] = copy->last;
}

bool execution_restore(struct execution *x, const struct execution_copy *copy, const struct plan *plan,
		       struct trace *trace)
{
	FMC_ASSERT(x->stage == EXECUTION_IDLE);
	struct model *model = copy_model(copy->model);
	if (!model || !same_footprint(&x->footprint, &copy->footprint) ||
	    !recurrences_copy(&x->recurrences, &copy->recurrences)) {
		free(model);
		return false;
	}
	free(x->block.model);
	x->block.model = model;
	fair_copy(x->fair, x->fair_room, copy->fair);
	policy_copy(x->policy, x->fair_room, copy->policy);
	put_back_sets(x, copy);
	memset(x->yields, 0, x->fair_room);
	memcpy(x->yields, copy->yields, copy->room);
	x->yielded = copy->yielded;
	x->alone = copy->alone;
	x->lasso = copy->lasso;
	x->round = copy->round;
	x->judges_cycles = copy->judges_cycles;
	x->previous = copy->previous;
	x->windows = copy->windows;
	x->forced = x->hopeless = false;
	x->plain = x->local = false;
	x->plan = plan;
	x->trace = trace;
	cut_trace(trace, copy);
	if (!execution_sleep_again(x))
		return false;
	if (x->monitor.look) {
		struct sighting unused = {0};
		x->monitor.look(x->monitor.context, x, trace, true, &unused);
	}
	x->stage = EXECUTION_BETWEEN;
	return true;
}
