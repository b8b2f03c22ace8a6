#include "supervisor/policy/recurrences.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

void recurrences_release(struct recurrences *recurrences)
{
	free(recurrences->at);
	free(recurrences->slots);
	*recurrences = (struct recurrences){0};
}

void recurrences_clear(struct recurrences *recurrences)
{
	if (recurrences->length > 0)
		memset(recurrences->slots, 0, recurrences->slots_room * sizeof *recurrences->slots);
	recurrences->length = 0;
}

static uint32_t *slot_of(const struct recurrences *recurrences, const uint64_t state[3])
{
	const size_t mask = recurrences->slots_room - 1;
	size_t i = (state[0] ^ state[1]) & mask;
	while (recurrences->slots[i] &&
	       memcmp(recurrences->at[recurrences->slots[i] - 1].state, state, 3 * sizeof *state) != 0)
		i = (i + 1) & mask;
	return &recurrences->slots[i];
}

/* The latest of equal ones is in the slot. */
static void link_last(struct recurrences *recurrences, size_t i)
{
	uint32_t *slot = slot_of(recurrences, recurrences->at[i].state);
	recurrences->at[i].earlier = *slot;
	*slot = (uint32_t)i + 1;
}

static bool make_room(struct recurrences *recurrences)
{
	if (!ARRAY_GROW(recurrences->at, recurrences->length, recurrences->room))
		return false;
	if (2 * recurrences->room <= recurrences->slots_room)
		return true;
	uint32_t *slots = calloc(2 * recurrences->room, sizeof *slots);
	if (!slots)
		return false;
	free(recurrences->slots);
	recurrences->slots = slots;
	recurrences->slots_room = 2 * recurrences->room;
	for (size_t i = 0; i < recurrences->length; i++)
		link_last(recurrences, i);
	return true;
}

enum status recurrences_add(struct recurrences *recurrences, struct machine *machine,
			    const struct model *model)
{
	if (!make_room(recurrences))
		return STATUS_NO_MEMORY;
	struct recurrence *last = &recurrences->at[recurrences->length];
	last->state[0] = model_digest(model);
	if (!machine->ops->digest(machine, last->state + 1))
		return STATUS_UNSUPPORTED;
	link_last(recurrences, recurrences->length++);
	return STATUS_OK;
}

size_t recurrences_before(const struct recurrences *recurrences, size_t number)
{
	const uint32_t earlier = recurrences->at[number].earlier;
	return earlier ? earlier - 1 : NO_RECURRENCE;
}

bool recurrences_copy(struct recurrences *to, const struct recurrences *from)
{
	recurrences_clear(to);
	while (to->length < from->length) {
		if (!make_room(to))
			return false;
		to->at[to->length] = from->at[to->length];
		link_last(to, to->length++);
	}
	return true;
}
