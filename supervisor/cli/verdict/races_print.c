/* Races in words. */
#include "supervisor/cli/verdict/races.h"

#include <fmc/supervisor/report.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *does(const struct race_side *side)
{
	return side->frees ? "gives back" : side->write ? "writes" : "reads";
}

static void put_side(const struct race_side *side, FILE *stream)
{
	fprintf(stream, "T%" PRIu32 " %s at %s", side->thread + 1, does(side), side->place);
	if (side->function)
		fprintf(stream, " in %s", side->function);
}

char *race_text(const struct race *race)
{
	char *text = NULL;
	size_t size;
	FILE *stream = open_memstream(&text, &size);
	if (!stream)
		return NULL;
	fprintf(stream, "%s: ", race->variable);
	put_side(&race->sides[0], stream);
	fputs(", ", stream);
	put_side(&race->sides[1], stream);
	if (fclose(stream) == 0)
		return text;
	free(text);
	return NULL;
}

static void put_transition(const struct finding *finding, size_t i, FILE *stream)
{
	const struct transition *t = &finding->trace.at[i];
	char *name = report_object(finding, op_class((enum op_kind)t->op.kind), t->op.object);
	const struct transition_place *place = i < finding->places_length ? &finding->places[i] : NULL;
	fprintf(stream, "T%" PRIu32 " %s %s", t->thread + 1,
		t->op.kind == OP_MEMORY_READ ? "reads" : "writes", name ? name : "it");
	if (t->result_valid)
		fprintf(stream, " = %" PRId64, t->result);
	if (place && place->file)
		fprintf(stream, " at %s:%d", place->file, place->line);
	free(name);
}

void race_story_print(const struct reported *reported, const struct race_story *story, FILE *stream)
{
	fputs(story->proven ? "The race that makes the difference: " : "The last race on the way: ", stream);
	put_transition(&reported->finding, story->first, stream);
	fprintf(stream, " (transition %zu) before ", story->first + 1);
	put_transition(story->elsewhere ? story->elsewhere : &reported->finding, story->second, stream);
	if (!story->elsewhere)
		fprintf(stream, " (transition %zu)", story->second + 1);
	fputs(story->proven ? ".\nThe nearest execution that ends well has them the other way round.\n"
			    : ".\n",
	      stream);
}

static const char *outcome(enum race_verdict verdict)
{
	switch (verdict) {
	case RACE_HARMFUL:
		return "A failure above needs one order of them.";
	case RACE_BENIGN:
		return "All executions were run, with threads switched there: both orders end well.";
	case RACE_UNEXPLORED:
		break;
	}
	return "Not all of what follows from either order was run.";
}

static void print_block(const struct allocation *block, const struct report_options *how, FILE *stream)
{
	struct thread_report report = block->report;
	if (block->early)
		fputs("It is in a block that was allocated before the second thread began.\n", stream);
	if (!report.frames_length)
		return;
	if (asprintf(&report.state, "allocated %" PRIu64 " bytes there", block->size) < 0)
		report.state = NULL;
	report_thread(NULL, block->thread, &report, how, stream);
	free(report.state);
}

static void print(const struct race *race, const struct options *options, FILE *stream)
{
	const struct report_options how = {.colours = options_colours(options, fileno(stream))};
	char *text = race_text(race);
	fprintf(stream, "%s on %s, and nothing orders these.\n",
		options->races == RACES_REPORT ? "Race" : "Warning: race", text ? text : race->variable);
	for (int i = 0; i < 2; i++) {
		const struct race_side *side = &race->sides[i];
		struct thread_report report = side->report;
		if (asprintf(&report.state, "%s %s", does(side), race->variable) < 0)
			report.state = NULL;
		if (report.frames_length)
			report_thread(NULL, side->thread, &report, &how, stream);
		free(report.state);
	}
	print_block(&race->block, &how, stream);
	fprintf(stream, "%s\n", outcome(race->verdict));
	free(text);
}

/* Of the same variable, for the same reason: how many from i on; 0: an earlier one stands for this. */
static size_t count_alike(const struct race_list *list, size_t i)
{
	const struct race *race = &list->at[i];
	size_t n = 0;
	for (size_t k = 0; k < list->length; k++) {
		const struct race *other = &list->at[k];
		if (other->suppressed || other->doubt != race->doubt ||
		    strcmp(other->variable, race->variable) != 0)
			continue;
		if (k < i)
			return 0;
		n++;
	}
	return n;
}

static void print_unsure(const struct race_list *list, FILE *stream)
{
	for (size_t i = 0; i < list->length; i++) {
		const struct race *race = &list->at[i];
		const size_t alike =
		    race->doubt != DOUBT_NONE && !race->suppressed ? count_alike(list, i) : 0;
		char *text = alike ? race_text(race) : NULL;
		if (text && alike > 1)
			fprintf(stream, "Not told as races: %s and %zu more pair%s of places: %s.\n", text,
				alike - 1, alike == 2 ? "" : "s", race_doubt_text(race->doubt));
		else if (text)
			fprintf(stream, "Not told as a race: %s: %s.\n", text, race_doubt_text(race->doubt));
		free(text);
	}
}

void race_list_print(const struct race_list *list, const struct options *options, FILE *stream)
{
	size_t suppressed = 0;
	if (options->races == RACES_IGNORE)
		return;
	for (size_t i = 0; i < list->length; i++) {
		suppressed += list->at[i].suppressed;
		if (race_is_told(&list->at[i], options->races))
			print(&list->at[i], options, stream);
	}
	if (suppressed)
		fprintf(stream, "%zu race%s suppressed (--suppressions).\n", suppressed,
			suppressed == 1 ? " is" : "s are");
	if (options->races != RACES_REPORT)
		return;
	print_unsure(list, stream);
	if (list->unseen)
		fprintf(stream, "Races may have gone unseen: %s.\n", list->unseen);
}
