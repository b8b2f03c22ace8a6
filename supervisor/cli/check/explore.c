/* The search: plans from the strategies, traces from what runs them. */
#include "supervisor/cli/check/explore.h"
#include "supervisor/cli/check/explore_private.h"
#include "supervisor/cli/check/portfolio.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/session/confirm.h"
#include "supervisor/cli/verdict/warnings.h"

#include <fmc/breakpoints/plugin.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

static void note_longest(struct exploration *x)
{
	if (x->last.took > x->longest)
		x->longest = x->last.took;
	if (x->last.trace.length > x->longest_trace && !x->unfair)
		x->longest_trace = x->last.trace.length;
}

/*
 * Executions that are as long as the depth go on for a while, to see whether they do for ever. If they come to an end they are as
 * good as others, but the search has taken no other way from there on.
 */
static void note_depth(struct exploration *x)
{
	const struct trace *trace = &x->last.trace;
	const uint64_t depth = x->last.plan.policy.max_depth;
	const bool cut = trace->end == END_DEPTH;
	x->endless |= x->unfair && cut;
	x->cut_early += cut && !x->unfair && depth < x->options->search.max_depth;
	if (x->unfair || x->begins)
		return;
	x->cut += cut;
	x->beyond += !cut && depth != 0 && trace->length > depth;
}

/* Count the last execution and what it had that isn't covered. */
static void account(struct exploration *x)
{
	const struct trace *trace = &x->last.trace;
	struct verdict *verdict = x->verdict;
	verdict->executions++;
	verdict->transitions += trace->length;
	verdict->unmodelled += trace->unmodelled;
	/* Without memory for it the search is worth as much. */
	(void)coverage_note(&x->coverage, trace);
	if (trace->end == END_EXIT)
		looks_keep(&x->looks, trace, &x->last.plan.policy, x->coverage.classes > verdict->classes);
	verdict->classes = x->coverage.classes;
	verdict->saturation = coverage_saturation(&x->coverage);
	note_depth(x);
	x->forbade |= trace_forbids(trace);
	note_longest(x);
	x->holding += x->ordered && !x->begins && trace_holds(trace);
	x->held_back += trace->held_back;
	x->diverged += trace->end == END_DIVERGED;
	x->outside += trace->end == END_STUCK;
	x->absent += trace->end == END_ABSENT;
	if (trace->end == END_ABSENT)
		verdict_because(verdict, "a copy of the process can't do what it did: T%u: %s",
				trace->end_thread + 1, trace->message);
	for (uint32_t t = 0; t < trace->found_length; t++)
		if (trace->found[t].flags & OP_ABSENT)
			verdict_because(
			    verdict,
			    "T%u waits for what a copy of the process lacks, and goes on in no execution",
			    t + 1);
	if (trace->end == END_GOES_ON && !x->going_on++)
		verdict_because(
		    verdict,
		    "executions end in loops that ran before the copy was made, which is taken for no "
		    "failure: in the first %s",
		    trace->message);
	if (trace->end == END_DEADLOCK && trace_goes_on(trace))
		verdict_because(verdict,
				"executions end where threads wait for each other in a circle: what others "
				"could do after it isn't run");
	if (trace->unmodelled)
		verdict_because(verdict, "operations that fmc has no model of: %s", trace->message);
	if (x->last.uncontrolled)
		verdict_uncontrolled(verdict, x->last.uncontrolled);
	if (trace->end == END_UNSUPPORTED)
		verdict_because(verdict, "the program did what fmc can't supervise: %s", trace->message);
}

/* No failure with fewer preemptions than this has been left out; 0 if that isn't known. */
static uint32_t least_preemptions(const struct exploration *x)
{
	bool sound = x->repeatable && !x->unfair && !x->begins && !x->cut && !x->beyond && !x->held_back &&
		     !x->outside && !x->absent && !x->diverged && !x->unconfirmed && x->verdict->reasons == 0;
	if (!sound || !x->options->search.fair_k)
		return 0;
	uint32_t least = x->bounded && !x->delays ? x->bound + 1 : 0;
	bool bounding = strncmp(x->phase, "cb", 2) == 0;
	return bounding && x->search.bound > least ? x->search.bound : least;
}

double explore_seconds(const struct exploration *x)
{
	return (double)(clock_now() - x->begin) / 1e9 + x->earlier_seconds;
}

