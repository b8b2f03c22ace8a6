/* The life of a search, and whether it can go on. */
#include "supervisor/cli/check/explore_private.h"

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
	progress_init(&x->progress, workers);
	job_init(&x->last);
	looks_init(&x->looks, options->granularity == GRANULARITY_MEMORY);
	looks_init(&x->suspects, x->looks.ordered);
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
	looks_release(&x->looks);
	looks_release(&x->suspects);
	memory_seen_release(&x->races.names);
	failures_release(&x->failures);
	coverage_release(&x->coverage);
	free(x->outcome_steps);
	list_free(x->told);
	x->session->on_transition = NULL;
}

void explore_give_up(struct exploration *x, enum status status, const char *why)
{
	x->over = x->enough = true;
	x->fatal = status ? status : STATUS_BUG;
	snprintf(x->why, sizeof x->why, "%s", why);
}

/* The last execution came to no end. */
static void break_off(struct exploration *x)
{
	const struct trace *trace = &x->last.trace;
	x->enough |= tracer_interrupted();
	x->over |= x->enough || (x->deadline && clock_now() >= x->deadline);
	x->broken_off += !x->over;
	verdict_break_off(x->verdict, trace->message, (enum whereabouts)trace->end_value);
}

/* May the search continue after this end? */
bool explore_usable(struct exploration *x)
{
	const struct trace *trace = &x->last.trace;
	/* Of a plug-in that has failed, here or in a worker, nothing can be believed. */
	if (plugin_path() && (plugin_failure() || trace->end == END_UNSUPPORTED)) {
		explore_give_up(x, STATUS_UNSUPPORTED, plugin_failure() ? plugin_failure() : trace->message);
		return false;
	}
	if (trace->end == END_ERROR) {
		explore_give_up(x, trace->status, trace->message);
		return false;
	}
	if (trace->end == END_INTERRUPTED) {
		break_off(x);
		return false;
	}
	return true;
}

double explore_seconds(const struct exploration *x)
{
	return (double)(clock_now() - x->begin) / 1e9 + x->earlier_seconds;
}

void explore_show_progress(struct exploration *x)
{
	progress_update(&x->progress, x->phase, &x->search, x->verdict, x->last.trace.length);
}

bool explore_learned(const struct exploration *x, const struct phase *phase)
{
	return !strategy_random(phase->search.strategy) &&
	       loops_length(process_loops(x->session->process)) != x->loops;
}
