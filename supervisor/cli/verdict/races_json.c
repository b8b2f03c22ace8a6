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

json_t *race_list_json(const struct race_list *list)
{
	json_t *array = json_array();
	for (size_t i = 0; list && i < list->length; i++) {
		const struct race *race = &list->at[i];
		json_array_append_new(
		    array, json_pack("{s:o, s:s, s:o, s:b, s:[o, o]}", "variable", json_text(race->variable),
				     "verdict", race_verdict_name(race->verdict), "doubt",
				     json_text(race->unsure), "suppressed", (int)race->suppressed, "accesses",
				     side_json(&race->sides[0]), side_json(&race->sides[1])));
	}
	return array;
}
