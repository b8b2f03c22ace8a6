/* A set of digests. */
#include "brute.h"

#include <stdlib.h>

void hash_set_init(struct hash_set *set)
{
	*set = (struct hash_set){.room = 64, .slots = calloc(64, sizeof(uint64_t))};
}

void hash_set_release(struct hash_set *set)
{
	free(set->slots);
	set->slots = NULL;
}

static size_t slot_of(const struct hash_set *set, uint64_t member)
{
	size_t i = (size_t)(member * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (set->room - 1);
	while (set->slots[i] && set->slots[i] != member)
		i = (i + 1) & (set->room - 1);
	return i;
}

bool hash_set_has(const struct hash_set *set, uint64_t member)
{
	return set->slots[slot_of(set, member ? member : 1)] != 0;
}

bool hash_set_add(struct hash_set *set, uint64_t member)
{
	if (member == 0)
		member = 1;
	size_t i = slot_of(set, member);
	if (set->slots[i])
		return false;
	set->slots[i] = member;
	if (++set->count * 2 > set->room) {
		struct hash_set larger = {.room = set->room * 2,
					  .slots = calloc(set->room * 2, sizeof(uint64_t))};
		for (size_t s = 0; s < set->room; s++)
			if (set->slots[s])
				hash_set_add(&larger, set->slots[s]);
		free(set->slots);
		*set = larger;
	}
	return true;
}

bool hash_set_subset(const struct hash_set *a, const struct hash_set *b)
{
	for (size_t s = 0; s < a->room; s++)
		if (a->slots[s] && !hash_set_has(b, a->slots[s]))
			return false;
	return true;
}
