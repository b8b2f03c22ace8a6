/* fmc certificate: is what a complete search left behind closed? */
#include "supervisor/cli/options/commands.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/json_parts.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/session/recording.h"
#include "supervisor/cli/session/session.h"

#include <fmc/replay/certificate_file.h>
#include <fmc/supervisor/shown.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct examination {
	const struct options *options;
	struct certificate_file file;
	struct recording recording; /* what its header says, as a schedule's */
	struct certificate_report report;
	struct trace trace;
	uint64_t sampled; /* executions run again */
	double seconds;	  /* of the check */
	char why[512];	  /* what doesn't hold; empty: nothing */
	unsigned line;	  /* of the file, where that is; 0: nowhere in particular */
};

static FILE *stream_of(const struct examination *e)
{
	return e->options->json && strcmp(e->options->json, "-") == 0 ? stderr : stdout;
}

/* Text of the file's may hold anything. */
static void print_escaped(const char *prefix, const char *string, FILE *stream)
{
	fputs(prefix, stream);
	shown_print(string, strlen(string), stream);
	fputc('\n', stream);
}

static const char *describe_method(const struct certificate *tree)
{
	switch (tree->method) {
	case CERTIFICATE_REVERSAL:
		return "each race that can be reversed is reversed in another of them";
	case CERTIFICATE_EVERY:
		return tree->met_length == 0 ? "each step that is open in one of their states is taken"
					     : "each step that is open in one of their states is taken, or "
					       "the state is one from "
					       "which another goes on";
	case CERTIFICATE_CONSERVATIVE:
		return "each thread is tried within the bound in place of what it depends on, and where that "
		       "was switched to";
	default:
		return "each step that is open in one of their states and within the bound is taken, or its "
		       "state is worth no "
		       "more than another";
	}
}

static void print(const struct examination *e)
{
	const struct schedule_header *header = &e->file.schedule.header;
	const struct certificate_report *report = &e->report;
	FILE *stream = stream_of(e);
	if (*e->why)
		return;
	print_escaped("Program: ", header->program ? header->program : "not said", stream);
	for (char **shown = e->file.shown; shown && *shown; shown++)
		print_escaped("  ", *shown, stream);
	const bool reversal = e->file.tree.method == CERTIFICATE_REVERSAL;
	fprintf(stream,
		"The certificate holds: %" PRIu64 " executions, and %s (%" PRIu64 " %s, %.2f seconds).\n",
		report->executions, describe_method(&e->file.tree),
		reversal ? report->reversals : report->alternatives, reversal ? "reversals" : "steps",
		e->seconds);
	if (certificate_method_bounded(e->file.tree.method))
		fprintf(stream, "Its bound: %" PRIu32 " %s%s.\n", e->file.tree.bound,
			e->file.tree.method == CERTIFICATE_DELAYS ? "delay" : "preemption",
			plural(e->file.tree.bound));
	if (e->sampled > 0)
		fprintf(stream, "%" PRIu64 " of its executions were run again, and did the same.\n",
			e->sampled);
}

static json_t *json_list(char *const *list)
{
	json_t *array = json_array();
	for (; list && *list; list++)
		json_array_append_new(array, json_text(*list));
	return array;
}

static bool write_json(const struct examination *e, bool read)
{
	const struct certificate_file *file = &e->file;
	char digest[33];
	if (!e->options->json)
		return true;
	json_t *json = json_object();
	json_object_set_new(json, "fmc", json_string(FMC_VERSION));
	json_object_set_new(json, "certificate", json_text(e->options->file));
	json_object_set_new(json, "holds", json_boolean(!*e->why));
	json_object_set_new(json, "why", *e->why ? json_text(e->why) : json_null());
	json_object_set_new(json, "line", e->line ? json_integer(e->line) : json_null());
	if (read) {
		snprintf(digest, sizeof digest, "%016" PRIx64 "%016" PRIx64, file->digest[0],
			 file->digest[1]);
		json_object_set_new(json, "digest", json_string(digest));
		json_object_set_new(json, "program", json_text(file->schedule.header.program));
		json_object_set_new(json, "modules", json_list(file->schedule.header.modules));
		json_object_set_new(json, "strategy", json_text(file->schedule.header.strategy));
		json_object_set_new(json, "method", json_string(certificate_method_name(file->tree.method)));
		json_object_set_new(json, "bound",
				    certificate_method_bounded(file->tree.method)
					? json_integer(file->tree.bound)
					: json_null());
		json_object_set_new(json, "shown", json_list(file->shown));
		json_object_set_new(json, "conditions", json_text(file->conditions));
		json_object_set_new(json, "executions", json_integer((json_int_t)e->report.executions));
		json_object_set_new(json, "transitions", json_integer((json_int_t)e->report.transitions));
		json_object_set_new(json, "alternatives", json_integer((json_int_t)e->report.alternatives));
		json_object_set_new(json, "reversals", json_integer((json_int_t)e->report.reversals));
		json_object_set_new(json, "sampled", json_integer((json_int_t)e->sampled));
		json_object_set_new(json, "seconds", json_real(e->seconds));
	}
	return json_save(json, e->options->json);
}

