/* The outcomes of a search: which there are, a schedule for each, and where two of them part. */
#include "supervisor/cli/verdict/outcomes.h"
#include "supervisor/cli/explore/explore.h"
#include "supervisor/cli/explore/parting.h"
#include "supervisor/cli/explore/told.h"
#include "supervisor/cli/session/confirm.h"
#include "supervisor/cli/session/record.h"

#include <fmc/replay/schedule.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* So much of the time goes into finding where two outcomes part, and so many pairs are tried. */
#define PARTING_SECONDS 2
#define PARTING_TRIES	4

/* Under a number that is free, unless the user has named the files. */
static char *choose_name(struct exploration *x)
{
	for (;;) {
		char *name = record_name(x->launch, x->options, ++x->outcome_number);
		if (!name || x->options->output || access(name, F_OK) != 0)
			return name;
		free(name);
	}
}

static void write_outcome(struct exploration *x, const struct finding *finding, const struct policy *policy,
			  struct outcome_met *met)
{
	struct options named = *x->options;
	struct launch told = *x->launch;
	char how[160], *name = choose_name(x);
	if (!x->told)
		x->told = told_environment(x, x->launch, policy, finding);
	snprintf(how, sizeof how, "%s: %s, execution %" PRIu64 ", seed %" PRIu64, x->verdict->strategy,
		 x->phase, x->verdict->executions, x->options->seed);
	named.output = name;
	told.environment = x->told;
	met->why = "it can't be written";
	if (name && x->told &&
	    record_schedule(finding, x->session, &told, &named, policy, how, x->options->output != NULL,
			    &met->schedule) == STATUS_OK)
		met->why = NULL;
	free(name);
}

/* Run it again: what doesn't come to the same outcome gets no schedule. */
static void record_outcome(struct exploration *x, const struct plan *plan, const struct trace *trace,
			   struct outcome_met *met)
{
	struct policy policy = plan->policy;
	struct step *steps = confirm_steps(trace);
	struct trace again;
	struct finding finding;
	policy.kind = POLICY_DEFAULT;
	policy.profile = NULL;
	policy.apart = false;
	met->why = "it couldn't be run again";
	if (!steps)
		return;
	const struct plan all = {.prefix = steps, .prefix_length = trace->length, .policy = policy};
	trace_init(&again);
	finding_init(&finding);
	const enum status status = session_collect(x->session, &all, &again, &finding);
	if (status == STATUS_OK && again.end != END_INTERRUPTED)
		met->why = "under the same schedule the program ended otherwise";
	if (status == STATUS_OK && again.outcome == trace->outcome &&
	    confirm_difference(trace, &again) == SIZE_MAX)
		write_outcome(x, &finding, &policy, met);
	finding_release(&finding);
	trace_release(&again);
	free(steps);
}

/* This search's first outcome and another one. */
static void part(struct exploration *x, const struct plan *plan, const struct trace *trace)
{
	struct outcome_race *race = &x->verdict->outcomes->race;
	struct step *steps = confirm_steps(trace);
	if (!x->outcome_steps) {
		x->outcome_steps = steps;
		x->outcome_length = trace->length;
		x->outcome_digest = trace->outcome;
		return;
	}
	const uint64_t end = clock_now() + PARTING_SECONDS * UINT64_C(1000000000);
	const struct parting_end one = {x->outcome_steps, x->outcome_length, x->outcome_digest};
	const struct parting_end other = {steps, trace->length, trace->outcome};
	if (!race->known && steps && x->outcome_tries++ < PARTING_TRIES) {
		if (!x->session->deadline || x->session->deadline > end)
			x->session->deadline = end;
		(void)parting_find(x->session, &one, &other, &plan->policy, race);
	}
	free(steps);
}

bool explore_expect_outcome(struct exploration *x, const struct trace *trace, const struct ending *ending)
{
	struct ending_rule *rule = &x->session->endings;
	if (!x->options->same_output || rule->expected || !trace->outcome || !trace->good_end)
		return true;
	if (!ending_expect(rule, trace, ending))
		return false;
	x->own.outcome_first = rule->expected_text;
	return true;
}

void explore_outcome(struct exploration *x)
{
	const struct plan *plan = &x->last.plan;
	struct trace *trace = &x->last.trace;
	struct outcome_list *list = x->verdict->outcomes;
	bool fresh;
	if (!list || !trace->outcome || !x->last.ending.text)
		return;
	const size_t i = outcomes_meet(list, trace, &x->last.ending, x->verdict->executions, &fresh);
	const uint64_t deadline = x->session->deadline;
	x->session->deadline = explore_confirming_end(x, x->last.took);
	if (fresh && list->listed) {
		progress_clear(&x->progress);
		record_outcome(x, plan, trace, &list->at[i]);
	}
	if (!x->outcome_steps || (fresh && trace->outcome != x->outcome_digest))
		part(x, plan, trace);
	x->session->deadline = deadline;
}
