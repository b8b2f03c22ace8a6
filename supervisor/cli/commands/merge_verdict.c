/* One verdict of all shards. */
#include "supervisor/cli/check/conclude.h"
#include "supervisor/cli/commands/merge.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/json_parts.h"
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/verdict/share.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Digits of one class in JSON. */
#define DIGITS 32

struct total {
	const struct piece *pieces;
	size_t length;
	json_int_t executions, transitions,
	    again; /* again: of the executions, those that several shards have run */
	double seconds;
	size_t classes;
	json_t *findings; /* each with the shards that have it */
	json_t *reasons;  /* why it isn't complete: lists of the reason and its shards */
	bool satisfies;
};

static json_int_t number_of(const struct piece *piece, const char *name)
{
	return json_integer_value(json_object_get(piece->json, name));
}

static const char *text_of(const json_t *json, const char *name)
{
	const char *text = json_string_value(json_object_get(json, name));
	return text ? text : "";
}

/* Why it isn't complete; `piece`: of which one that is told, NULL: of all together. */
static void add_reason(struct total *total, const char *text, const struct piece *piece)
{
	size_t i;
	json_t *known, *shards = NULL;
	json_array_foreach(total->reasons, i, known) if (strcmp(text_of(known, "reason"), text) == 0) shards =
	    json_object_get(known, "shards");
	if (!shards) {
		shards = json_array();
		json_array_append_new(total->reasons,
				      json_pack("{s:o, s:o}", "reason", json_text(text), "shards", shards));
	}
	if (piece)
		json_array_append_new(shards, json_integer(piece->index));
}

static void add_reasons(struct total *total, const struct piece *piece)
{
	size_t i;
	const json_t *reason;
	char own[SHARE_REASON];
	share_reason(piece->index - 1, piece->of, own);
	json_array_foreach(json_object_get(piece->json, "incomplete_because"), i,
			   reason) if (json_is_string(reason) && strcmp(json_string_value(reason), own) != 0)
	    add_reason(total, json_string_value(reason), piece);
}

/* The same failure by its signature; it is told as the first shard that has it tells it. */
static void add_finding(struct total *total, const struct piece *piece, const json_t *finding)
{
	size_t i;
	json_t *known, *same = NULL;
	json_array_foreach(total->findings, i,
			   known) if (strcmp(text_of(known, "signature"), text_of(finding, "signature")) == 0)
	    same = known;
	if (!same) {
		same = json_deep_copy(finding);
		json_object_set_new(same, "count", json_integer(0));
		json_object_set_new(same, "shards", json_array());
		json_array_append_new(total->findings, same);
	}
	json_object_set_new(same, "count",
			    json_integer(json_integer_value(json_object_get(same, "count")) +
					 json_integer_value(json_object_get(finding, "count"))));
	json_array_append_new(json_object_get(same, "shards"), json_integer(piece->index));
}

static int compare_classes(const void *a, const void *b)
{
	return memcmp(*(const char *const *)a, *(const char *const *)b, DIGITS);
}

static size_t count_different(const char **classes, size_t length)
{
	size_t different = 0;
	qsort(classes, length, sizeof *classes, compare_classes);
	for (size_t i = 0; i < length; i++)
		different += i == 0 || memcmp(classes[i], classes[i - 1], DIGITS) != 0;
	return different;
}

static const char *classes_of(const struct piece *piece, size_t *length)
{
	const json_t *classes = json_object_get(piece->shard, "classes");
	*length = json_string_length(classes) / DIGITS;
	return json_string_value(classes);
}

/* Which are whose; false without memory. */
static bool count_classes(struct total *total)
{
	size_t all = 0, length, at = 0;
	bool once = true;
	for (size_t i = 0; i < total->length; i++) {
		(void)classes_of(&total->pieces[i], &length);
		all += length;
		once = once && (!total->pieces[i].json ||
				json_is_true(json_object_get(total->pieces[i].shard, "classes_once")));
	}
	const char **classes = calloc(all + 1, sizeof *classes);
	if (!classes)
		return false;
	for (size_t i = 0; i < total->length; i++) {
		const char *text = classes_of(&total->pieces[i], &length);
		for (size_t k = 0; k < length; k++)
			classes[at++] = text + k * DIGITS;
	}
	total->classes = count_different(classes, all);
	total->again = once ? (json_int_t)(all - total->classes) : 0;
	free(classes);
	return true;
}

