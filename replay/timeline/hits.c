/* What was stopped at on the way to a place, in order: the last one is the first to be met backwards. */
#include "replay/timeline/timeline.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>

void hits_clear(struct hits *hits)
{
	hits->length = 0;
	hits->here = 0;
	hits->cut = true;
}

void hits_release(struct hits *hits)
{
	free(hits->at);
	traps_release(&hits->traps);
	*hits = (struct hits){0};
}

void hits_begin(struct hits *hits, const struct traps *traps, size_t part)
{
	hits_clear(hits);
	hits->part = part;
	/* Where it isn't known what was looked for, it isn't used again. */
	hits->cut = !traps_copy(&hits->traps, traps);
}

bool hits_add(struct hits *hits, const struct hit *hit)
{
	if (!ARRAY_GROW(hits->at, hits->length, hits->room))
		return false;
	hits->at[hits->length++] = *hit;
	return true;
}

void hits_change_root(struct hits *hits, size_t part, uint32_t old, uint64_t count, uint32_t root)
{
	for (size_t i = 0; i < hits->length; i++) {
		struct hit *hit = &hits->at[i];
		if (hit->part != part || hit->at_beginning || hit->root != old || hit->count <= count)
			continue;
		hit->root = root;
		hit->count -= count;
	}
}

void hits_rebase(struct hits *hits, size_t part, uint32_t root, uint32_t base, uint64_t count)
{
	for (size_t i = 0; i < hits->length; i++) {
		struct hit *hit = &hits->at[i];
		if (hit->part != part || hit->at_beginning || hit->root != root)
			continue;
		hit->root = base;
		hit->count += count;
	}
}

bool hits_uses(const struct hits *hits, uint32_t root)
{
	for (size_t i = 0; i < hits->length; i++)
		if (!hits->at[i].at_beginning && hits->at[i].root == root)
			return true;
	return false;
}