/* An execution failed in a way that wasn't seen before: keep it if it replays. */
static void examine(struct exploration *x, const struct plan *plan, const struct trace *trace)
{
	/* All of the execution is prefix now. */
	struct policy policy = plan->policy;
	policy.kind = POLICY_DEFAULT;
	policy.profile = NULL;
	struct finding finding;
	finding_init(&finding);
	progress_clear(&x->progress);
	x->session->deadline = explore_confirming_end(x, x->last.took);
	enum confirmation confirmation = confirm_finding(x->session, trace, &policy, &finding);
	x->enough |= confirmation == CONFIRM_INTERRUPTED;
	x->undecided += confirmation == CONFIRM_INTERRUPTED;
	x->unconfirmed += confirmation == CONFIRM_DIFFERENT || confirmation == CONFIRM_INTERRUPTED;
	if (confirmation == CONFIRMED) {
		const struct reported how = {.finding = finding,
					     .execution = x->verdict->executions,
					     .seconds = explore_seconds(x),
					     .policy = policy,
					     .least_preemptions = least_preemptions(x)};
		x->enough |= !x->options->all;
		if (failures_add(&x->failures, x->verdict, trace, &how, x->phase))
			return;
		confirmation = CONFIRM_FAILED;
	}
	finding_release(&finding);
	if (confirmation == CONFIRM_FAILED)
		explore_give_up(x, STATUS_NO_MEMORY, status_text(STATUS_NO_MEMORY));
}

/* Which executions the search's estimate is of: " with at most 1 preemption"; nothing for all of them. */
static void describe_estimate(const struct exploration *x, const struct phase *phase, char text[80])
{
	bool delays = phase->search.strategy == STRATEGY_DELAY;
	*text = 0;
	if (strategy_bounded(phase->search.strategy))
		snprintf(text, 80, " with at most %" PRIu32 " %s%s", x->search.bound,
			 delays ? "delay" : "preemption", x->search.bound == 1 ? "" : "s");
	else if (x->search.reduced)
		snprintf(text, 80, " that differ in more than the order of independent operations");
}

/* What is said of all executions is worth more than what is said of some, and an interval more than a guess. */
static void keep_estimate(struct exploration *x, const struct phase *phase)
{
	struct verdict *verdict = x->verdict;
	bool interval = x->search.estimate_high > x->search.estimate_low;
	char of[80];
	describe_estimate(x, phase, of);
	if (x->search.estimate <= 0 || x->begins)
		return;
	if (verdict->estimate > 0 && !*verdict->estimate_of &&
	    (*of || (verdict->estimate_high > verdict->estimate_low && !interval)))
		return;
	memcpy(verdict->estimate_of, of, sizeof of);
	verdict->estimate = x->search.estimate;
	verdict->estimate_low = x->search.estimate_low;
	verdict->estimate_high = x->search.estimate_high;
}

/*
 * An execution has exited with 0: then the first one's other status isn't how this program ends, and that one has failed.
 */
static void withdraw_assumption(struct exploration *x)
{
	const struct plan plan = {.policy = explore_first_policy(x)};
	struct trace first;
	if (!x->verdict->assumed_exit)
		return;
	explore_assume(x, 0);
	trace_init(&first);
	x->session->deadline = x->deadline;
	(void)session_run(x->session, &plan, &first, NULL); /* the trace says how it went */
	if (finding_classify(&first) != FINDING_NONE && !failures_count(&x->failures, x->verdict, &first))
		examine(x, &plan, &first);
	trace_release(&first);
}

static void show_progress(struct exploration *x)
{
	progress_update(&x->progress, x->phase, &x->search, x->verdict, x->last.trace.length);
}

/*
 * Has the head of a loop been learned since this phase's search began? Threads are preempted there from now on: executions go
 * other ways than those that the search knows. Random ones know nothing of each other.
 */
static bool learned(const struct exploration *x, const struct phase *phase)
{
	return !strategy_random(phase->search.strategy) &&
	       loops_length(process_loops(x->session->process)) != x->loops;
}

/* An execution that is over: count it, look at its end, tell the search. */
static void explore_last(struct exploration *x, const struct phase *phase, struct search *search)
{
	const struct plan *plan = &x->last.plan;
	struct trace *trace = &x->last.trace;
	if (!explore_usable(x))
		return;
	/* A worker may not know yet. */
	trace->good_end = good_ends_expect(&x->own.good_ends, trace);
	account(x);
	if (finding_classify(trace) != FINDING_NONE && !failures_count(&x->failures, x->verdict, trace))
		examine(x, plan, trace);
	else if (trace->end == END_EXIT)
		warnings_look(x->session, &plan->policy, trace, x->verdict);
	if (trace->end == END_EXIT && trace->end_value == 0)
		withdraw_assumption(x);
	if (x->enough || learned(x, phase))
		return;
	enum status status = search_feed(search, plan->ticket, trace);
	if (status == STATUS_DIVERGED)
		x->diverged += trace->end != END_DIVERGED;
	else if (status)
		explore_give_up(x, status, status_text(status));
	search_progress(search, &x->search);
	keep_estimate(x, phase);
	show_progress(x);
}

