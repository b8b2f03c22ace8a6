/* Reversals that have been told: a part's executions find the same ones again and again. */
#include "supervisor/dpor/dpor.h"

#include <stdlib.h>

struct told_reversal {
	size_t i, length;
	struct step *steps; /* NULL: a free slot */
};

/* Open addressing; the room is a power of two, or 0. */
struct dpor_told {
	struct told_reversal *at;
	size_t length, room;
};

struct dpor_told *dpor_told_new(void)
{
	return calloc(1, sizeof(struct dpor_told));
}

void dpor_told_free(struct dpor_told *told)
{
	for (size_t i = 0; told && i < told->room; i++)
		free(told->at[i].steps);
	if (told)
		free(told->at);
	free(told);
}

static uint64_t mix(uint64_t digest, uint64_t word)
{
	digest = (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return digest ^ digest >> 29;
}

static uint64_t digest_of(const struct told_reversal *reversal)
{
	uint64_t digest = mix(reversal->i + 1, reversal->length);
	for (size_t i = 0; i < reversal->length; i++)
		digest = mix(digest,
			     (uint64_t)reversal->steps[i].thread << 32 | (uint32_t)reversal->steps[i].choice);
	return digest;
}

static bool equal(const struct told_reversal *a, const struct told_reversal *b)
{
	bool same = a->i == b->i && a->length == b->length;
	for (size_t i = 0; i < a->length && same; i++)
		same = step_equal(a->steps[i], b->steps[i]);
	return same;
}

/* Its slot, or the free one where it would be. */
static struct told_reversal *slot_of(struct told_reversal *at, size_t room,
				     const struct told_reversal *reversal)
{
	size_t slot = digest_of(reversal) & (room - 1);
	while (at[slot].steps && !equal(&at[slot], reversal))
		slot = (slot + 1) & (room - 1);
	return &at[slot];
}

static bool grow(struct dpor_told *told)
{
	size_t room = told->room ? 2 * told->room : 64;
	struct told_reversal *at = calloc(room, sizeof *at);
	if (!at)
		return false;
	for (size_t i = 0; i < told->room; i++)
		if (told->at[i].steps)
			*slot_of(at, room, &told->at[i]) = told->at[i];
	free(told->at);
	told->at = at;
	told->room = room;
	return true;
}

bool dpor_told_note(struct dpor_told *told, const struct reversal *reversal)
{
	struct told_reversal one = {reversal->i, reversal->length, NULL};
	one.steps = calloc(reversal->length + 1, sizeof *one.steps);
	if (!one.steps || (2 * (told->length + 1) > told->room && !grow(told))) {
		free(one.steps);
		return false; /* told twice: no harm */
	}
	for (size_t i = 0; i < reversal->length; i++)
		one.steps[i] = reversal->events[i].step;
	struct told_reversal *slot = slot_of(told->at, told->room, &one);
	if (slot->steps) {
		free(one.steps);
		return true;
	}
	*slot = one;
	told->length++;
	return false;
}
