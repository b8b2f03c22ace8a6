/* What comes of an execution: it is counted, its end is looked at, and the search is told. */
#include "supervisor/cli/explore/explore.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/session/confirm.h"
#include "supervisor/cli/verdict/warnings.h"
#include "supervisor/cli/workers/part_report.h"
#include "supervisor/cli/workers/parted.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	verdict->reached |= trace->reached;
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
	x->going_round += trace->end == END_STUCK && trace->loop_start;
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
	x->allowed += trace->end == END_ALLOWED;
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
		     !x->outside && !x->absent && !x->diverged && !x->unconfirmed && !x->allowed &&
		     x->verdict->reasons == 0;
	if (!sound || !x->options->search.fair_k)
		return 0;
	uint32_t least = x->bounded && !x->delays ? x->bound + 1 : 0;
	bool bounding = strncmp(x->phase, "cb", 2) == 0;
	return bounding && x->search.bound > least ? x->search.bound : least;
}

/* An execution failed in a way that wasn't seen before: keep it if it replays. */
static void examine(struct exploration *x, const struct plan *plan, const struct trace *trace)
{
	/* All of the execution is prefix now. */
	struct policy policy = plan->policy;
	policy.kind = POLICY_DEFAULT;
	policy.profile = NULL;
	policy.apart = false;
	/* A loop that was seen early is to be seen where schedules are played, too. */
	if (policy.early && end_reason_loops(trace->end) &&
	    (!policy.max_depth || trace->length < policy.max_depth))
		policy.max_depth = policy_early(&plan->policy);
	policy.early = false;
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
			 delays ? "delay" : "preemption", plural(x->search.bound));
	else if (x->search.reduced)
		snprintf(text, 80, " that differ in more than the order of independent operations");
}

