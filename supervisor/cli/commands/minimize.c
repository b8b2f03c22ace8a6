/* fmc minimize: a schedule that fails in the same way and is easier to read. */
#include "supervisor/cli/options/commands.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/session/past.h"
#include "supervisor/cli/session/record.h"
#include "supervisor/cli/session/recording.h"
#include "supervisor/cli/verdict/explain.h"
#include "supervisor/cli/verdict/json.h"
#include "supervisor/cli/verdict/simplify.h"

#include <stdlib.h>
#include <string.h>

/* Where the schedule goes and what is written of it. */
struct minimization {
	struct recording recording;
	struct session session;
	struct verdict verdict;
	char *output;
	char why[512];
};

/* Play the schedule as it is: the failure to be minimised. Returns an exit status. */
static int reproduce(struct minimization *m, struct reported *reported)
{
	struct trace trace;
	size_t diverged_at;
	trace_init(&trace);
	enum status status = session_play(&m->session, &m->recording.schedule, false, &trace,
					  &reported->finding, &diverged_at, m->why);
	process_find_places(m->session.process, false);
	reported->policy = (struct policy){.kind = POLICY_DEFAULT,
					   .fair_k = m->recording.schedule.header.fair_k,
					   .max_depth = m->recording.schedule.header.max_depth,
					   .ordered = m->recording.schedule.header.ordered};
	m->verdict.executions = 1;
	m->verdict.transitions = trace.length;
	trace_release(&trace);
	if (status == STATUS_OK && m->session.collected)
		status = m->session.collected;
	if (status == STATUS_OK)
		return EXITS_OK;
	if (status == STATUS_INTERRUPTED) {
		say("interrupted");
		return EXITS_INTERRUPTED;
	}
	say("%s: %s", m->recording.options.file, *m->why ? m->why : status_text(status));
	return status == STATUS_DIVERGED ? EXITS_FINDING : say_exit(status);
}

/* The minimised schedule, in a file of its own unless one was named. */
static int write_and_print(struct minimization *m, struct reported *reported)
{
	bool json_out = m->recording.options.json && strcmp(m->recording.options.json, "-") == 0;
	FILE *stream = json_out ? stderr : stdout;
	const char *found = m->recording.schedule.header.strategy;
	char how[400];
	snprintf(how, sizeof how, "%.300s, minimized", found ? found : "unknown");
	enum status status =
	    record_schedule(&reported->finding, &m->session, &m->recording.launch, &m->recording.options,
			    &reported->policy, how, m->output == NULL, &reported->schedule);
	explain_finding(&reported->finding, reported->schedule, true, &m->recording.options, stream);
	simplified_print(reported, &m->recording.options, stream);
	if (m->recording.options.json && !json_write(&m->verdict, m->recording.options.json))
		return EXITS_SOFTWARE;
	return status ? EXITS_SOFTWARE : EXITS_OK;
}

static int work(struct minimization *m)
{
	struct reported *reported = verdict_report(&m->verdict);
	if (!reported) {
		say("%s", status_text(STATUS_NO_MEMORY));
		return EXITS_SOFTWARE;
	}
	uint64_t begin = clock_now();
	int exits = reproduce(m, reported);
	if (exits != EXITS_OK)
		return exits;
	if (reported->finding.trace.length == 0) {
		say("%s: it fails before the first transition, so there is nothing to minimise",
		    m->recording.options.file);
		return EXITS_DATA;
	}
	const struct simplify_budget budget = {.seconds = m->recording.options.seconds,
					       .executions = m->recording.options.executions,
					       .seed = m->recording.options.seed,
					       .depth = m->recording.options.shortest,
					       .sees_memory = m->recording.options.atomics};
	simplify(&m->session, reported, &budget);
	if (tracer_interrupted()) {
		say("interrupted");
		return EXITS_INTERRUPTED;
	}
	if (!reported->simplified || !reported->simplified->replaced) {
		say("%s: %s", m->recording.options.file,
		    past_differs(&m->session, &reported->finding.knowledge)
			? "executions beside it show more operations than it has: find it once more, by fmc "
			  "check --all"
			: "it doesn't fail in the same way each time");
		return EXITS_FINDING;
	}
	snprintf(m->verdict.strategy, sizeof m->verdict.strategy, "minimize");
	m->verdict.executions += reported->simplified->result.executions;
	m->verdict.seconds = (double)(clock_now() - begin) / 1e9;
	verdict_because(&m->verdict, "only one failure was looked at");
	return write_and_print(m, reported);
}

static int start(struct minimization *m)
{
	int exits = recording_prepare(&m->recording);
	if (exits)
		return exits;
	enum status status =
	    session_open(&m->session, &m->recording.launch, &m->recording.options, true, m->why);
	if (status) {
		say("%s", m->why);
		return say_exit(status);
	}
	exits = work(m);
	session_close(&m->session);
	return exits;
}

int minimize_command(const struct options *options)
{
	struct minimization m = {0};
	tracer_catch_interrupts();
	int exits = recording_load(&m.recording, options);
	if (exits)
		return exits;
	/* A file of its own unless one was named, numbered if it is there. */
	if (!options->output)
		m.recording.options.output = m.output = recording_beside(options->file, ".min.sched");
	verdict_init(&m.verdict);
	if (m.recording.schedule.verdict == FINDING_NONE) {
		say("%s: it records no failure, so there is nothing to minimise", options->file);
		exits = EXITS_DATA;
	} else {
		exits = start(&m);
	}
	verdict_release(&m.verdict);
	recording_release(&m.recording);
	free(m.output);
	return exits;
}
