/* fmc replay: play a schedule, check it, report. */
#include "supervisor/cli/options/commands.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/session/own_network.h"
#include "supervisor/cli/session/recording.h"
#include "supervisor/cli/session/session.h"
#include "supervisor/cli/verdict/explain.h"
#include "supervisor/cli/verdict/json.h"
#include "supervisor/cli/verdict/verdict.h"

#include <fmc/replay/player.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* One replay: what is played, and what came. */
struct replay {
	const struct options *options;
	struct recording recording;
	struct session session;
	struct trace trace;
	struct verdict verdict;
	size_t diverged_at;
	uint32_t rounds; /* of its loop, after that */
	char why[512];
};

static void print_end(const struct replay *r, FILE *stream)
{
	const struct finding *finding = &r->verdict.reported[0].finding;
	fprintf(stream, "Replayed %zu transitions: %s as recorded.\n", r->trace.length,
		finding->kind == FINDING_NONE ? end_reason_name(r->trace.end)
					      : finding_kind_name(finding->kind));
	if (r->rounds)
		fprintf(stream,
			"Went round transitions %zu to %zu %" PRIu32
			" more time%s: each time all memory, registers and objects were as before.\n",
			r->trace.loop_start + 1, r->trace.length, r->rounds, r->rounds == 1 ? "" : "s");
	if (finding->kind == FINDING_NONE)
		return;
	fputc('\n', stream);
	explain_finding(finding, NULL, false, r->options, stream);
}

/* Again and again, when it has been played once. */
static enum status go_round(struct replay *r)
{
	if (!end_reason_loops(r->trace.end)) {
		say("%s: it doesn't go on for ever: there is no loop to go round", r->options->file);
		return STATUS_OK;
	}
	return player_go_round(r->session.execution, &r->recording.schedule, &r->trace, r->options->rounds,
			       &r->rounds, r->why);
}

/* What came of it: print, write, return the exit status. */
static int conclude(struct replay *r, enum status status)
{
	bool json_out = r->options->json && strcmp(r->options->json, "-") == 0;
	int exits = EXITS_OK;
	if (status == STATUS_OK) {
		if (r->diverged_at != SIZE_MAX)
			say("%s: %s; followed as far as it fits", r->options->file, r->why);
		print_end(r, json_out ? stderr : stdout);
	} else if (status == STATUS_DIVERGED) {
		say("%s: %s", r->options->file, r->why);
		exits = EXITS_FINDING;
	} else if (status == STATUS_INTERRUPTED) {
		say("%s", r->session.out_of_time ? "stopped: its time is used up" : "interrupted");
		exits = r->session.out_of_time ? EXITS_INCOMPLETE : EXITS_INTERRUPTED;
	} else {
		say("%s", *r->why ? r->why : status_text(status));
		exits = status == STATUS_UNSUPPORTED ? EXITS_UNAVAILABLE : EXITS_SOFTWARE;
	}
	if (r->options->json && !json_write(&r->verdict, r->options->json))
		return EXITS_SOFTWARE;
	return exits;
}

/* Has it come to the output and the end that the schedule has? */
static bool same_outcome(struct replay *r)
{
	const char *recorded = r->recording.schedule.header.outcome;
	if (!recorded || !r->trace.outcome || strtoull(recorded, NULL, 16) == r->trace.outcome)
		return true;
	char *now = ending_quote(&r->session.ending, 60);
	snprintf(r->why, sizeof r->why, "the output isn't what was recorded: it is %s",
		 now ? now : "another one");
	free(now);
	return false;
}

static int play(struct replay *r)
{
	struct verdict *verdict = &r->verdict;
	uint64_t begin = clock_now();
	struct reported *reported = verdict_report(verdict);
	if (!reported)
		return conclude(r, STATUS_NO_MEMORY);
	if (r->options->seconds > 0)
		r->session.deadline = begin + (uint64_t)(r->options->seconds * 1e9);
	enum status status = session_play(&r->session, &r->recording.schedule, r->options->loose, &r->trace,
					  &reported->finding, &r->diverged_at, r->why);
	if (status == STATUS_OK)
		status = r->session.collected;
	if (status == STATUS_OK && !same_outcome(r))
		status = STATUS_DIVERGED;
	if (status == STATUS_OK && r->options->rounds)
		status = go_round(r);
	snprintf(verdict->strategy, sizeof verdict->strategy, "replay");
	reported->schedule = strdup(r->options->file);
	verdict->executions = 1;
	verdict->transitions = r->trace.length;
	verdict->unmodelled = r->trace.unmodelled;
	verdict->seconds = (double)(clock_now() - begin) / 1e9;
	verdict_because(verdict, "this was a single execution");
	return conclude(r, status);
}

static int start(struct replay *r)
{
	int exits = recording_prepare(&r->recording);
	if (exits)
		return exits;
	enum status status =
	    session_open(&r->session, &r->recording.launch, &r->recording.options, true, r->why);
	if (status) {
		say("%s", r->why);
		return say_exit(status);
	}
	exits = play(r);
	session_close(&r->session);
	return exits;
}

int replay_command(const struct options *options)
{
	struct replay r = {.options = options, .diverged_at = SIZE_MAX};
	tracer_catch_interrupts();
	if (!own_network_enter(options))
		return EXITS_UNAVAILABLE;
	int exits = recording_load(&r.recording, options);
	if (exits)
		return exits;
	trace_init(&r.trace);
	verdict_init(&r.verdict);
	exits = start(&r);
	verdict_release(&r.verdict);
	trace_release(&r.trace);
	recording_release(&r.recording);
	return exits;
}
