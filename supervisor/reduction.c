/*
 * The strategies `source` and `optimal`: reduction as far as it is sound.
 *
 *     plain -(a thread's second counted yield)-> fair -(what no model shows)-> none
 *
 * plain: until some thread has yielded twice in an execution no thread has ever had to wait for another's
 * sake (in Algorithm 1 H is empty at the first counted yield), and fairness makes no difference. fair: counted
 * yields depend on everything, and whether a thread may run is part of the state that transitions act on.
 * none: futexes and waiting system calls say that threads share memory or pipes between
 * the operations that are seen; then no two transitions are known to be independent, and all executions are
 * run. What was run before a change counts for nothing: the search starts over. So it does where wakeup trees
 * give way to source sets.
 */
#include "dfs_path.h"
#include "dpor.h"
#include "search_strategy.h"

#include <stdlib.h>

enum mode { MODE_PLAIN, MODE_FAIR, MODE_NONE };

struct reduction {
	struct dpor_path dpor;
	struct dfs_path all;
	enum mode mode;
	uint32_t fair_k;
	bool sees_memory;
	const char *reason; /* of MODE_NONE */
	uint64_t executions, redundant;
	uint32_t *yields; /* counted ones of each thread in a trace */
	uint32_t yields_room;
	bool complete;
};

static void destroy(void *strategy)
{
	struct reduction *r = strategy;
	dpor_path_release(&r->dpor);
	dfs_path_release(&r->all);
	free(r->yields);
	free(r);
}

static void *create(const struct search_options *options, bool whole)
{
	struct reduction *r = calloc(1, sizeof *r);
	if (!r)
		return NULL;
	r->fair_k = options->fair_k;
	r->sees_memory = options->sees_memory;
	dfs_path_init(&r->all, options->max_depth, false);
	if (!dpor_path_init(&r->dpor, whole) || !dfs_path_start(&r->all, NULL, 0)) {
		destroy(r);
		return NULL;
	}
	return r;
}

static void *create_source(const struct search_options *options)
{
	return create(options, false);
}

static void *create_optimal(const struct search_options *options)
{
	return create(options, true);
}

static enum search_answer next(void *strategy, struct plan *plan)
{
	struct reduction *r = strategy;
	if (r->mode != MODE_NONE) {
		r->complete = !dpor_path_next(&r->dpor, plan);
		return r->complete ? SEARCH_OVER : SEARCH_PLAN;
	}
	r->complete = !dfs_path_next(&r->all);
	plan->prefix = r->all.steps;
	plan->prefix_length = r->all.prefix_length;
	return r->complete ? SEARCH_OVER : SEARCH_PLAN;
}

static bool counts(const struct trace *trace, size_t i)
{
	struct accesses accesses = trace_accesses(trace, i);
	for (uint32_t a = 0; a < accesses.length; a++)
		if (accesses.at[a].key == touch_key(TOUCH_WINDOW, 0))
			return accesses.at[a].mode == TOUCH_WRITE;
	return false;
}

/* Has some thread had two counted yields? */
static bool yields_twice(struct reduction *r, const struct trace *trace, bool *failed)
{
	if (trace->threads_length > r->yields_room) {
		uint32_t *yields = reallocarray(r->yields, trace->threads_length, sizeof *yields);
		*failed = !yields;
		if (!yields)
			return false;
		r->yields = yields;
		r->yields_room = trace->threads_length;
	}
	for (uint32_t t = 0; t < trace->threads_length; t++)
		r->yields[t] = 0;
	for (size_t i = 0; i < trace->length; i++)
		if (counts(trace, i) && ++r->yields[trace->at[i].thread] == 2)
			return true;
	return false;
}

/*
 * Has a transition ended the process of which the model didn't say that it would? Wakeup trees are built on
 * what it says; source sets do with less.
 */
static bool ends_unforeseen(const struct trace *trace)
{
	if (trace->end == END_SIGNAL || trace->end == END_MISUSE)
		return true;
	const struct transition *last = trace->length ? &trace->at[trace->length - 1] : NULL;
	return trace->end == END_EXIT && last && !(last->flags & TRANSITION_EXITS) &&
	       last->op.kind != OP_PROCESS_EXIT;
}

/*
 * Is a spurious wakeup open? It is as long as any other thread can go on, and so all of them have a part in
 * enabling it: too much for wakeup trees, which lost traces by it.
 */
static bool wakes_spuriously(const struct trace *trace)
{
	for (size_t a = 0; a < trace->alternatives_length; a++)
		if (trace->alternatives[a].step.choice == CHOICE_SPURIOUS)
			return true;
	return false;
}

static void start_over(struct reduction *r, enum mode mode, bool whole)
{
	r->mode = mode;
	r->dpor.whole = whole;
	dpor_path_start(&r->dpor, mode == MODE_FAIR ? r->fair_k : 0);
}

static enum status stop_reducing(struct reduction *r, const char *reason)
{
	r->mode = MODE_NONE;
	r->reason = reason;
	dpor_path_release(&r->dpor);
	return STATUS_OK;
}

static enum status feed(void *strategy, uint64_t ticket, const struct trace *trace)
{
	(void)ticket;
	struct reduction *r = strategy;
	size_t first_new;
	bool failed = false;
	r->executions++;
	r->redundant += trace->end == END_REDUNDANT;
	if (r->mode == MODE_NONE)
		return dfs_path_feed(&r->all, trace, &first_new);
	const char *reason = trace_hides(trace, r->sees_memory);
	if (reason)
		return stop_reducing(r, reason);
	if (r->mode == MODE_PLAIN && r->fair_k != 0 && yields_twice(r, trace, &failed)) {
		start_over(r, MODE_FAIR, r->dpor.whole);
		return STATUS_OK;
	}
	if (r->dpor.whole && (ends_unforeseen(trace) || wakes_spuriously(trace))) {
		start_over(r, r->mode, false);
		return STATUS_OK;
	}
	enum status status = dpor_path_feed(&r->dpor, trace);
	if (status == STATUS_UNSUPPORTED)
		return stop_reducing(r, "its objects change in ways that no operation shows");
	return failed ? STATUS_NO_MEMORY : status;
}

static void progress(const void *strategy, struct search_progress *progress)
{
	const struct reduction *r = strategy;
	progress->complete = r->complete;
	progress->redundant = r->redundant;
	progress->unreduced = r->reason;
	progress->reduced = r->mode != MODE_NONE;
	if (r->complete)
		progress->estimate = (double)r->executions;
	progress->estimate_low = progress->estimate_high = progress->estimate;
}

const struct strategy_ops search_source = {
    .name = "source",
    .create = create_source,
    .destroy = destroy,
    .next = next,
    .feed = feed,
    .progress = progress,
};

const struct strategy_ops search_optimal = {
    .name = "optimal",
    .create = create_optimal,
    .destroy = destroy,
    .next = next,
    .feed = feed,
    .progress = progress,
};
