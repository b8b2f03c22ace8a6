/* The life of a search, and whether it can go on. */
#include "supervisor/cli/phases/phases.h"

#include <fmc/breakpoints/plugin.h>
#include <fmc/replay/schedule.h>

#include <stdio.h>
#include <stdlib.h>

static void on_transition(void *context, const struct trace *trace)
{
	struct exploration *x = context;
	explore_probe(x, trace);
	if (trace->length % 256 == 0)
		progress_update(&x->progress, x->phase, &x->search, x->verdict, trace->length);
}

void explore_init(struct exploration *x, const struct options *options, struct session *session,
		  unsigned workers, struct resume *resume, uint64_t began, struct verdict *verdict)
{
	*x = (struct exploration){.own = *options,
				  .options = &x->own,
				  .session = session,
				  .workers = workers,
				  .resume = resume,
				  .verdict = verdict,
				  .repeatable = true};
	x->begin = began;
	x->loading = (double)(clock_now() - began) / 1e9;
	x->deadline = explore_deadline(options, began);
	x->whole_deadline = x->deadline;
	session->deadline = x->deadline;
	session->on_transition = on_transition;
	session->context = x;
	snprintf(x->phase, sizeof x->phase, "first schedule");
	if (options->states || options->prune_states)
		x->states = states_new();
	progress_init(&x->progress, workers);
	job_init(&x->last);
	trace_init(&x->first);
	looks_init(&x->looks, options->granularity == GRANULARITY_MEMORY);
	looks_init(&x->suspects, x->looks.ordered);
	certify_init(&x->certifying, options->certificate != NULL);
}

uint64_t explore_deadline(const struct options *options, uint64_t began)
{
	return options->seconds > 0 ? began + (uint64_t)(options->seconds * 1e9) : 0;
}

void explore_never_began(struct exploration *x, const char *stage)
{
	snprintf(x->stage, sizeof x->stage, "%s", stage);
	x->over = true;
	explore_give_reasons(x);
	x->verdict->seconds = explore_seconds(x);
}

void explore_release(struct exploration *x)
{
	progress_clear(&x->progress);
	job_release(&x->last);
	trace_release(&x->first);
	looks_release(&x->looks);
	looks_release(&x->suspects);
	races_release(&x->races);
	failures_release(&x->failures);
	coverage_release(&x->coverage);
	certify_release(&x->certifying);
	states_free(x->states);
	share_release(&x->share);
	free(x->outcome_steps);
	list_free(x->told);
	x->session->on_transition = NULL;
}
