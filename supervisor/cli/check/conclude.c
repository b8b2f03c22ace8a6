/* What came of a search: its findings minimised, written and printed, then the verdict. */
#include "supervisor/cli/check/conclude.h"
#include "supervisor/cli/check/certify_write.h"
#include "supervisor/cli/explore/told.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/output/terminal.h"
#include "supervisor/cli/session/record.h"
#include "supervisor/cli/verdict/explain.h"
#include "supervisor/cli/verdict/json.h"
#include "supervisor/cli/verdict/outcomes.h"
#include "supervisor/cli/verdict/races.h"
#include "supervisor/cli/verdict/results.h"
#include "supervisor/cli/verdict/simplify.h"
#include "supervisor/cli/verdict/warnings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What minimising a finding may cost, and all of them. `fmc minimize` takes its time. */
#define SIMPLIFY_SECONDS	2
#define SIMPLIFY_SECONDS_IN_ALL 10
#define SIMPLIFY_EXECUTIONS	200

/* Takes what it cost from *left. False: nothing was left. */
static bool make_simple(const struct exploration *x, struct reported *reported, double *left)
{
	const uint64_t last = explore_last_moment(x);
	double seconds = *left < SIMPLIFY_SECONDS ? *left : SIMPLIFY_SECONDS;
	/* The other half is for the replays of what it comes to. */
	if (last && ((double)last - (double)clock_now()) / 2e9 < seconds)
		seconds = ((double)last - (double)clock_now()) / 2e9;
	const struct simplify_budget budget = {.seconds = seconds,
					       .executions = SIMPLIFY_EXECUTIONS,
					       .seed = x->options->seed,
					       .proven = reported->least_preemptions,
					       .sees_memory = x->options->atomics,
					       .last = last};
	bool wanted = !x->options->no_minimize && x->repeatable && !tracer_interrupted();
	if (!wanted || reported->finding.kind == FINDING_NONE)
		return true;
	if (seconds <= 0)
		return false;
	uint64_t begin = clock_now();
	simplify(x->session, reported, &budget);
	*left -= (double)(clock_now() - begin) / 1e9;
	return true;
}

/* What an earlier run has written is as good. */
static bool is_written(const struct reported *reported)
{
	return reported->schedule && access(reported->schedule, F_OK) == 0;
}

static void write_schedule(const struct exploration *x, const struct launch *launch,
			   struct reported *reported)
{
	struct verdict *verdict = x->verdict;
	char how[160];
	snprintf(how, sizeof how, "%s: %s, execution %" PRIu64 ", seed %" PRIu64, verdict->strategy,
		 reported->phase, reported->execution, x->options->seed);
	free(reported->schedule);
	struct launch told = *launch;
	told.environment = told_environment(x, launch, &reported->policy, &reported->finding);
	/* Without a file the report is worth as much; the reason has been said. */
	(void)record_schedule(&reported->finding, x->session, &told, x->options, &reported->policy, how,
			      reported == verdict->reported, &reported->schedule);
	list_free(told.environment);
}

static void print_finding(const struct exploration *x, const struct reported *reported, bool in_time,
			  FILE *stream)
{
	struct race_story story;
	explain_finding(&reported->finding, reported->schedule, true, x->options, stream);
	simplified_print(reported, x->options, stream);
	if (x->verdict->races && race_story(x->verdict->races, reported, &story))
		race_story_print(reported, &story, stream);
	if (!in_time)
		fprintf(stream, "Not minimised: no time was left for that (fmc minimize).\n");
	fprintf(stream, "Found in execution %" PRIu64 ", after %.1f seconds", reported->execution,
		reported->seconds);
	if (reported->count > 1)
		fprintf(stream, "; %" PRIu64 " executions fail like this", reported->count);
	fprintf(stream, ".\n%s", x->options->all ? "\n" : "");
}

static int exit_status(const struct exploration *x)
{
	const struct verdict *verdict = x->verdict;
	if (verdict->reported_length > 0 || verdict->races_failed > 0)
		return EXITS_FINDING;
	if (tracer_interrupted())
		return EXITS_INTERRUPTED;
	if (x->options->require_complete && !verdict_satisfies(verdict, x->options))
		return EXITS_INCOMPLETE;
	return x->options->ctest ? verdict->assumed_exit : EXITS_OK;
}

