/* Sets of digests. */
#include "supervisor/certificate/checker.h"

#include <stdlib.h>

#define FIRST_ROOM 256

static size_t find(const struct digest *at, size_t room, struct digest digest)
{
	size_t slot = digest.low & (room - 1);
	while ((at[slot].low || at[slot].high) && !digest_equal(at[slot], digest))
		slot = (slot + 1) & (room - 1);
	return slot;
}

/* Both 0 is what says that a slot is free. */
static struct digest stored(struct digest digest)
{
	return digest.low || digest.high ? digest : (struct digest){1, 0};
}

bool digests_has(const struct digests *set, struct digest digest)
{
	digest = stored(digest);
	return set->room > 0 && digest_equal(set->at[find(set->at, set->room, digest)], digest);
}

static bool grow(struct digests *set)
{
	const size_t room = set->room ? 2 * set->room : FIRST_ROOM;
	struct digest *at = calloc(room, sizeof *at);
	if (!at)
		return false;
	for (size_t i = 0; i < set->room; i++)
		if (set->at[i].low || set->at[i].high)
			at[find(at, room, set->at[i])] = set->at[i];
	free(set->at);
	set->at = at;
	set->room = room;
	return true;
}

bool digests_add(struct digests *set, struct digest digest, bool *added)
{
	digest = stored(digest);
	*added = false;
	if (2 * (set->length + 1) > set->room && !grow(set))
		return false;
	const size_t slot = find(set->at, set->room, digest);
	if (digest_equal(set->at[slot], digest))
		return true;
	set->at[slot] = digest;
	set->length++;
	*added = true;
	return true;
}

void digests_release(struct digests *set)
{
	free(set->at);
	*set = (struct digests){0};
}
