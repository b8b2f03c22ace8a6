/* The result as SARIF 2.1.0 (OASIS): what code hosts and editors show beside the source. */
#include "supervisor/cli/output/json_parts.h"
#include "supervisor/cli/verdict/races.h"
#include "supervisor/cli/verdict/results.h"
#include "supervisor/cli/verdict/warnings.h"

#include <fmc/supervisor/report.h>

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define ROOT "%SRCROOT%" /* where the search was started: sources below are named from there */

/* A path as a URI (RFC 3986): absolute ones with their scheme. To be freed. */
static char *uri_of(const char *path)
{
	char *uri = malloc(3 * strlen(path) + 8), *at = uri;
	if (!uri)
		return NULL;
	if (*path == '/')
		at = stpcpy(at, "file://");
	for (; *path; path++)
		if (isalnum((unsigned char)*path) || strchr("/-._~+", *path))
			*at++ = *path;
		else
			at += sprintf(at, "%%%02X", (unsigned char)*path);
	*at = '\0';
	return uri;
}

static json_t *uri_json(const char *path)
{
	char *uri = uri_of(path);
	json_t *json = uri ? json_string(uri) : NULL;
	free(uri);
	return json;
}

/* What of the path follows the folder, NULL if it isn't below. */
static const char *below(const char *path, const char *folder)
{
	size_t length = folder ? strlen(folder) : 0;
	bool is = length && strncmp(path, folder, length) == 0 && path[length] == '/';
	return is ? path + length + 1 : NULL;
}

/* artifactLocation */
static json_t *artifact_json(const struct results *results, const char *path)
{
	char *whole = results_source(path);
	if (!whole)
		return json_object();
	const char *relative = *whole == '/' ? below(whole, results->launch->directory) : whole;
	json_t *json = relative ? json_pack("{s:o, s:s}", "uri", uri_json(relative), "uriBaseId", ROOT)
				: json_pack("{s:o}", "uri", uri_json(whole));
	free(whole);
	return json;
}

/* location; without a line it is all of the file. */
static json_t *location_json(const struct results *results, const char *path, int line)
{
	json_t *physical = json_pack("{s:o}", "artifactLocation", artifact_json(results, path));
	if (line > 0)
		json_object_set_new(physical, "region", json_pack("{s:i}", "startLine", line));
	return json_pack("{s:o}", "physicalLocation", physical);
}

static const char *source_of(const struct frame *frame)
{
	return frame->source ? frame->source : frame->file;
}

static json_t *frame_json(const struct results *results, const struct frame *frame, size_t thread)
{
	json_t *location =
	    source_of(frame) ? location_json(results, source_of(frame), frame->line) : json_object();
	if (frame->function)
		json_object_set_new(location, "logicalLocations",
				    json_pack("[{s:o, s:s}]", "fullyQualifiedName",
					      json_text(frame->function), "kind", "function"));
	json_t *json = json_pack("{s:o, s:I}", "location", location, "threadId", (json_int_t)thread);
	if (frame->module)
		json_object_set_new(json, "module", json_text(frame->module));
	return json;
}

/* stack: a thread, and what it does there. */
static json_t *stack_json(const struct results *results, const struct thread_report *thread, uint32_t number)
{
	json_t *frames = json_array();
	for (size_t i = 0; i < thread->frames_length; i++)
		json_array_append_new(frames, frame_json(results, &thread->frames[i], number + 1));
	char *text = NULL;
	if (asprintf(&text, "%s %s: %s", thread->label, thread->name ? thread->name : "thread",
		     thread->state ? thread->state : "") < 0)
		text = NULL;
	json_t *json = json_pack("{s:{s:o}, s:o}", "message", "text", json_text(text), "frames", frames);
	free(text);
	return json;
}

/* threadFlow: the transitions of one thread that have a line, by their numbers in the schedule. NULL: it has none. */
static json_t *flow_json(const struct results *results, const struct finding *finding, uint32_t thread)
{
	json_t *steps = json_array();
	char label[THREAD_LABEL_ROOM];
	for (size_t i = 0; i < finding->places_length; i++) {
		const struct transition_place *place = &finding->places[i];
		const struct transition *t = &finding->trace.at[i];
		const char *path = place->source ? place->source : place->file;
		if (t->thread != thread || !path)
			continue;
		json_t *location = location_json(results, path, place->line);
		json_object_set_new(location, "message",
				    json_pack("{s:s}", "text", op_name((enum op_kind)t->op.kind)));
		json_array_append_new(steps, json_pack("{s:o, s:I}", "location", location, "executionOrder",
						       (json_int_t)i + 1));
	}
	if (json_array_size(steps) > 0)
		return json_pack("{s:o, s:o}", "id", json_text(report_label(&finding->trace, thread, label)),
				 "locations", steps);
	json_decref(steps);
	return NULL;
}

