/* One phase of the search: plans from its strategy, traces from what runs them. */
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/phases/phases.h"

#include <inttypes.h>
#include <stdio.h>

/* Plans for all workers that have nothing to do. */
static enum search_answer plan_ahead(struct exploration *x, const struct phase *phase, struct search *search,
				     uint64_t *planned)
{
	enum search_answer answer = SEARCH_LATER;
	struct plan plan;
	if (explore_gives_parts(x, phase))
		return explore_give_parts(x, phase, search, planned);
	while (jobs_room(x->jobs) && !explore_spent(x, phase, *planned)) {
		answer = search_next(search, &plan);
		if (answer != SEARCH_PLAN)
			break;
		const struct session_time time = explore_time(x, phase);
		jobs_put(x->jobs, &plan, &time);
		x->elsewhere += plan.elsewhere;
		++*planned;
	}
	return answer;
}

/* The next execution that is over; false: there is none yet, or it can't be had. */
static bool take(struct exploration *x, bool in_order)
{
	char why[256];
	enum status status = jobs_take(x->jobs, in_order, &x->last, why);
	if (status != STATUS_OK && status != STATUS_TIMEOUT)
		explore_give_up(x, status, why);
	x->elsewhere -= status == STATUS_OK && x->last.plan.elsewhere;
	return status == STATUS_OK;
}

/*
 * Wait for an execution. Random ones count in the order of their seeds, so that the first failure is the same for
 * any number of workers.
 */
static void await_job(struct exploration *x, const struct phase *phase, struct search *search)
{
	const bool came = take(x, strategy_random(phase->search.strategy));
	x->session->deadline = explore_phase_end(x, phase);
	if (came && x->last.report)
		explore_part(x, phase, search);
	else if (came)
		explore_last(x, phase, search);
	x->enough |= tracer_interrupted();
	explore_show_progress(x);
}

static void name_phase(struct exploration *x, const struct phase *phase)
{
	char strategy[32];
	strategy_describe(&phase->search, strategy);
	const bool ordered = phase->search.ordered && !x->options->search.ordered;
	char depth[24] = "";
	if (phase->search.unwatched)
		snprintf(depth, sizeof depth, " to %" PRIu64, phase->search.max_depth);
	snprintf(x->phase, sizeof x->phase, "%.12s%s%.10s", strategy, ordered ? ", ordered" : "", depth);
	if (x->options->verbose) {
		progress_clear(&x->progress);
		say("%s, after %" PRIu64 " executions", x->phase, x->verdict->executions);
	}
}

/* All executions within this bound have been run. */
static void keep_bound(struct exploration *x, const struct phase *phase, uint32_t bound)
{
	bool delays = phase->search.strategy == STRATEGY_DELAY;
	if (x->bounded && x->delays == delays && x->bound > bound)
		return;
	x->bounded = true;
	x->delays = delays;
	x->bound = bound;
}

/* What a phase that ran to its own end has shown. */
static void conclude_phase(struct exploration *x, const struct phase *phase)
{
	bool complete = x->search.complete && !x->search.bound_met && !x->diverged;
	if (x->begins)
		return;
	if (x->unfair) {
		x->unfair_complete = complete && !x->endless && !explore_cut_at_other_clocks(x);
		x->verdict->reduced |= x->search.reduced;
		return;
	}
	x->verdict->reduced = x->search.reduced;
	if (x->options->verbose && x->search.unreduced)
		say("no two operations were taken for independent: %s", x->search.unreduced);
	x->complete = complete;
	x->completed = *phase;
	x->completed_at = x->phase_at;
	const struct knowledge knowledge = process_knows(x->session->process);
	if (x->search.complete)
		certify_keep(&x->certifying, &phase->search, &x->search, &knowledge);
	if (strategy_bounded(phase->search.strategy) && x->search.complete)
		keep_bound(x, phase, phase->search.bound);
}

/* What is still out is of the search that is given up. */
static void drain(struct exploration *x)
{
	while (jobs_out(x->jobs) > 0 && !x->enough) {
		(void)take(x, false); /* nobody asks any more what came of it */
		x->enough |= tracer_interrupted();
	}
}

/* What is out is still to be run. */
bool explore_note_place(struct exploration *x, size_t position, uint64_t planned, const struct search *search)
{
	return x->resume->path && resume_note(x->resume, position, planned - jobs_out(x->jobs), search);
}

/*
 * Threads wait in loops for memory that is no operation yet: each round more or less is another execution, which says nothing. After so many
 * executions, and four times as many again, they are looked at.
 */
#define LOOK_AFTER 16