FILE *check_stream(const struct options *options)
{
	const char *const results[] = {options->json, options->junit, options->sarif};
	for (size_t i = 0; i < sizeof results / sizeof *results; i++)
		if (results[i] && strcmp(results[i], "-") == 0)
			return stderr;
	return stdout;
}

/* What each race has come to; then how many of them count as failures is known. */
static void conclude_races(const struct exploration *x, const struct suppressions *suppressions)
{
	struct verdict *verdict = x->verdict;
	if (!verdict->races)
		return;
	race_list_conclude(verdict->races, verdict, x->options->promoted, suppressions);
	verdict->races_failed = race_list_failures(verdict->races, x->options->races);
}

/* How many states there are, and whether more are still found. */
static void print_states(const struct verdict *verdict, FILE *stream)
{
	const struct states_count *count = &verdict->states;
	if (verdict->states_wanted && count->executions > 0) {
		fprintf(stream, "%" PRIu64 " state%s in %" PRIu64 " execution%s, %.3g new ones each%s",
			count->states, plural(count->states), count->executions, plural(count->executions),
			(double)count->states / (double)count->executions,
			count->failed ? ", and more: not every one could be told" : "");
		if (count->quiet > 0)
			fprintf(stream, "; the last %" PRIu64 " found no new state", count->quiet);
		fprintf(stream, ".\n");
	}
	if (verdict->pruned)
		fprintf(stream,
			"%" PRIu64 " execution%s cut at one of %" PRIu64 " states that had been explored.\n",
			count->pruned, count->pruned == 1 ? " was" : "s were", count->visited);
}

static void print_outcomes(const struct outcome_list *outcomes, FILE *stream)
{
	if (outcomes->listed)
		outcomes_print(outcomes, terminal_width(stream), stream);
	outcome_race_print(outcomes, stream);
	if (outcomes->listed || outcomes->race.known)
		fputc('\n', stream);
}

int check_conclude(struct exploration *x, const struct launch *launch,
		   const struct suppressions *suppressions)
{
	struct verdict *verdict = x->verdict;
	const struct options *options = x->options;
	FILE *stream = check_stream(options);
	double left = SIMPLIFY_SECONDS_IN_ALL;
	for (size_t i = 0; i < verdict->reported_length; i++) {
		bool in_time = true;
		if (!is_written(&verdict->reported[i])) {
			in_time = make_simple(x, &verdict->reported[i], &left);
			write_schedule(x, launch, &verdict->reported[i]);
		}
		print_finding(x, &verdict->reported[i], in_time, stream);
	}
	conclude_races(x, suppressions);
	if (verdict->states_wanted || verdict->pruned)
		print_states(verdict, stream);
	if (verdict->outcomes)
		print_outcomes(verdict->outcomes, stream);
	if (options->all || verdict->reported_length == 0)
		verdict_print(verdict, stream);
	else if (!x->repeatable)
		fprintf(stream, "Replays may go another way: %s.\n", verdict->because[0]);
	if (options->require_complete && verdict->complete && !verdict_satisfies(verdict, options))
		fprintf(
		    stream,
		    "--require-complete asks for every access to be watched; all orders of operations are "
		    "enough with --granularity sync.\n");
	if (verdict->assumed_exit)
		fprintf(stream, "Exits with %d under the first schedule: %s.\n", verdict->assumed_exit,
			options->ctest ? "the test's own status, which is passed on (--ctest)"
				       : "taken as expected (--expect-exit)");
	warnings_missing(x->session, verdict);
	for (size_t i = 0; i < WARNINGS; i++)
		warning_print(&verdict->warnings[i], options_colours(options, fileno(stream)), stream);
	if (verdict->races)
		race_list_print(verdict->races, options, stream);
	bool certified = !options->certificate || certify_write(x, launch, stream);
	const struct results results = {options, launch, verdict, NULL, exit_status(x)};
	bool written = !options->json || json_write(verdict, options->json);
	return results_write(&results) && written && certified ? results.exits : EXITS_SOFTWARE;
}