/* codeFlows: the schedule. Of a very long one only its file tells. */
#define FLOW_MOST 2000

static json_t *flows_json(const struct results *results, const struct finding *finding)
{
	json_t *flows = json_array();
	for (uint32_t t = 0; t < finding->threads_length && finding->places_length <= FLOW_MOST; t++) {
		json_t *flow = flow_json(results, finding, t);
		if (flow)
			json_array_append_new(flows, flow);
	}
	return flows;
}

static json_t *finding_json(const struct results *results, const struct reported *reported)
{
	const struct finding *finding = &reported->finding;
	struct report_place place;
	bool known = report_place(finding, &place);
	const char *path = known ? (place.source ? place.source : place.file) : results->launch->path;
	json_t *stacks = json_array(), *flows = flows_json(results, finding);
	for (size_t t = 0; t < finding->threads_length; t++)
		json_array_append_new(stacks, stack_json(results, &finding->threads[t], (uint32_t)t));
	json_t *json = json_pack(
	    "{s:s, s:s, s:s, s:{s:o}, s:[o], s:o, s:{s:o}, s:{s:o, s:I, s:I, s:I}}", "ruleId",
	    finding_kind_name(finding->kind), "level", "error", "kind", "fail", "message", "text",
	    json_text(finding->message), "locations", location_json(results, path, known ? place.line : 0),
	    "stacks", stacks, "partialFingerprints", "fmcSignature/v1", json_text(finding->signature),
	    "properties", "schedule", json_text(reported->schedule), "transitions",
	    (json_int_t)finding->trace.length, "preemptions", (json_int_t)finding->trace.preemptions, "count",
	    (json_int_t)reported->count);
	if (json_array_size(flows) > 0)
		json_object_set_new(json, "codeFlows", json_pack("[{s:o}]", "threadFlows", flows));
	else
		json_decref(flows);
	if (reported->schedule)
		json_object_set_new(json, "attachments",
				    json_pack("[{s:o, s:{s:s}}]", "artifactLocation",
					      artifact_json(results, reported->schedule), "description",
					      "text", "the schedule, for fmc replay"));
	return json;
}

static json_t *warning_json(const struct results *results, const struct warning *warning,
			    enum warning_kind kind)
{
	const struct frame *at = NULL;
	json_t *stacks = json_array();
	for (size_t t = 0; t < warning->threads_length; t++) {
		const struct thread_report *thread = &warning->threads[t].report;
		json_array_append_new(stacks, stack_json(results, thread, warning->threads[t].thread));
		for (size_t i = 0; i < thread->frames_length && !at; i++)
			if (thread->frames[i].file && !thread->frames[i].library)
				at = &thread->frames[i];
	}
	return json_pack(
	    "{s:s, s:s, s:s, s:{s:o}, s:[o], s:o}", "ruleId", warning_name(kind), "level", "warning", "kind",
	    "fail", "message", "text", json_text(warning->message), "locations",
	    location_json(results, at ? source_of(at) : results->launch->path, at ? at->line : 0), "stacks",
	    stacks);
}

static json_t *race_json(const struct results *results, const struct race *race)
{
	const struct frame *at = NULL;
	json_t *stacks = json_array();
	for (int i = 0; i < 2; i++) {
		const struct thread_report *report = &race->sides[i].report;
		json_array_append_new(stacks, stack_json(results, report, race->sides[i].thread));
		for (size_t k = 0; k < report->frames_length && !at; k++)
			if (report->frames[k].file && !report->frames[k].library)
				at = &report->frames[k];
	}
	char *text = race_text(race);
	json_t *json =
	    json_pack("{s:s, s:s, s:s, s:{s:o}, s:[o], s:o, s:{s:s}}", "ruleId", "race", "level",
		      results->options->races == RACES_REPORT ? "error" : "warning", "kind", "fail",
		      "message", "text", json_text(text), "locations",
		      location_json(results, at ? source_of(at) : results->launch->path, at ? at->line : 0),
		      "stacks", stacks, "properties", "verdict", race_verdict_name(race->verdict));
	free(text);
	return json;
}

