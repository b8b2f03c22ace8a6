/* Which phases a search has, one after the other. */
#include "supervisor/cli/phases/phases.h"
#include "supervisor/cli/explore/portfolio.h"

#include <fmc/breakpoints/plugin.h>
#include <fmc/supervisor/combinations.h>

#include <stdio.h>

/* The places of the phases after all others, in their order. */
#define WHOLE  (SIZE_MAX - 1)
#define UNFAIR SIZE_MAX

/* The part of the time budget that is gone. */
static double used(const struct exploration *x)
{
	double budget = (double)(x->deadline - x->begin);
	return x->deadline ? (double)(clock_now() - x->begin) / budget : 0;
}

/*
 * Complete but for equivalent executions: try to run those, too, unless every access to memory was watched, so that nothing they could show
 * is left, or a search that sees more follows. Nothing is lost if it comes to no end.
 */
static void explore_whole(struct exploration *x)
{
	if (!x->options->automatic || !x->complete || !x->verdict->reduced || x->verdict->watched_all ||
	    x->over || x->watching_cut || explore_wants_atomics(x) ||
	    (x->resume->going_on && x->resume->position == UNFAIR))
		return;
	const struct phase phase = portfolio_whole(x->options, used(x));
	explore_phase(x, &phase, WHOLE);
}

/* The verdict speaks of these executions as well, and their accesses weren't watched. */
static void conclude_unfair(struct verdict *verdict)
{
	verdict->unfair = UNFAIR_RUN;
	if (!verdict->watched_all)
		return;
	verdict->watched_all = false;
	snprintf(verdict->unwatched, sizeof verdict->unwatched,
		 "none of the executions that fairness leaves out was");
}

/*
 * Every fair execution has been run, and fairness kept threads from running: what it left out is run, too, if that has an end.
 * Where threads wait for each other in loops it has none, as the first execution shows that only does that.
 */
static void explore_unfair(struct exploration *x)
{
	struct verdict *verdict = x->verdict;
	if (!x->complete || !x->forbade || !x->options->search.fair_k)
		return;
	if (x->options->features & FEATURE_FAIR_K) {
		verdict->unfair = UNFAIR_REFUSED;
		return;
	}
	const struct phase phase = portfolio_unfair(x->options, verdict->reduced, x->longest_trace, used(x));
	x->unfair = true;
	if (!x->watching_cut)
		explore_phase(x, &phase, UNFAIR);
	x->unfair = false;
	if (x->endless)
		verdict->unfair = UNFAIR_ENDLESS;
	else if (x->unfair_complete)
		conclude_unfair(verdict);
	else
		verdict_because(
		    verdict,
		    "executions that fairness leaves out weren't all run, those in which a thread that "
		    "waits or sleeps several times is quicker than one that could run");
}

/*
 * When one execution for each class is too much, the search looks what its threads do to memory. If they share some, a search that
 * switches them there has the other half of the time.
 */
static void leave_half(struct exploration *x, const struct phase *phase)
{
	if (phase->search.strategy != STRATEGY_OPTIMAL || phase->small || x->complete || x->over ||
	    !x->deadline || !explore_may_add_races(x))
		return;
	explore_memory(x);
	if (explore_wants_races(x) && x->deadline == x->whole_deadline)
		x->deadline = x->session->deadline = x->begin + (x->deadline - x->begin) / 2;
}

/* Has this phase run all that its fairness allows, or with `ordered` its time-outs as well? */
static bool has_run_all(const struct exploration *x, const struct phase *phase)
{
	return x->search.complete && !x->search.bound_met && !x->diverged && !x->anew && !x->over &&
	       !phase->search.unwatched && !strategy_random(phase->search.strategy);
}

/* Chance finds nothing among what that one has run all of. */
static bool is_vain(const struct phase *phase, const struct phase *all)
{
	return all && strategy_random(phase->search.strategy) && phase->search.fair_k == all->search.fair_k &&
	       !phase->search.unwatched && (phase->search.ordered || !all->search.ordered);
}

static void explore_phases(struct exploration *x)
{
	const struct portfolio_program program = {
	    .repeatable = x->repeatable, .timeouts = x->timeouts, .unending = x->unending, .lead = x->lead};
	struct phase phases[PORTFOLIO_ROOM];
	size_t again, length = portfolio_make(x->options, &program, phases, &again);
	const size_t from = x->resume->going_on ? x->resume->position : 0;
	const struct phase *all = NULL;
	if (x->complete)
		x->completed = phases[x->completed_at % length];
	for (size_t i = 0, position = 0; i < length && !x->over && !x->complete && !x->hands_on;
	     i++, position++) {
		x->phase_at = i;
		if (explore_try_more(x, &phases[i]))
			break;
		/* Systematic strategies build on what earlier executions did. */
		if (position >= from && (!x->diverged || strategy_random(phases[i].search.strategy)) &&
		    !is_vain(&phases[i], all)) {
			explore_phase(x, &phases[i], position);
			all = has_run_all(x, &phases[i]) ? &phases[i] : all;
		}
		/* What fairness leaves out is first looked for by turns that count fewer yields. */
		x->complete &= !(phases[i].small && x->forbade);
		leave_half(x, &phases[i]);
		phases[i].search.seed += phases[i].executions;
		if (i + 1 == length)
			i -= again;
	}
	if (x->decided || (x->aside.most && x->over))
		return;
	/* What follows has these accesses as operations, and sees more. */
	if (explore_may_add_races(x))
		explore_memory(x);
	if (explore_wants_races(x))
		return;
	if (explore_leaves_more(x))
		explore_leave_watching(x);
	else if (!explore_wants_atomics(x))
		explore_watch(x);
	/* As does one whose stores wait. */
	if (explore_wants_races(x) || explore_wants_tso(x))
		return;
	explore_whole(x);
	explore_unfair(x);
}

void explore_search(struct exploration *x, const struct launch *launch, const struct processors *processors)
{
	bool begun = !x->over;
	if (!explore_select_states(x) && x->fatal)
		return;
	char **modules = x->options->launch ? explore_modules(x) : NULL;
	x->jobs =
	    jobs_new(x->workers, x->session, launch, x->options, processors, modules, x->whole_deadline);
	if (x->jobs)
		explore_phases(x);
	else
		explore_give_up(x, STATUS_NO_MEMORY, status_text(STATUS_NO_MEMORY));
	jobs_free(x->jobs);
	x->jobs = NULL;
	list_free(modules);
	explore_count_first(x);
	x->resume->over = begun && !x->fatal && !x->watching_cut && (x->complete || !x->resume->unfinished);
	progress_clear(&x->progress);
	/* It may also have failed after the last execution, as that was looked at. */
	if (plugin_failure())
		explore_give_up(x, STATUS_UNSUPPORTED, plugin_failure());
	x->found_reasons = x->verdict->reasons;
	if (x->complete)
		explore_memory(x);
	explore_races(x);
	if (x->options->all || x->verdict->reported_length == 0)
		explore_give_reasons(x);
	else
		verdict_because(x->verdict, "the first failure ends the search");
	if (x->options->search.shards)
		explore_conclude_share(x);
	x->verdict->states_wanted = x->states && x->options->states;
	x->verdict->pruned = x->options->prune_states;
	if (x->states)
		x->verdict->states = states_count(x->states);
	x->verdict->atomics = x->options->atomics;
	x->verdict->shares_memory = process_shares_memory(x->session->process);
	x->verdict->compiled = process_compiled(x->session->process, x->verdict->uncompiled);
	x->verdict->all_shared = x->options->granularity == GRANULARITY_MEMORY;
	x->verdict->seconds = explore_seconds(x);
}
