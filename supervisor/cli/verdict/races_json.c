/* Races as JSON. */
#include "supervisor/cli/output/json_parts.h"
#include "supervisor/cli/verdict/races.h"

#include <stdlib.h>

static json_t *side_json(const struct race_side *side)
{
	return json_pack("{s:o, s:s, s:o, s:o, s:o}", "thread", json_sprintf("T%u", side->thread + 1), "does",
			 side->frees   ? "free"
			 : side->write ? "write"
				       : "read",
			 "place", json_text(side->place), "function", json_text(side->function), "stack",
			 json_stack(side->report.frames, side->report.frames_length));
}

static json_t *block_json(const struct allocation *block)
{
	if (!block->report.frames_length && !block->early)
		return json_null();
	return json_pack("{s:o, s:I, s:o}", "thread", json_sprintf("T%u", block->thread + 1), "bytes",
			 (json_int_t)block->size, /* 0: not known */ "stack",
			 json_stack(block->report.frames, block->report.frames_length));
}

/* Transitions are counted from 1. */
json_t *race_story_json(const struct race_list *list, const struct reported *reported)
{
	struct race_story story;
	if (!list || !race_story(list, reported, &story))
		return json_null();
	return json_pack("{s:I, s:o, s:b}", "first", (json_int_t)story.first + 1, "second",
			 story.elsewhere ? json_null() : json_integer((json_int_t)story.second + 1),
			 "makes_the_difference", (int)story.proven);
}

json_t *race_list_json(const struct race_list *list)
{
	json_t *array = json_array();
	for (size_t i = 0; list && i < list->length; i++) {
		const struct race *race = &list->at[i];
		json_array_append_new(
		    array, json_pack("{s:o, s:s, s:o, s:b, s:[o, o], s:o}", "variable",
				     json_text(race->variable), "verdict", race_verdict_name(race->verdict),
				     "doubt", json_text(race_doubt_text(race->doubt)), "suppressed",
				     (int)race->suppressed, "accesses", side_json(&race->sides[0]),
				     side_json(&race->sides[1]), "allocated", block_json(&race->block)));
	}
	return array;
}
