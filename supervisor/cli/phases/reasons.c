/* Why a search isn't complete. */
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/phases/phases.h"

#include <inttypes.h>
#include <stdlib.h>

/* Of variables, and of places of each: a large program may have hundreds, which JSON lists. */
#define ACCESSES_SHOWN 6

/* A client that takes more of the time than one part in so many is told of. */
#define CLIENTS_PART 4

/* Memory that threads share without operations. `only`: there is no other reason, but that time-outs fire in order. */
static void give_memory_reason(struct verdict *verdict, bool only)
{
	char *text = NULL;
	size_t length;
	FILE *stream = open_memstream(&text, &length);
	if (stream) {
		memory_seen_print(&verdict->memory, ACCESSES_SHOWN, stream);
		fclose(stream);
	}
	verdict_because(verdict, "%s: %s",
			only ? "it is complete only if these accesses don't matter"
			     : "no operation orders these accesses, and no thread is switched there",
			text ? text : "out of memory");
	free(text);
}

/* Where it wasn't the search that used most of it, what did. */
static void give_time_reason(const struct exploration *x)
{
	const double seconds = x->options->seconds;
	const struct process *process = x->session->process;
	const double computed = process ? (double)process_client_computed(process) / 1e9 : 0;
	char client[64] = "";
	if (computed > seconds / CLIENTS_PART)
		snprintf(client, sizeof client, ", its client computing for %.1f of them", computed);
	if (*x->stage)
		verdict_because(x->verdict, "its %g seconds were used up %s, before %s", seconds, x->stage,
				x->verdict->executions ? "the second execution" : "the first execution");
	else if (x->loading > seconds / 2)
		verdict_because(x->verdict,
				"its %g seconds were used up, %.1f of them before the first execution, by "
				"loading the program",
				seconds, x->loading);
	else if (x->first_counts)
		verdict_because(x->verdict,
				"its %g seconds were used up before the search%s: %.1f by loading the "
				"program, %.1f by its first schedule, the rest to see that it does the same "
				"again",
				seconds, client, x->loading, x->first_took);
	else
		verdict_because(x->verdict, "its %g seconds were used up%s", seconds, client);
}

/* Executions in cycles as formulas allow them end there, and others may go round and leave. */
static void give_cycle_reason(const struct exploration *x)
{
	char why[PROPERTY_WHY];
	if (x->allowed && !properties_all_gone(x->session->properties, why))
		verdict_because(x->verdict,
				"executions end in cycles that go on for ever, as the formulas allow: %s%s",
				why, x->options->automatic ? "" : " (--strategy auto runs more of it)");
}

/* What a program doesn't read it doesn't depend on. */
static void give_clock_reason(const struct exploration *x)
{
	const uint64_t cut = x->options->search.fair_k ? 0 : explore_cut_at_other_clocks(x);
	if (cut)
		verdict_because(x->verdict,
				"%" PRIu64
				" execution%s cut at states that had been explored with other clocks, and "
				"the program reads these: with fairness (without --no-fair) they count",
				cut, cut == 1 ? " was" : "s were");
}

void explore_give_reasons(struct exploration *x)
{
	struct verdict *v = x->verdict;
	const struct options *options = x->options;
	give_cycle_reason(x);
	give_clock_reason(x);
	v->complete = x->complete && v->reasons == 0;
	v->ordered = x->holding > 0;
	if (v->ordered)
		verdict_because(v, "time-outs fired in order: executions in which one fires while others "
				   "could go on weren't run (--timeouts any)");
	if (v->broken_off)
		verdict_because(v, "%" PRIu64 " execution%s broken off before %s end%s: %s%s", v->broken_off,
				v->broken_off == 1 ? " was" : "s were", v->broken_off == 1 ? "its" : "their",
				plural(v->broken_off), v->broken_off == 1 ? "" : "of the first, ",
				v->broken_at);
	if (tracer_interrupted())
		verdict_because(v, "it was interrupted");
	else if (!x->complete && options->executions &&
		 v->executions - x->verdict->earlier >= options->executions)
		verdict_because(v, "it was limited to %" PRIu64 " executions", options->executions);
	else if (!x->complete && x->over && x->deadline)
		give_time_reason(x);
	if (!x->complete && x->bounded)
		verdict_because(v, "only executions with at most %" PRIu32 " %s%s were all run%s", x->bound,
				x->delays ? "delay" : "preemption", plural(x->bound),
				x->sampled ? ", others at random" : "");
	else if (!x->complete && x->sampled)
		verdict_because(v, "random executions can't show that nothing is left");
	if (x->cut_early)
		verdict_because(v,
				"%" PRIu64 " execution%s cut early, from %" PRIu64
				" transitions on: the first "
				"one came to no end in %" PRIu64 " (--depth)",
				x->cut_early, x->cut_early == 1 ? " was" : "s were",
				PORTFOLIO_SHORTEST + x->lead, options->search.max_depth);
	if (x->cut)
		verdict_because(v, "%" PRIu64 " execution%s cut at %" PRIu64 " transitions (--depth)", x->cut,
				x->cut == 1 ? " was" : "s were", options->search.max_depth);
	if ((x->complete || x->bounded) && x->beyond)
		verdict_because(v,
				"%" PRIu64 " execution%s longer than %" PRIu64
				" transitions: what follows was run in one order alone (--depth)",
				x->beyond, x->beyond == 1 ? " was" : "s were", options->search.max_depth);
	if (x->held_back)
		verdict_because(v,
				"in %" PRIu64 " execution%s a thread was held after %" PRIu64
				" transitions of its own (--max-thread-depth)",
				x->held_back, plural(x->held_back), options->search.max_thread_depth);
	const uint64_t waiting = x->outside - x->going_round;
	if (waiting)
		verdict_because(v, "in %" PRIu64 " execution%s all threads waited for something outside",
				waiting, plural(waiting));
	if (x->going_round)
		verdict_because(
		    v,
		    "in %" PRIu64
		    " execution%s threads went round and round, which something outside could have ended",
		    x->going_round, plural(x->going_round));
	if (x->absent)
		verdict_because(v, "%" PRIu64 " execution%s ended where the copy lacked something", x->absent,
				plural(x->absent));
	if (x->diverged)
		verdict_because(v, "%" PRIu64 " execution%s didn't follow %s: the program isn't repeatable",
				x->diverged, plural(x->diverged),
				x->diverged == 1 ? "its schedule" : "their schedules");
	if (x->unconfirmed)
		verdict_because(v, "%" PRIu64 " failure%s didn't replay and %s reported", x->unconfirmed,
				plural(x->unconfirmed), x->unconfirmed == 1 ? "isn't" : "aren't");
	const bool otherwise_complete = x->complete && v->reasons == (size_t)v->ordered;
	v->in_order = v->ordered && otherwise_complete;
	v->conditional = v->memory.length > 0 && otherwise_complete;
	if (v->memory.length > 0)
		give_memory_reason(v, v->conditional);
	if (!v->complete && v->reasons == 0)
		verdict_because(v, "the search ended early");
	if (!v->complete && options->restricted)
		verdict_because(v, "only choices of whom to wake that %s allows were made", options->waking);
}
