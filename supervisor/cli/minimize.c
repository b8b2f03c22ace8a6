/* fmc minimize: a schedule that fails in the same way and is easier to read. */
#include "build_id.h"
#include "commands.h"
#include "exits.h"
#include "explain.h"
#include "json.h"
#include "ops.h"
#include "record.h"
#include "recorded.h"
#include "say.h"
#include "simplify.h"

#include <stdlib.h>
#include <string.h>

/* Where the schedule goes and what is written of it. */
struct minimization {
	struct options options;
	struct schedule schedule;
	struct launch launch;
	struct session session;
	struct verdict verdict;
	char *output;
	bool given_ops; /* the plug-in isn't the schedule's own word */
	char why[512];
};

/* Play the schedule as it is: the failure to be minimised. Returns an exit status. */
static int reproduce(struct minimization *m, struct reported *reported)
{
	struct trace trace;
	size_t diverged_at;
	trace_init(&trace);
	enum status status =
	    session_play(&m->session, &m->schedule, false, &trace, &reported->finding, &diverged_at, m->why);
	process_find_places(m->session.process, false);
	reported->policy = (struct policy){.kind = POLICY_DEFAULT,
					   .fair_k = m->schedule.header.fair_k,
					   .max_depth = m->schedule.header.max_depth};
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
	say("%s: %s", m->options.file, *m->why ? m->why : status_text(status));
	return status == STATUS_DIVERGED ? EXITS_FINDING : say_exit(status);
}

/* The minimised schedule, in a file of its own unless one was named. */
static int write_and_print(struct minimization *m, struct reported *reported)
{
	bool json_out = m->options.json && strcmp(m->options.json, "-") == 0;
	FILE *stream = json_out ? stderr : stdout;
	const char *found = m->schedule.header.strategy;
	char how[400];
	snprintf(how, sizeof how, "%.300s, minimized", found ? found : "unknown");
	enum status status = record_schedule(&reported->finding, &m->session, &m->launch, &m->options,
					     &reported->policy, how, m->output == NULL, &reported->schedule);
	explain_finding(&reported->finding, reported->schedule, true, &m->options, stream);
	simplified_print(reported, &m->options, stream);
	if (m->options.json && !json_write(&m->verdict, m->options.json))
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
	uint64_t begin = session_clock();
	int exits = reproduce(m, reported);
	if (exits != EXITS_OK)
		return exits;
	const struct simplify_budget budget = {
	    .seconds = m->options.seconds, .executions = m->options.executions, .seed = m->options.seed};
	simplify(&m->session, reported, &budget);
	if (tracer_interrupted()) {
		say("interrupted");
		return EXITS_INTERRUPTED;
	}
	if (!reported->simplified || !reported->simplified->replaced) {
		say("%s: it doesn't fail in the same way each time", m->options.file);
		return EXITS_FINDING;
	}
	snprintf(m->verdict.strategy, sizeof m->verdict.strategy, "minimize");
	m->verdict.executions += reported->simplified->result.executions;
	m->verdict.seconds = (double)(session_clock() - begin) / 1e9;
	verdict_because(&m->verdict, "only one failure was looked at");
	return write_and_print(m, reported);
}

static int start(struct minimization *m)
{
	enum status status = launch_from_schedule(&m->launch, &m->schedule.header, m->options.input, m->why);
	if (status) {
		say("%s: %s", m->options.file, m->why);
		return say_exit(status);
	}
	int exits;
	if (!build_id_check(&m->schedule.header, !m->given_ops, m->why)) {
		say("%s: %s", m->options.file, m->why);
		exits = EXITS_DATA;
	} else if ((exits = ops_open(&m->options, m->given_ops ? EXITS_USAGE : EXITS_DATA))) {
		; /* has been said */
	} else if ((status = session_open(&m->session, &m->launch, &m->options, true, m->why))) {
		say("%s", m->why);
		exits = say_exit(status);
	} else {
		exits = work(m);
		session_close(&m->session);
	}
	launch_release(&m->launch);
	return exits;
}

/* NAME.sched -> NAME.min.sched, numbered if it is there. */
static char *default_output(const char *file)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	size_t length = strlen(name);
	char *output;
	if (length > 6 && strcmp(name + length - 6, ".sched") == 0)
		length -= 6;
	return asprintf(&output, "%.*s.min.sched", (int)length, name) < 0 ? NULL : output;
}

int minimize_command(const struct options *options)
{
	struct minimization m = {.options = *options, .given_ops = options->ops};
	tracer_catch_interrupts();
	enum status status = schedule_load(&m.schedule, options->file, m.why);
	if (status) {
		say("%s", m.why);
		return status == STATUS_NO_MEMORY ? EXITS_SOFTWARE : EXITS_DATA;
	}
	int exits = EXITS_DATA;
	m.options = recorded_options(options, &m.schedule);
	if (!options->output)
		m.options.output = m.output = default_output(options->file);
	verdict_init(&m.verdict);
	if (m.schedule.verdict == FINDING_NONE)
		say("%s: it records no failure, so there is nothing to minimise", options->file);
	else
		exits = start(&m);
	verdict_release(&m.verdict);
	schedule_release(&m.schedule);
	free(m.output);
	return exits;
}