static bool has_to_look(struct exploration *x)
{
	uint64_t executions = x->search.executions - x->phase_from;
	const bool due = executions >= x->look_due;
	const bool waits = loops_length(process_loops(x->session->process)) > 0;
	const bool accesses = x->follows || x->options->granularity >= GRANULARITY_RACE;
	while (executions >= x->look_due)
		x->look_due *= 4;
	return due && waits && accesses && explore_may_add_races(x);
}

/* True: it has been seen what they wait for, or something else that threads race for. */
static bool looks_in_time(struct exploration *x)
{
	x->hands_on = has_to_look(x) && explore_look_early(x, SIZE_MAX);
	return x->hands_on;
}

/*
 * Plan and run until the search is over, or the phase has had its share. `planned`: executions of it in earlier
 * runs.
 */
static void run_phase(struct exploration *x, const struct phase *phase, struct search *search,
		      size_t position, uint64_t planned)
{
	while (!x->enough) {
		if (resume_due(x->resume) && explore_note_place(x, position, planned, search))
			explore_write_state(x);
		if (explore_learned(x, phase)) {
			drain(x);
			x->anew = !x->enough;
			/* Those that have failed will be looked at anew, with all their operations. */
			failures_release(&x->failures);
			break;
		}
		if (looks_in_time(x)) {
			drain(x);
			break;
		}
		enum search_answer answer = plan_ahead(x, phase, search, &planned);
		if (jobs_out(x->jobs) > 0) {
			await_job(x, phase, search);
			continue;
		}
		search_progress(search, &x->search);
		if (answer == SEARCH_OVER)
			conclude_phase(x, phase);
		break;
	}
	x->over |= x->enough;
	if (x->watching_cut)
		return;
	bool found = x->verdict->reported_length > 0 && !x->options->all;
	x->resume->unfinished = x->over && !found && !x->fatal;
	x->resume->noted = x->resume->unfinished && explore_note_place(x, position, planned, search);
}

bool explore_load_place(struct exploration *x, size_t position, struct search *search, uint64_t *planned)
{
	struct resume *resume = x->resume;
	if (!resume->going_on || resume->position != position)
		return true;
	resume->going_on = false;
	certify_go_on(&x->certifying);
	*planned = resume->planned;
	enum status status = search_load(search, &resume->rest);
	if (status == STATUS_OK)
		return true;
	char why[256];
	snprintf(why, sizeof why, "%.180s: can't go on with the saved search: %s", resume->path,
		 status_text(status));
	explore_give_up(x, status, why);
	return false;
}

static void explore_once(struct exploration *x, const struct phase *phase, size_t position)
{
	uint64_t planned = 0;
	x->anew = false;
	x->learned = process_learned(x->session->process);
	struct search_options options = phase->search;
	/* Certificates know nothing of threads that are held back, nor do states that others come to, too. */
	options.every_round = x->options->certificate || x->options->prune_states;
	/* Transitions on objects of the kernel take long: too long to come to the depth at which loops are looked for. */
	options.early |= shared_length(process_shared(x->session->process)) > 0;
	struct search *search = search_new(&options);
	if (!search) {
		explore_give_up(x, STATUS_NO_MEMORY, status_text(STATUS_NO_MEMORY));
		return;
	}
	x->begins = portfolio_begins(x->options, phase);
	certify_begin(&x->certifying);
	if (x->options->outcomes || x->options->same_output)
		certify_refuse(
		    &x->certifying,
		    "what the program prints was operations (--outcomes), which a certificate doesn't have");
	x->ordered = phase->search.ordered;
	name_phase(x, phase);
	search_progress(search, &x->search);
	x->phase_begin = clock_now();
	x->phase_from = 0;
	x->look_due = LOOK_AFTER;
	x->sampled |= strategy_random(phase->search.strategy);
	if (explore_load_place(x, position, search, &planned)) {
		search_progress(search, &x->search);
		x->phase_from = x->search.executions;
		if (x->states)
			states_forget(x->states);
		jobs_count_states(x->jobs, x->states, x->options->prune_states);
		run_phase(x, phase, search, position, planned);
		jobs_count_states(x->jobs, NULL, false);
	}
	/* An unbounded phase that was broken off has still worked through the bounds before its present one.
	 */
	search_progress(search, &x->search);
	explore_note_share(x);
	if (!x->anew && !x->unfair && !x->begins && strategy_bounded(phase->search.strategy) &&
	    !x->search.complete && x->search.bound > 0)
		keep_bound(x, phase, x->search.bound - 1);
	search_free(search);
}

void explore_phase(struct exploration *x, const struct phase *phase, size_t position)
{
	do
		explore_once(x, phase, position);
	while (x->anew);
}
