/* Minimising a failure: one phase after the other. */
#include "replay/minimize/private.h"

#include <stdlib.h>

void minimized_init(struct minimized *minimized)
{
	*minimized = (struct minimized){0};
	trace_init(&minimized->trace);
	trace_init(&minimized->passing);
}

void minimized_release(struct minimized *minimized)
{
	trace_release(&minimized->trace);
	trace_release(&minimized->passing);
	minimized_init(minimized);
}

/* The shares of the budget that the phases may use up to. */
#define REDUCE	     0.45
#define CERTIFY	     0.7
#define REDUCE_AGAIN 0.8
#define SHORTEN	     0.9

static void simplify(struct minimizer *m)
{
	m->share = REDUCE;
	minimizer_reduce(m);
	m->share = CERTIFY;
	if (minimizer_certify(m)) {
		m->share = REDUCE_AGAIN;
		minimizer_reduce(m);
	}
}

enum status minimize(const struct minimize_runner *runner, const struct minimize_options *options,
		     const struct trace *failed, struct minimized *out)
{
	struct minimizer m = {.runner = runner, .options = options, .out = out, .hb = happens_before_new()};
	trace_init(&m.trace);
	out->before = out->after = minimize_measure(failed);
	out->least_preemptions =
	    options->proven < out->after.preemptions ? options->proven : out->after.preemptions;
	out->policy = (struct policy){.kind = POLICY_DEFAULT,
				      .fair_k = options->policy.fair_k,
				      .max_depth = options->policy.max_depth,
				      .max_thread_depth = options->policy.max_thread_depth,
				      .ordered = options->policy.ordered};
	m.no_memory = !m.hb || !trace_copy(&out->trace, failed);
	if (!m.no_memory) {
		minimizer_learn(&m, failed, MINIMIZE_SAME);
		if (!options->keep)
			simplify(&m);
		m.share = SHORTEN;
		if (options->depth)
			minimizer_shorten(&m);
		m.share = 1;
		minimizer_criticize(&m);
	}
	known_release(&m.known);
	happens_before_free(m.hb);
	trace_release(&m.trace);
	return m.no_memory ? STATUS_NO_MEMORY : STATUS_OK;
}