static const char *learned_by(const json_t *some, const json_t *others)
{
	size_t i, k;
	const json_t *text, *other;
	json_array_foreach(some, i, text)
	{
		bool known = false;
		json_array_foreach(others, k, other) known = known || json_equal(text, other);
		if (!known)
			return json_string_value(text);
	}
	return NULL;
}

/* Two shards must have divided the same, of the same operations. */
static void compare(struct total *total, const struct piece *one, const struct piece *other)
{
	char text[400];
	const json_t *learned = json_object_get(one->shard, "learned"),
		     *there = json_object_get(other->shard, "learned");
	const char *more = learned_by(learned, there), *less = learned_by(there, learned);
	if (more || less)
		snprintf(text, sizeof text,
			 "shard %" PRIu32
			 " has found threads to depend on each other by %.200s, and shard %" PRIu32
			 " hasn't: their parts aren't of one whole",
			 more ? one->index : other->index, more ? more : less,
			 more ? other->index : one->index);
	else if (strcmp(text_of(one->shard, "split"), text_of(other->shard, "split")) != 0)
		snprintf(text, sizeof text,
			 "shards %" PRIu32 " and %" PRIu32
			 " have seen different things in the program, and divided it in different ways",
			 one->index, other->index);
	else if (strcmp(text_of(one->shard, "under"), text_of(other->shard, "under")) != 0)
		snprintf(text, sizeof text,
			 "shards %" PRIu32 " and %" PRIu32 " hold under different conditions", one->index,
			 other->index);
	else
		return;
	add_reason(total, text, NULL);
}

static void add_piece(struct total *total, const struct piece *piece)
{
	size_t i;
	const json_t *finding;
	total->executions += number_of(piece, "executions");
	total->transitions += number_of(piece, "transitions");
	total->seconds += json_real_value(json_object_get(piece->json, "seconds"));
	total->satisfies = total->satisfies && json_is_true(json_object_get(piece->shard, "satisfies"));
	json_array_foreach(json_object_get(piece->json, "findings"), i, finding)
	    add_finding(total, piece, finding);
	add_reasons(total, piece);
	if (!json_is_true(json_object_get(piece->shard, "complete")) &&
	    json_array_size(json_object_get(piece->json, "incomplete_because")) < 2)
		add_reason(total, "a search ended early", piece);
}

/* What isn't there. */
static void add_missing(struct total *total)
{
	const uint32_t of = total->pieces[0].of;
	const struct piece *first = NULL;
	char text[320];
	for (size_t i = 0; i < total->length; i++) {
		const struct piece *piece = &total->pieces[i];
		if (!piece->json) {
			snprintf(text, sizeof text,
				 "shard %" PRIu32 " of %" PRIu32
				 " isn't over: fmc check --resume %.200s goes on with it",
				 piece->index, of, piece->path);
			add_reason(total, text, NULL);
		} else if (!first) {
			first = piece;
		} else {
			compare(total, first, piece);
		}
	}
	for (uint32_t index = 1; index <= of && total->length < of; index++) {
		size_t i = 0;
		while (i < total->length && total->pieces[i].index != index)
			i++;
		if (i < total->length)
			continue;
		snprintf(text, sizeof text, "%zu of %" PRIu32 " shards %s missing: shard %" PRIu32 "%s",
			 of - total->length, of, of - total->length == 1 ? "is" : "are", index,
			 of - total->length == 1 ? "" : " and others");
		add_reason(total, text, NULL);
		return;
	}
}

static void print_shards(const json_t *shards, FILE *stream)
{
	size_t i;
	const json_t *shard;
	fprintf(stream, "shard%s ", plural(json_array_size(shards)));
	json_array_foreach(shards, i, shard)
	    fprintf(stream, "%s%" JSON_INTEGER_FORMAT, i ? ", " : "", json_integer_value(shard));
}

static void print_finding(const json_t *finding, FILE *stream)
{
	json_int_t count = json_integer_value(json_object_get(finding, "count"));
	fprintf(stream, "%s\n    ", text_of(finding, "message"));
	if (json_is_string(json_object_get(finding, "schedule")))
		fprintf(stream, "fmc replay %s\n    ", text_of(finding, "schedule"));
	fprintf(stream, "%" JSON_INTEGER_FORMAT " execution%s of ", count, plural((uint64_t)count));
	print_shards(json_object_get(finding, "shards"), stream);
	fprintf(stream, "\n");
}

