/*
 * The fewest transitions: searches that cut executions ever later, until one fails in the same way ([STHREAD], section 4.2), and then one
 * that cuts them before as many. All executions so long are run up to the order of independent operations, which doesn't change how long
 * they are.
 */
#include "replay/minimize/private.h"

#include <fmc/supervisor/search.h>

/* Each search may be so much deeper than the one before: most of the work is in the last ones anyhow. */
#define STEP_PART 8

struct deepening {
	struct minimizer *m;
	struct search *search;
	bool sound; /* everything that was run was seen to its end or the cut, and all of it is modelled */
	bool found; /* something shorter than before */
};

static bool may_count(const struct trace *trace, enum minimize_end end)
{
	const bool known = end != MINIMIZE_UNKNOWN || trace->end == END_DEPTH;
	return known && !trace->unmodelled && !trace->held_back;
}

/* m->trace fails in the same way: keep it if it is shorter than what there is. */
static bool take_shorter(struct minimizer *m)
{
	struct minimized *out = m->out;
	if (m->trace.length >= out->trace.length)
		return false;
	const struct trace old = out->trace;
	out->trace = m->trace;
	m->trace = old;
	out->after = minimize_measure(&out->trace);
	out->policy = (struct policy){.kind = POLICY_DEFAULT,
				      .fair_k = m->options->policy.fair_k,
				      .max_depth = m->options->policy.max_depth,
				      .max_thread_depth = m->options->policy.max_thread_depth,
				      .ordered = m->options->policy.ordered};
	out->minimal = false;
	return true;
}

/* One plan; false: nothing more is to be run. */
static bool try_next(struct deepening *d)
{
	struct plan plan;
	if (search_next(d->search, &plan) != SEARCH_PLAN)
		return false;
	const enum minimize_end end = minimizer_run(d->m, &plan);
	if (end == MINIMIZE_STOP)
		return false;
	d->sound &= may_count(&d->m->trace, end);
	if (end == MINIMIZE_SAME && take_shorter(d->m)) {
		d->found = true;
		return false;
	}
	d->sound &= search_feed(d->search, plan.ticket, &d->m->trace) == STATUS_OK;
	return true;
}

/* Run all executions of at most so many transitions. *proven: none of them fails so. False: nothing more can be run or shown. */
static bool search_to(struct minimizer *m, size_t depth, bool *proven)
{
	const struct policy *policy = &m->options->policy;
	const struct search_options options = {.strategy = STRATEGY_CB,
					       .bound = UINT32_MAX,
					       .cache = true,
					       .sees_memory = m->options->sees_memory,
					       .fair_k = policy->fair_k,
					       .max_depth = depth,
					       .unwatched = true,
					       .max_thread_depth = policy->max_thread_depth,
					       .ordered = policy->ordered};
	struct deepening d = {.m = m, .search = search_new(&options), .sound = true};
	struct search_progress progress;
	*proven = false;
	if (!d.search) {
		m->no_memory = true;
		return false;
	}
	while (minimizer_may_run(m) && try_next(&d))
		;
	search_progress(d.search, &progress);
	*proven = !d.found && d.sound && progress.complete;
	search_free(d.search);
	return d.found || *proven;
}

void minimizer_shorten(struct minimizer *m)
{
	struct minimized *out = m->out;
	out->fewest_preemptions = out->after;
	/* One that goes round in a loop is as long as one looks. */
	if (end_reason_loops(out->trace.end) || out->trace.length == 0)
		return;
	size_t depth = 0;
	out->least_transitions = 1;
	while (out->least_transitions < out->trace.length) {
		bool proven;
		depth = out->least_transitions + out->least_transitions / STEP_PART;
		if (depth >= out->trace.length)
			depth = out->trace.length - 1;
		if (!search_to(m, depth, &proven))
			return;
		if (proven)
			out->least_transitions = depth + 1;
	}
}
