/* fmc check: search, and say what came of it. */
#include "commands.h"
#include "exits.h"
#include "explain.h"
#include "explore.h"
#include "json.h"
#include "ops.h"
#include "record.h"
#include "say.h"
#include "simplify.h"
#include "warnings.h"

#include <inttypes.h>
#include <string.h>

/* What a complete search holds under. */
static void describe_conditions(const struct options *options, struct verdict *verdict)
{
	char fair[48] = "no fairness", waking[320] = "every choice of whom to wake",
	     spurious[80] = "no spurious wakeups";
	if (options->search.fair_k)
		snprintf(fair, sizeof fair, "fairness with k = %u", options->search.fair_k);
	if (options->restricted)
		snprintf(waking, sizeof waking, "only those choices of whom to wake that %s allows",
			 options->waking);
	if (options->spurious)
		snprintf(spurious, sizeof spurious, "up to %u spurious wakeups of each condition",
			 options->spurious);
	snprintf(verdict->conditions, sizeof verdict->conditions, "%s, sequential consistency, %s, %s", fair,
		 waking, spurious);
}

/* What minimising a finding may cost. `fmc minimize` takes its time. */
#define SIMPLIFY_SECONDS    2
#define SIMPLIFY_EXECUTIONS 200

static void make_simple(const struct exploration *x, struct reported *reported)
{
	const struct simplify_budget budget = {SIMPLIFY_SECONDS, SIMPLIFY_EXECUTIONS, x->options->seed,
					       reported->least_preemptions};
	bool wanted = !x->options->no_minimize && x->repeatable && !tracer_interrupted();
	if (wanted && reported->finding.kind != FINDING_NONE)
		simplify(x->session, reported, &budget);
}

static void write_schedule(const struct exploration *x, const struct launch *launch,
			   struct reported *reported)
{
	struct verdict *verdict = x->verdict;
	char how[160];
	snprintf(how, sizeof how, "%s: %s, execution %" PRIu64 ", seed %" PRIu64, verdict->strategy,
		 reported->phase, reported->execution, x->options->seed);
	/* Without a file the report is worth as much; the reason has been said. */
	(void)record_schedule(&reported->finding, x->session, launch, x->options, &reported->policy, how,
			      reported == verdict->reported, &reported->schedule);
}

static void print_finding(const struct exploration *x, const struct reported *reported, FILE *stream)
{
	explain_finding(&reported->finding, reported->schedule, true, x->options, stream);
	simplified_print(reported, x->options, stream);
	fprintf(stream, "Found in execution %" PRIu64 ", after %.1f seconds", reported->execution,
		reported->seconds);
	if (reported->count > 1)
		fprintf(stream, "; %" PRIu64 " executions fail like this", reported->count);
	fprintf(stream, ".\n%s", x->options->all ? "\n" : "");
}

static int exit_status(const struct exploration *x)
{
	const struct verdict *verdict = x->verdict;
	if (verdict->reported_length > 0)
		return EXITS_FINDING;
	if (tracer_interrupted())
		return EXITS_INTERRUPTED;
	return x->options->require_complete && !verdict->complete ? EXITS_INCOMPLETE : EXITS_OK;
}

/* The search is over: print, write, return the exit status. */
static int conclude(struct exploration *x, const struct launch *launch)
{
	struct verdict *verdict = x->verdict;
	const struct options *options = x->options;
	bool json_out = options->json && strcmp(options->json, "-") == 0;
	FILE *stream = json_out ? stderr : stdout;
	for (size_t i = 0; i < verdict->reported_length; i++) {
		make_simple(x, &verdict->reported[i]);
		write_schedule(x, launch, &verdict->reported[i]);
		print_finding(x, &verdict->reported[i], stream);
	}
	if (options->all || verdict->reported_length == 0) {
		verdict_print(verdict, stream);
	}
	ops_warn(x->session, verdict);
	for (size_t i = 0; i < WARNINGS; i++)
		warning_print(&verdict->warnings[i], options_colours(options, fileno(stream)), stream);
	if (options->json && !json_write(verdict, options->json))
		return EXITS_SOFTWARE;
	return exit_status(x);
}

static int check_with(struct session *session, const struct launch *launch, const struct options *options,
		      const struct processors *processors, struct verdict *verdict)
{
	struct exploration x;
	explore_init(&x, options, session, options->jobs ? options->jobs : processors->count, verdict);
	record_strategy(options, verdict->strategy);
	describe_conditions(options, verdict);
	if (explore_preflight(&x) || !x.fatal)
		explore_search(&x, launch, processors);
	int status;
	progress_clear(&x.progress);
	if (x.fatal) {
		say("%s: %s", launch->path, x.why);
		status = x.fatal == STATUS_UNSUPPORTED ? EXITS_UNAVAILABLE : EXITS_SOFTWARE;
	} else {
		status = conclude(&x, launch);
	}
	explore_release(&x);
	return status;
}

int check_command(const struct options *options)
{
	struct launch launch;
	struct session session;
	struct verdict verdict;
	struct processors processors;
	char why[256];
	tracer_catch_interrupts();
	int refused = ops_open(options, EXITS_USAGE);
	if (refused)
		return refused;
	processors_look(&processors);
	enum status status = launch_from_options(&launch, options, true, why);
	if (status) {
		say("%s", why);
		return EXITS_UNAVAILABLE;
	}
	status = session_open(&session, &launch, options, true, why);
	if (status) {
		say("%s", why);
		launch_release(&launch);
		return say_exit(status);
	}
	verdict_init(&verdict);
	int exits = check_with(&session, &launch, options, &processors, &verdict);
	verdict_release(&verdict);
	session_close(&session);
	launch_release(&launch);
	return exits;
}