/* What is said of all executions is worth more than what is said of some, and an interval more than a guess. */
static void keep_estimate(struct exploration *x, const struct phase *phase)
{
	struct verdict *verdict = x->verdict;
	const bool exact =
	    x->search.estimate_low == x->search.estimate && x->search.estimate_high == x->search.estimate;
	bool interval = exact || x->search.estimate_high > x->search.estimate_low;
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

static void tell_search(struct exploration *x, const struct phase *phase, struct search *search)
{
	const struct trace *trace = &x->last.trace;
	enum status status = search_feed(search, x->last.plan.ticket, trace);
	if (status == STATUS_DIVERGED)
		x->diverged += trace->end != END_DIVERGED;
	else if (status)
		explore_give_up(x, status, status_text(status));
	search_progress(search, &x->search);
	keep_estimate(x, phase);
	explore_show_progress(x);
}

/* What has been told of an execution of a part is the last one. */
static void take_told(struct exploration *x, struct part_execution *told)
{
	free(x->last.uncontrolled);
	x->last.uncontrolled = told->uncontrolled;
	x->last.took = told->took;
	x->last.plan = (struct plan){.policy = told->policy, .ticket = x->last.plan.ticket};
	/* A worker may not know yet. */
	x->last.trace.good_end = good_ends_expect(&x->own.good_ends, &x->last.trace);
	x->last.trace.other_outcome = ending_is_other(&x->session->endings, &x->last.trace);
}

/*
 * Look at failures before anything of the part is counted. False: there was no time to replay one; the part is to be run again then, and
 * only this execution counts until then.
 */
static bool confirm_told(struct exploration *x, struct loader told)
{
	struct part_execution execution;
	const struct trace *trace = &x->last.trace;
	while (!x->enough && part_report_next(&told, true, &execution, &x->last.trace)) {
		const uint64_t undecided = x->undecided;
		take_told(x, &execution);
		if (finding_classify(trace) == FINDING_NONE ||
		    failures_known(&x->failures, failures_digest(trace)))
			continue;
		examine(x, &x->last.plan, trace);
		/* It is counted with all others of the part. */
		failures_count_more(&x->failures, x->verdict, failures_digest(trace), -1);
		if (x->undecided > undecided) {
			account(x);
			return false;
		}
	}
	return true;
}

static void note_told(struct exploration *x, struct search *search, struct part_execution *execution)
{
	const struct trace *trace = &x->last.trace;
	enum status status = STATUS_OK;
	take_told(x, execution);
	if (explore_usable(x)) {
		x->verdict->parted = x->verdict->parted || is_parted(trace);
		account(x);
		if (finding_classify(trace) != FINDING_NONE)
			(void)failures_count(&x->failures, x->verdict, trace);
		else if (trace->end == END_EXIT)
			warnings_look(x->session, &x->last.plan.policy, trace, x->verdict);
		if (trace->end == END_EXIT && trace->end_value == 0)
			withdraw_assumption(x);
	}
	x->diverged += execution->diverged && trace->end != END_DIVERGED;
	if (execution->heard)
		status = search_hear(search, x->last.plan.ticket, execution->from, trace);
	if (status && status != STATUS_DIVERGED)
		explore_give_up(x, status, status_text(status));
}

/* Executions of which nothing is known but these counts. */
static void account_more(struct exploration *x, const struct part_report *report)
{
	struct verdict *verdict = x->verdict;
	const uint64_t classes = x->coverage.classes;
	verdict->executions += report->executions;
	verdict->transitions += report->transitions;
	verdict->reached |= report->reached;
	for (size_t i = 0; i < report->classes_length; i++)
		(void)coverage_count(&x->coverage, report->classes[i]);
	looks_pass(&x->looks, x->coverage.classes - classes);
	verdict->classes = x->coverage.classes;
	verdict->saturation = coverage_saturation(&x->coverage);
	x->forbade |= report->forbade;
	if (report->longest > x->longest)
		x->longest = report->longest;
	if (report->longest_trace > x->longest_trace)
		x->longest_trace = report->longest_trace;
	for (size_t i = 0; i < report->ends_length; i++)
		failures_count_more(&x->failures, verdict, report->ends[i].digest,
				    (int64_t)report->ends[i].executions);
}

/* False: the bytes can't be a report. */
static bool note_report(struct exploration *x, const struct phase *phase, struct search *search,
			struct loader *loader)
{
	struct part_report report;
	struct loader told, rest;
	struct part_execution execution;
	bool good = part_report_load(loader, &report, &told, &rest);
	if (good && !confirm_told(x, told)) {
		part_report_release(&report);
		return true;
	}
	while (good && part_report_next(&told, false, &execution, &x->last.trace))
		note_told(x, search, &execution);
	if (good && !told.failed)
		account_more(x, &report);
	good = good && !told.failed &&
	       search_take_back(search, x->last.plan.ticket, explore_parts_wanted(x), &rest) == STATUS_OK;
	part_report_release(&report);
	search_progress(search, &x->search);
	keep_estimate(x, phase);
	explore_show_progress(x);
	return good;
}

void explore_part(struct exploration *x, const struct phase *phase, struct search *search)
{
	struct loader loader = {x->last.report, x->last.report_length, false};
	if (!note_report(x, phase, search, &loader))
		explore_give_up(x, STATUS_MALFORMED, "a worker's report can't be read");
}

void explore_count_first(struct exploration *x)
{
	struct verdict *verdict = x->verdict;
	struct trace *trace = &x->last.trace, last = *trace;
	/* What another run or shard goes on from knows nothing of it. */
	if (verdict->executions > 0 || !x->first_ran || x->fatal || tracer_interrupted() ||
	    x->options->resume || x->options->search.shards)
		return;
	*trace = x->first;
	x->first = last;
	x->first_ran = false;
	x->first_counts = true;
	free(x->last.uncontrolled);
	x->last.uncontrolled = NULL;
	x->last.took = (uint64_t)(x->first_took * 1e9);
	x->last.plan = (struct plan){.policy = explore_first_policy(x)};
	trace->good_end = good_ends_expect(&x->own.good_ends, trace);
	account(x);
	if (finding_classify(trace) != FINDING_NONE && !failures_count(&x->failures, verdict, trace))
		examine(x, &x->last.plan, trace);
}

void explore_last(struct exploration *x, const struct phase *phase, struct search *search)
{
	const struct plan *plan = &x->last.plan;
	struct trace *trace = &x->last.trace;
	if (!explore_usable(x))
		return;
	/* A worker may not know yet. */
	trace->good_end = good_ends_expect(&x->own.good_ends, trace);
	if (!explore_expect_outcome(x, trace, &x->last.ending))
		explore_give_up(x, STATUS_NO_MEMORY, status_text(STATUS_NO_MEMORY));
	if (plan->elsewhere) {
		tell_search(x, phase, search);
		return;
	}
	x->verdict->parted = x->verdict->parted || is_parted(trace);
	trace->other_outcome = ending_is_other(&x->session->endings, trace);
	account(x);
	explore_outcome(x);
	if (finding_classify(trace) != FINDING_NONE && !failures_count(&x->failures, x->verdict, trace))
		examine(x, plan, trace);
	else if (trace->end == END_EXIT)
		warnings_look(x->session, &plan->policy, trace, x->verdict);
	if (trace->end == END_EXIT && trace->end_value == 0)
		withdraw_assumption(x);
	if (x->enough || explore_learned(x, phase))
		return;
	certify_note(&x->certifying, trace, &plan->policy, x->options->prune_states ? x->states : NULL);
	tell_search(x, phase, search);
}
