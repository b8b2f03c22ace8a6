/* Which outcomes a program has. */
#include "supervisor/cli/verdict/outcomes.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

static void release_side(struct outcome_side *side)
{
	free(side->object);
	free(side->place);
}

void outcomes_release(struct outcome_list *list)
{
	for (size_t i = 0; i < list->length; i++) {
		ending_release(&list->at[i].ending);
		free(list->at[i].schedule);
	}
	free(list->at);
	release_side(&list->race.sides[0]);
	release_side(&list->race.sides[1]);
	free(list->race.progress);
	*list = (struct outcome_list){0};
}

size_t outcomes_find(const struct outcome_list *list, uint64_t digest)
{
	size_t i = 0;
	while (i < list->length && list->at[i].ending.digest != digest)
		i++;
	return i;
}

static bool copy_ending(struct ending *to, const struct ending *from)
{
	*to = *from;
	to->text = malloc(from->length + 1);
	if (to->text)
		memcpy(to->text, from->text, from->length + 1);
	return to->text != NULL;
}

static bool add(struct outcome_list *list, const struct trace *trace, const struct ending *ending,
		uint64_t execution)
{
	struct outcome_met met = {
	    .end = trace->end, .end_value = trace->end_value, .execution = execution, .count = 1};
	if (list->length == OUTCOMES_MOST || !ARRAY_ONE_MORE(list->at, list->length) ||
	    !copy_ending(&met.ending, ending))
		return false;
	list->at[list->length++] = met;
	return true;
}

size_t outcomes_meet(struct outcome_list *list, const struct trace *trace, const struct ending *ending,
		     uint64_t execution, bool *fresh)
{
	const size_t i = outcomes_find(list, ending->digest);
	list->executions++;
	*fresh = i == list->length;
	if (!*fresh) {
		list->at[i].count++;
		return i;
	}
	*fresh = add(list, trace, ending, execution);
	list->beyond += !*fresh;
	return *fresh ? i : SIZE_MAX;
}