/* Plans for all workers that have nothing to do. */
static enum search_answer plan_ahead(struct exploration *x, const struct phase *phase, struct search *search,
				     uint64_t *planned)
{
	enum search_answer answer = SEARCH_LATER;
	struct plan plan;
	while (jobs_room(x->jobs) && !explore_spent(x, phase, *planned)) {
		answer = search_next(search, &plan);
		if (answer != SEARCH_PLAN)
			break;
		const struct session_time time = explore_time(x, phase);
		jobs_put(x->jobs, &plan, &time);
		++*planned;
	}
	return answer;
}

/*
 * Wait for an execution. Random ones count in the order of their seeds, so that the first failure is the same for
 * any number of workers.
 */
static void await_job(struct exploration *x, const struct phase *phase, struct search *search)
{
	char why[256];
	bool in_order = strategy_random(phase->search.strategy);
	enum status status = jobs_take(x->jobs, in_order, &x->last, why);
	x->session->deadline = explore_phase_end(x, phase);
	if (status == STATUS_OK)
		explore_last(x, phase, search);
	else if (status != STATUS_TIMEOUT)
		explore_give_up(x, status, why);
	x->enough |= tracer_interrupted();
	show_progress(x);
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
		x->unfair_complete = complete && !x->endless;
		x->verdict->reduced |= x->search.reduced;
		return;
	}
	x->verdict->reduced = x->search.reduced;
	if (x->options->verbose && x->search.unreduced)
		say("no two operations were taken for independent: %s", x->search.unreduced);
	x->complete = complete;
	x->completed = *phase;
	if (strategy_bounded(phase->search.strategy) && x->search.complete)
		keep_bound(x, phase, phase->search.bound);
}

/* What is still out is of the search that is given up. */
static void drain(struct exploration *x)
{
	char why[256];
	while (jobs_out(x->jobs) > 0 && !x->enough) {
		enum status status = jobs_take(x->jobs, false, &x->last, why);
		if (status != STATUS_OK && status != STATUS_TIMEOUT)
			explore_give_up(x, status, why);
		x->enough |= tracer_interrupted();
	}
}

/* Where the search stands; what is out is still to be run. */
static bool note_place(struct exploration *x, size_t position, uint64_t planned, const struct search *search)
{
	return x->resume->path && resume_note(x->resume, position, planned - jobs_out(x->jobs), search);
}

/*
 * Plan and run until the search is over, or the phase has had its share. `planned`: executions of it in earlier
 * runs.
 */
static void run_phase(struct exploration *x, const struct phase *phase, struct search *search,
		      size_t position, uint64_t planned)
{
	while (!x->enough) {
		if (resume_due(x->resume) && note_place(x, position, planned, search))
			explore_write_state(x);
		if (learned(x, phase)) {
			drain(x);
			x->anew = !x->enough;
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
	bool found = x->verdict->reported_length > 0 && !x->options->all;
	x->resume->unfinished = x->over && !found && !x->fatal;
	x->resume->noted = x->resume->unfinished && note_place(x, position, planned, search);
}

/* If an earlier run broke off in this phase: its search. False when that can't be. */
static bool load_place(struct exploration *x, size_t position, struct search *search, uint64_t *planned)
{
	struct resume *resume = x->resume;
	if (!resume->going_on || resume->position != position)
		return true;
	resume->going_on = false;
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
	x->loops = loops_length(process_loops(x->session->process));
	struct search *search = search_new(&phase->search);
	if (!search) {
		explore_give_up(x, STATUS_NO_MEMORY, status_text(STATUS_NO_MEMORY));
		return;
	}
	x->begins = portfolio_begins(x->options, phase);
	x->ordered = phase->search.ordered;
	name_phase(x, phase);
	search_progress(search, &x->search);
	x->phase_begin = clock_now();
	x->phase_from = 0;
	x->sampled |= strategy_random(phase->search.strategy);
	if (load_place(x, position, search, &planned)) {
		search_progress(search, &x->search);
		x->phase_from = x->search.executions;
		run_phase(x, phase, search, position, planned);
	}
	/* An unbounded phase that was broken off has still worked through the bounds before its present one.
	 */
	search_progress(search, &x->search);
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
