/* Outcomes for people and for programs. */
#include "supervisor/cli/output/json_parts.h"
#include "supervisor/cli/verdict/outcomes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Columns of an output where it doesn't go to a terminal, and the fewest on one. */
#define WIDE   120
#define NARROW 20

static const char *schedule_text(const struct outcome_met *met)
{
	return met->schedule ? met->schedule : "-";
}

/* Widths of the columns before the last one. */
struct widths {
	int number, count, end, schedule;
};

static int wider(int width, size_t length)
{
	return (int)length > width ? (int)length : width;
}

static struct widths measure(const struct outcome_list *list)
{
	struct widths w = {.number = 1, .count = 10, .end = 3, .schedule = 8};
	char text[ENDING_END];
	for (size_t i = 0; i < list->length; i++) {
		const struct outcome_met *met = &list->at[i];
		ending_end(met->end, met->end_value, text);
		w.end = wider(w.end, strlen(text));
		w.schedule = wider(w.schedule, strlen(schedule_text(met)));
	}
	w.number = snprintf(NULL, 0, "%zu", list->length);
	return w;
}

static void print_row(const struct outcome_list *list, size_t i, const struct widths *w, unsigned columns,
		      FILE *stream)
{
	const struct outcome_met *met = &list->at[i];
	char end[ENDING_END];
	const int used = w->number + w->count + w->end + w->schedule + 12;
	const size_t left = !columns			   ? WIDE
			    : (int)columns > used + NARROW ? columns - (unsigned)used
							   : NARROW;
	char *output = ending_quote(&met->ending, left);
	ending_end(met->end, met->end_value, end);
	fprintf(stream, "%*zu  %*" PRIu64 "  %-*s  %-*s  %s\n", w->number, i + 1, w->count, met->count,
		w->end, end, w->schedule, schedule_text(met), output ? output : "?");
	free(output);
}

static void print_missing(const struct outcome_list *list, FILE *stream)
{
	const struct outcome_met *first = NULL;
	size_t missing = 0;
	for (size_t i = 0; i < list->length; i++) {
		missing += list->at[i].why != NULL;
		if (list->at[i].why && !first)
			first = &list->at[i];
	}
	if (first)
		fprintf(stream, "%zu without a schedule: %s.\n", missing, first->why);
	if (list->beyond)
		fprintf(stream, "%" PRIu64 " executions had yet other outcomes, which aren't listed.\n",
			list->beyond);
}

static void print_side(const struct outcome_side *side, FILE *stream)
{
	fprintf(stream, "%s %s", side->label, op_name(side->kind));
	if (side->object)
		fprintf(stream, " %s", side->object);
	if (side->place)
		fprintf(stream, " at %s", side->place);
}

static void print_which(const struct outcome_list *list, uint64_t digest, FILE *stream)
{
	const size_t i = outcomes_find(list, digest);
	char *output = i < list->length && !list->listed ? ending_quote(&list->at[i].ending, NARROW) : NULL;
	if (i == list->length)
		fputs("another outcome", stream);
	else if (output)
		fputs(output, stream);
	else
		fprintf(stream, "outcome %zu", i + 1);
	free(output);
}

void outcome_race_print(const struct outcome_list *list, FILE *stream)
{
	const struct outcome_race *race = &list->race;
	if (!race->known)
		return;
	fprintf(stream, "Two %s part at transition %zu: ", list->listed ? "of them" : "outcomes",
		race->transition + 1);
	for (int i = 0; i < 2; i++) {
		fputs(i == 0 ? "" : ", ", stream);
		print_side(&race->sides[i], stream);
		fputs(i == 0 ? " leads to " : " to ", stream);
		print_which(list, race->digests[i], stream);
	}
	fputs(".\n", stream);
	if (race->meets != SIZE_MAX)
		fprintf(stream,
			"After transition %zu each thread has made the same progress in both (%s), and the "
			"states "
			"differ: a race.\n",
			race->meets + 1, race->progress);
}

void outcomes_print(const struct outcome_list *list, unsigned columns, FILE *stream)
{
	if (list->length == 0)
		return;
	const struct widths w = measure(list);
	if (list->length == 1 && !list->beyond)
		fprintf(stream, "All executions had the same outcome:\n");
	else
		fprintf(stream, "%zu%s different outcomes:\n", list->length, list->beyond ? " and more" : "");
	fprintf(stream, "%*s  %*s  %-*s  %-*s  %s\n", w.number, "", w.count, "executions", w.end, "end",
		w.schedule, "schedule", "output");
	for (size_t i = 0; i < list->length; i++)
		print_row(list, i, &w, columns, stream);
	print_missing(list, stream);
}

json_t *outcomes_json(const struct outcome_list *list)
{
	json_t *array = json_array();
	for (size_t i = 0; list && i < list->length; i++) {
		const struct outcome_met *met = &list->at[i];
		char end[ENDING_END];
		ending_end(met->end, met->end_value, end);
		json_array_append_new(
		    array,
		    json_pack("{s:s, s:o, s:o, s:b, s:I, s:I, s:o}", "end", end, "exit_status",
			      met->end == END_EXIT ? json_integer(met->end_value) : json_null(), "output",
			      met->ending.matched ? json_text(met->ending.text) : json_null(), "cut",
			      (int)met->ending.cut, "count", (json_int_t)met->count, "execution",
			      (json_int_t)met->execution, "schedule", json_text(met->schedule)));
	}
	return array;
}

static json_t *side_json(const struct outcome_side *side)
{
	return json_pack("{s:o, s:s, s:o, s:o}", "thread", json_text(side->label), "operation",
			 op_name(side->kind), "object", json_text(side->object), "place",
			 json_text(side->place));
}

static json_t *place_json(const struct outcome_list *list, uint64_t digest)
{
	const size_t i = outcomes_find(list, digest);
	return i < list->length ? json_integer((json_int_t)i + 1) : json_null();
}

json_t *outcome_race_json(const struct outcome_list *list)
{
	if (!list || !list->race.known)
		return json_null();
	const struct outcome_race *race = &list->race;
	return json_pack("{s:I, s:[o, o], s:[o, o], s:o}", "transition", (json_int_t)race->transition + 1,
			 "operations", side_json(&race->sides[0]), side_json(&race->sides[1]), "outcomes",
			 place_json(list, race->digests[0]), place_json(list, race->digests[1]),
			 "meets_after",
			 race->meets == SIZE_MAX ? json_null() : json_integer((json_int_t)race->meets + 1));
}