static json_t *results_json(const struct results *results)
{
	const struct verdict *verdict = results->verdict;
	json_t *list = json_array();
	for (size_t i = 0; verdict && i < verdict->reported_length; i++)
		if (verdict->reported[i].finding.kind != FINDING_NONE)
			json_array_append_new(list, finding_json(results, &verdict->reported[i]));
	for (enum warning_kind kind = 0; verdict && kind < WARNINGS; kind++)
		if (verdict->warnings[kind].message)
			json_array_append_new(list, warning_json(results, &verdict->warnings[kind], kind));
	const struct race_list *races = verdict ? verdict->races : NULL;
	for (size_t i = 0; races && i < races->length; i++)
		if (race_is_told(&races->at[i], results->options->races))
			json_array_append_new(list, race_json(results, &races->at[i]));
	return list;
}

/* What each kind of result is. */
static const char *const rules[][2] = {
    {"deadlock", "Threads are left and none can go on."},
    {"livelock", "The program goes on for ever, every thread getting its turn."},
    {"good-samaritan", "A thread goes on for ever without once yielding to the others."},
    {"crash", "A signal kills the program under some schedule."},
    {"abort", "An assertion fails, or the program aborts, under some schedule."},
    {"exit", "The program exits with an unexpected status under some schedule."},
    {"misuse", "A call of the thread library that POSIX leaves undefined."},
    {"invariant", "What is to hold of every state doesn't hold of one."},
    {"ltl", "An execution doesn't fulfil a formula."},
    {"rejected", "A client, or what looks at the program's work, says that it is wrong."},
    {"lock-order", "Two threads take locks in opposite orders."},
    {"leak", "Nobody joins or detaches a thread."},
    {"race", "Two threads access the same memory, one of them to write, and nothing orders them."},
    {"ops", "A plug-in describes functions that the program doesn't have."},
};

static json_t *tool_json(void)
{
	json_t *list = json_array();
	for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
		json_array_append_new(list, json_pack("{s:s, s:{s:s}}", "id", rules[i][0], "shortDescription",
						      "text", rules[i][1]));
	return json_pack("{s:{s:s, s:s, s:s, s:o}}", "driver", "name", "fmc", "fullName",
			 "fmc, a fair model checker for multi-threaded programs", "version", FMC_VERSION,
			 "rules", list);
}

/* What was printed of the search, in one text. */
static json_t *verdict_text(const struct verdict *verdict)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	if (!stream)
		return json_null();
	verdict_print(verdict, stream);
	json_t *json = fclose(stream) == 0 ? json_text(text) : json_null();
	free(text);
	return json;
}

static json_t *invocation_json(const struct results *results)
{
	const struct verdict *verdict = results->verdict;
	json_t *told = verdict ? verdict_text(verdict) : json_text(results->error);
	char *command = results_command(results);
	json_t *json = json_pack("{s:b, s:i, s:o, s:[{s:s, s:{s:o}}]}", "executionSuccessful",
				 verdict != NULL, "exitCode", results->exits, "commandLine",
				 json_text(command), "toolExecutionNotifications", "level",
				 verdict ? "note" : "error", "message", "text", told);
	free(command);
	return json;
}

static json_t *properties_json(const struct verdict *verdict)
{
	json_t *because = json_array();
	for (size_t i = 0; i < verdict->reasons; i++)
		json_array_append_new(because, json_text(verdict->because[i]));
	return json_pack("{s:s, s:b, s:o, s:I, s:f, s:s}", "verdict",
			 verdict_failures(verdict) || verdict->races_failed ? "failure" : "none", "complete",
			 (int)verdict->complete, "incomplete_because", because, "executions",
			 (json_int_t)verdict->executions, "seconds", verdict->seconds, "strategy",
			 verdict->strategy);
}

json_t *sarif_json(const struct results *results)
{
	json_t *run =
	    json_pack("{s:o, s:[o], s:o, s:s}", "tool", tool_json(), "invocations", invocation_json(results),
		      "results", results_json(results), "columnKind", "unicodeCodePoints");
	if (results->verdict)
		json_object_set_new(run, "properties", properties_json(results->verdict));
	if (results->launch) {
		char *folder = NULL;
		if (asprintf(&folder, "%s/", results->launch->directory) >= 0) {
			json_object_set_new(run, "originalUriBaseIds",
					    json_pack("{s:{s:o}}", ROOT, "uri", uri_json(folder)));
			free(folder);
		}
	}
	return json_pack("{s:s, s:s, s:[o]}", "$schema", "https://json.schemastore.org/sarif-2.1.0.json",
			 "version", "2.1.0", "runs", run);
}
