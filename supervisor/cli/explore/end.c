/* Whether a search can go on after what an execution came to. */
#include "supervisor/cli/explore/explore.h"

#include <fmc/breakpoints/plugin.h>

#include <stdio.h>

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
	return !strategy_random(phase->search.strategy) && process_learned(x->session->process) != x->learned;
}
