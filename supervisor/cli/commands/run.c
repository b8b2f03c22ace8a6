/* fmc run: one execution, everything of the program passed through. */
#include "supervisor/cli/options/commands.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/session/ops.h"
#include "supervisor/cli/session/record.h"
#include "supervisor/cli/verdict/explain.h"
#include "supervisor/cli/verdict/json.h"
#include "supervisor/cli/verdict/verdict.h"
#include "supervisor/cli/verdict/warnings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct policy make_policy(const struct options *options)
{
	return (struct policy){.kind = options->seed_given ? POLICY_RANDOM : POLICY_DEFAULT,
			       .seed = options->seed,
			       .fair_k = options->search.fair_k,
			       .max_depth = options->search.max_depth,
			       .longer = options->longer,
			       .max_thread_depth = options->search.max_thread_depth,
			       .ordered = options->search.ordered || !options->timeouts_given};
}

/* The exit status, after a line on standard error where it says too little. */
static int conclude(const struct trace *trace, const struct session *session)
{
	switch (trace->end) {
	case END_EXIT:
		return trace->end_value;
	case END_SIGNAL:
		/* By the signal that ends it when its client has ended. */
		if (trace->good_end)
			return EXITS_OK;
		say("killed by signal %d, %s", trace->end_value, strsignal(trace->end_value));
		return EXITS_SIGNAL + trace->end_value;
	case END_DEADLOCK:
	case END_LIVELOCK:
	case END_NO_YIELD:
	case END_SPIN:
	case END_REJECTED:
		return EXITS_FINDING;
	case END_INTERRUPTED:
		say("%s", session->out_of_time ? "stopped: its time is used up" : "interrupted");
		return session->out_of_time ? EXITS_INCOMPLETE : EXITS_INTERRUPTED;
	case END_DEPTH:
		say("stopped after %zu transitions (--depth)", trace->length);
		return EXITS_INCOMPLETE;
	case END_THREAD_DEPTH:
	case END_REDUNDANT:
		say("stopped: every thread that could go on has used up --max-thread-depth");
		return EXITS_INCOMPLETE;
	case END_UNSUPPORTED:
	case END_STUCK:
	case END_ABSENT:
		say("%s", *trace->message ? trace->message : end_reason_name(trace->end));
		return EXITS_UNAVAILABLE;
	default:
		say("%s", *trace->message ? trace->message : end_reason_name(trace->end));
		return EXITS_SOFTWARE;
	}
}

/* A status that the program chose to exit with is its own affair here, not a failure. */
static bool failed(const struct finding *finding)
{
	return finding->kind != FINDING_NONE && finding->kind != FINDING_EXIT;
}

static bool worth_collecting(const struct trace *trace)
{
	return finding_classify(trace) != FINDING_NONE || warnings_in(trace);
}

static void record(struct reported *reported, const struct session *session, const struct launch *launch,
		   const struct options *options, const struct policy *policy)
{
	char how[64] = "run";
	if (options->seed_given)
		snprintf(how, sizeof how, "run, seed %" PRIu64, options->seed);
	if (failed(&reported->finding) || options->output)
		(void)record_schedule(&reported->finding, session, launch, options, policy, how, true,
				      &reported->schedule);
	if (failed(&reported->finding))
		explain_finding(&reported->finding, reported->schedule, false, options, stderr);
	else if (options->verbose && reported->schedule)
		say("schedule: %s", reported->schedule);
}

/* Pools of threads that nobody waits for are usual, and what the program prints is often compared. */
static void print_warnings(const struct verdict *verdict, const struct options *options)
{
	bool colours = options_colours(options, STDERR_FILENO);
	warning_print(&verdict->warnings[WARNING_LOCK_ORDER], colours, stderr);
	if (options->verbose)
		warning_print(&verdict->warnings[WARNING_LEAK], colours, stderr);
}

static int run_with(struct session *session, const struct launch *launch, const struct options *options,
		    struct verdict *verdict)
{
	const struct policy policy = make_policy(options);
	const struct plan plan = {.policy = policy};
	struct reported *reported = verdict_report(verdict);
	struct trace trace;
	if (!reported) {
		say("%s", status_text(STATUS_NO_MEMORY));
		return EXITS_SOFTWARE;
	}
	trace_init(&trace);
	uint64_t begin = clock_now();
	if (options->seconds > 0)
		session->deadline = begin + (uint64_t)(options->seconds * 1e9);
	/* Without a failure names and places are wanted for the schedule and for warnings only. */
	session->wanted = options->output ? NULL : worth_collecting;
	enum status status = session_run(session, &plan, &trace, &reported->finding);
	/* That somebody has ended the program is no failure of its own. */
	if (trace.end == END_SIGNAL && tracer_was_sent(trace.end_value))
		reported->finding.kind = FINDING_NONE;
	session_warn(session);
	snprintf(verdict->strategy, sizeof verdict->strategy, options->seed_given ? "random" : "default");
	verdict->executions = 1;
	verdict->transitions = trace.length;
	verdict->unmodelled = trace.unmodelled;
	verdict->seconds = (double)(clock_now() - begin) / 1e9;
	verdict_because(verdict, "this was a single execution");
	if (status)
		say("%s", status_text(status));
	else
		record(reported, session, launch, options, &policy);
	/* Its output has been seen: it can't be run again for its stacks. */
	warnings_tell(&reported->finding, verdict);
	print_warnings(verdict, options);
	const uint64_t passed = process_passed(session->process);
	if (options->verbose && passed)
		say("%" PRIu64 " of %zu transitions without a stop", passed, trace.length);
	const uint64_t calls = process_passed_calls(session->process);
	if (options->verbose && calls)
		say("%" PRIu64 " calls on connections without a stop", calls);
	int exits = conclude(&trace, session);
	trace_release(&trace);
	if (options->json && !json_write(verdict, options->json))
		return EXITS_SOFTWARE;
	return status ? EXITS_SOFTWARE : exits;
}

int run_command(const struct options *options)
{
	struct launch launch;
	struct session session;
	struct verdict verdict;
	char why[256];
	/* A program that doesn't read from the terminal is in a process group of its own. */
	tracer_pass_signals(options->input != NULL);
	int refused = ops_open(options, EXITS_USAGE);
	if (refused)
		return refused;
	enum status status = launch_from_options(&launch, options, false, why);
	if (status) {
		say("%s", why);
		return EXITS_UNAVAILABLE;
	}
	status = session_open(&session, &launch, options, false, why);
	if (status) {
		say("%s", why);
		launch_release(&launch);
		return say_exit(status);
	}
	verdict_init(&verdict);
	int exits = run_with(&session, &launch, options, &verdict);
	verdict_release(&verdict);
	session_close(&session);
	launch_release(&launch);
	return exits;
}