/* An execution of those that came to an end of their own, drawn among those that weren't yet; UINT32_MAX: there is none. */
static uint32_t draw(const struct certificate *tree, uint32_t *left, uint32_t *length, uint64_t *dice)
{
	while (*length > 0) {
		*dice = *dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		const uint32_t i = (uint32_t)((*dice >> 33) % *length);
		const uint32_t end = left[i];
		left[i] = left[--*length];
		if (tree->ends[end].reason != END_REDUNDANT)
			return end;
	}
	return UINT32_MAX;
}

/* Run one of them again; an exit status. */
static int run_again(struct examination *e, struct session *session, uint32_t end)
{
	const struct certificate *tree = &e->file.tree;
	size_t length, at;
	struct step *steps = certificate_steps(tree, end, &length);
	const struct plan plan = {.prefix = steps,
				  .prefix_length = length,
				  .policy = {.kind = POLICY_DEFAULT,
					     .fair_k = tree->fair_k,
					     .max_depth = tree->max_depth,
					     .ordered = e->file.schedule.header.ordered,
				     .written = true,
					     .ends_count = tree->ends_count}};
	const enum status status = steps ? session_run(session, &plan, &e->trace, NULL) : STATUS_NO_MEMORY;
	free(steps);
	if (e->trace.end == END_INTERRUPTED || tracer_interrupted()) {
		say("interrupted");
		return EXITS_INTERRUPTED;
	}
	if (status && status != STATUS_DIVERGED) {
		say("%s: %s", e->options->file, status_text(status));
		return EXITS_SOFTWARE;
	}
	e->sampled++;
	if (certificate_same(tree, end, &e->trace, &at))
		return EXITS_OK;
	e->line = tree->nodes[tree->ends[end].node].line;
	if (at == SIZE_MAX)
		snprintf(e->why, sizeof e->why, "run again, this execution ends in another way: %s",
			 end_reason_name(e->trace.end));
	else
		snprintf(e->why, sizeof e->why,
			 "run again, this execution is another one from transition %zu on", at + 1);
	return EXITS_FINDING;
}

static int run_sample(struct examination *e, struct session *session)
{
	const struct certificate *tree = &e->file.tree;
	uint32_t length = tree->ends_length, *left = calloc(length, sizeof *left);
	uint64_t dice = e->options->seed;
	int exits = left ? EXITS_OK : EXITS_SOFTWARE;
	for (uint32_t i = 0; left && i < length; i++)
		left[i] = i;
	for (uint64_t i = 0; i < e->options->sample && exits == EXITS_OK; i++) {
		const uint32_t end = draw(tree, left, &length, &dice);
		if (end == UINT32_MAX)
			break;
		exits = run_again(e, session, end);
	}
	free(left);
	return exits;
}

static int sample(struct examination *e)
{
	struct session session;
	char why[256];
	const enum status status =
	    session_open(&session, &e->recording.launch, &e->recording.options, false, why);
	if (status) {
		say("%s", why);
		return say_exit(status);
	}
	const int exits = run_sample(e, &session);
	session_close(&session);
	return exits;
}

static int check(struct examination *e)
{
	const uint64_t begin = clock_now();
	const enum status status = certificate_check(&e->file.tree, false, &e->report);
	e->seconds = (double)(clock_now() - begin) / 1e9;
	if (status == STATUS_NO_MEMORY) {
		say("%s: %s", e->options->file, status_text(status));
		return EXITS_SOFTWARE;
	}
	if (!status)
		return EXITS_OK;
	e->line = e->report.line;
	snprintf(e->why, sizeof e->why, "%s", e->report.why);
	return EXITS_FINDING;
}

/* With the file read. */
static int examine(struct examination *e)
{
	const bool runs = e->options->sample > 0 || e->file.schedule.header.ops;
	int exits = runs ? recording_prepare(&e->recording) : EXITS_OK;
	if (!exits)
		exits = check(e);
	if (!exits && e->options->sample > 0)
		exits = sample(e);
	if (*e->why && e->line)
		say("%s:%u: %s", e->options->file, e->line, e->why);
	else if (*e->why)
		say("%s: %s", e->options->file, e->why);
	if (exits == EXITS_OK)
		print(e);
	if ((exits == EXITS_OK || *e->why) && !write_json(e, true))
		return EXITS_SOFTWARE;
	return exits;
}

int certificate_command(const struct options *options)
{
	struct examination e = {.options = options};
	char why[256];
	tracer_catch_interrupts();
	const enum status status = certificate_file_load(&e.file, options->file, why);
	if (status) {
		say("%s", why);
		snprintf(e.why, sizeof e.why, "%s", why);
		if (!write_json(&e, false))
			return EXITS_SOFTWARE;
		return status == STATUS_NO_MEMORY ? EXITS_SOFTWARE : EXITS_DATA;
	}
	e.recording = (struct recording){.schedule = e.file.schedule};
	e.recording.options = recorded_options(options, &e.recording.schedule);
	trace_init(&e.trace);
	const int exits = examine(&e);
	trace_release(&e.trace);
	/* The schedule is the file's. */
	schedule_init(&e.file.schedule);
	recording_release(&e.recording);
	certificate_file_release(&e.file);
	return exits;
}
