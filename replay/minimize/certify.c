/* A lower bound for preemptions: the bounded searches below what is left ([CB]: fewest first). */
#include "replay/minimize/private.h"

#include <fmc/supervisor/search.h>

struct certifier {
	struct minimizer *m;
	struct search *search;
	bool sound; /* everything that was run was seen to its end, and all of it is modelled */
	bool found;
};

static void look(struct certifier *c, enum minimize_end end)
{
	const struct trace *trace = &c->m->trace;
	uint64_t depth = c->m->options->policy.max_depth;
	bool cut = depth && trace->length > depth;
	c->sound &= end != MINIMIZE_UNKNOWN && !trace->unmodelled && !trace->held_back && !cut;
}

/* One plan; false: nothing more is to be run. */
static bool try_next(struct certifier *c)
{
	struct plan plan;
	if (!search_next(c->search, &plan))
		return false;
	enum minimize_end end = minimizer_run(c->m, &plan);
	if (end == MINIMIZE_STOP)
		return false;
	look(c, end);
	if (end == MINIMIZE_SAME) {
		struct policy policy = c->m->options->policy;
		c->found = minimizer_accept(c->m, &policy);
		return false;
	}
	c->sound &= search_feed(c->search, plan.ticket, &c->m->trace) == STATUS_OK;
	return true;
}

bool minimizer_certify(struct minimizer *m)
{
	struct minimized *out = m->out;
	const struct policy *policy = &m->options->policy;
	if (out->after.preemptions <= out->least_preemptions)
		return false;
	const struct search_options options = {.strategy = STRATEGY_CB,
					       .bound = out->after.preemptions - 1,
					       .fair_k = policy->fair_k,
					       .max_depth = policy->max_depth,
					       .max_thread_depth = policy->max_thread_depth,
					       .ordered = policy->ordered};
	struct certifier c = {.m = m, .search = search_new(&options), .sound = true};
	if (!c.search) {
		m->no_memory = true;
		return false;
	}
	while (minimizer_may_run(m) && try_next(&c))
		;
	struct search_progress progress;
	search_progress(c.search, &progress);
	/* The bound that is being worked on says that those below it are done. */
	uint32_t proven = progress.bound;
	if (!c.found && progress.complete)
		proven = out->after.preemptions;
	if (c.sound && !progress.cut_at_depth && proven > out->least_preemptions)
		out->least_preemptions = proven;
	search_free(c.search);
	return c.found;
}