static void print_reason(const json_t *reason, FILE *stream)
{
	const json_t *shards = json_object_get(reason, "shards");
	fprintf(stream, "  - %s", text_of(reason, "reason"));
	if (json_array_size(shards) > 0) {
		fprintf(stream, " (");
		print_shards(shards, stream);
		fprintf(stream, ")");
	}
	fprintf(stream, "\n");
}

/* Of the verdicts the first that says least, since its memory wasn't all watched, if there is such; NULL: there is none at all. */
static const json_t *least_verdict(const struct total *total)
{
	const json_t *least = NULL;
	for (size_t i = 0; i < total->length; i++) {
		const json_t *json = total->pieces[i].json;
		if (json && (!least || (json_is_true(json_object_get(least, "watched")) &&
					!json_is_true(json_object_get(json, "watched")))))
			least = json;
	}
	return least;
}

static void print(const struct total *total, FILE *stream)
{
	size_t i, failures = json_array_size(total->findings);
	const json_t *part;
	const bool complete = json_array_size(total->reasons) == 0;
	json_array_foreach(total->findings, i, part) print_finding(part, stream);
	if (failures)
		fprintf(stream, "%zu failure%s", failures, plural(failures));
	else
		fprintf(stream, "No failure found");
	fprintf(stream, " in %" JSON_INTEGER_FORMAT " executions of %zu shard%s%s",
		total->executions - total->again, total->length, plural(total->length),
		complete ? ": every schedule" : "");
	if (total->again)
		fprintf(stream, "; %" JSON_INTEGER_FORMAT " more were run by a second shard, too",
			total->again);
	fprintf(stream, ".\n");
	if (complete)
		fprintf(stream, "Complete: %s.\n", text_of(least_verdict(total), "conditions"));
	else
		fprintf(stream, "The search isn't complete:\n");
	json_array_foreach(total->reasons, i, part) print_reason(part, stream);
}

static json_t *pieces_json(const struct total *total)
{
	json_t *list = json_array();
	for (size_t i = 0; i < total->length; i++) {
		const struct piece *piece = &total->pieces[i];
		json_array_append_new(
		    list, json_pack("{s:I, s:o, s:b, s:I, s:b}", "index", (json_int_t)piece->index, "file",
				    json_text(piece->path), "over", piece->json != NULL, "executions",
				    number_of(piece, "executions"), "complete",
				    json_is_true(json_object_get(piece->shard, "complete"))));
	}
	return list;
}

static json_t *total_json(const struct total *total)
{
	const json_t *first = least_verdict(total);
	const bool complete = json_array_size(total->reasons) == 0;
	return json_pack(
	    "{s:s, s:s, s:b, s:o, s:O, s:s, s:I, s:I, s:I, s:I, s:f, s:O, s:I, s:o}", "fmc", FMC_VERSION,
	    "verdict", json_array_size(total->findings) ? "failure" : "none", "complete", (int)complete,
	    "conditions", json_text(first ? text_of(first, "conditions") : NULL), "incomplete_because",
	    total->reasons, "strategy", first ? text_of(first, "strategy") : "", "executions",
	    total->executions - total->again, "executions_again", total->again, "transitions",
	    total->transitions, "classes", (json_int_t)total->classes, "seconds", total->seconds, "findings",
	    total->findings, "of", (json_int_t)total->pieces[0].of, "shards", pieces_json(total));
}

int pieces_conclude(const struct piece *pieces, size_t length, const struct options *options)
{
	struct total total = {.pieces = pieces, .length = length, .satisfies = true};
	total.findings = json_array();
	total.reasons = json_array();
	for (size_t i = 0; i < length; i++)
		if (pieces[i].json)
			add_piece(&total, &pieces[i]);
	add_missing(&total);
	bool good = count_classes(&total);
	if (good)
		print(&total, check_stream(options));
	else
		say("%s", status_text(STATUS_NO_MEMORY));
	good = good && (!options->json || json_save(total_json(&total), options->json));
	const bool failed = json_array_size(total.findings) > 0;
	const bool satisfied = json_array_size(total.reasons) == 0 && total.satisfies;
	json_decref(total.findings);
	json_decref(total.reasons);
	if (!good)
		return EXITS_SOFTWARE;
	return failed ? EXITS_FINDING : options->require_complete && !satisfied ? EXITS_INCOMPLETE : EXITS_OK;
}
