/*
 * Blocks that have been given back and that glibc's malloc keeps for the next one who asks: in a cache of each thread, and in an arena's fast bins.
 * Where these lists are nothing tells, and what is taken for them is looked at closely: a block that isn't found counts as used, so that two
 * states may differ that needn't, and no more.
 */
#include "tracer/contents/contents.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>

#define TLS_BELOW   4096 /* libc's variables of a thread are so close to fs_base */
#define CACHE_BINS  64
#define CACHE_LISTS 128 /* after a counter of 16 bits for each */
#define LIST_MOST   65536
#define FAST_BINS   10
#define ARENA_FAST  16 /* offsets in struct malloc_state */
#define ARENA_TOP   96
#define ARENA_BINS  112
#define ARENA_LISTS 127

static uint64_t word(struct contents *contents, uint64_t address)
{
	uint64_t word;
	return table_word(contents, address, &word) ? word : 0;
}

static bool add(struct contents *contents, uint64_t block)
{
	if (!ARRAY_GROW(contents->listed, contents->listed_length, contents->listed_room))
		return false;
	contents->listed[contents->listed_length++] = block;
	return true;
}

/* Links are disguised by where they stand. `most` blocks. */
static void follow(struct contents *contents, uint64_t block, size_t most)
{
	for (size_t i = 0; i < most && block && block % 16 == 0 && table_find(contents, block); i++) {
		if (!add(contents, block))
			return;
		block = word(contents, block) ^ block >> 12;
	}
}

static bool is_cache(struct contents *contents, uint64_t cache)
{
	return cache && cache % 16 == 0 && (word(contents, cache - 8) & ~UINT64_C(7)) == CACHE_BLOCK;
}

static void read_cache(struct contents *contents, uint64_t cache)
{
	if (!is_cache(contents, cache) || !add(contents, cache))
		return;
	for (unsigned bin = 0; bin < CACHE_BINS; bin++) {
		const uint64_t counters = word(contents, cache + bin / 4 * 8);
		const size_t count = counters >> bin % 4 * 16 & 0xffff;
		follow(contents, word(contents, cache + CACHE_LISTS + bin * 8), count);
	}
}

/* The first thread's cache is the first block of its heap. */
static uint64_t find_tcache(struct contents *contents, uint64_t tls, uint64_t cache)
{
	for (uint64_t below = 8; tls && below <= TLS_BELOW; below += 8)
		if (word(contents, tls - below) == cache)
			return below;
	return 0;
}

static void read_fast_bins(struct contents *contents, uint64_t arena)
{
	for (unsigned bin = 0; bin < FAST_BINS; bin++) {
		const uint64_t head = word(contents, arena + ARENA_FAST + bin * 8);
		follow(contents, head ? head + 16 : 0, LIST_MOST);
	}
}

/* An empty list of an arena leads to itself; most are. */
static bool is_arena(struct contents *contents, uint64_t arena, uint64_t top)
{
	unsigned empty = 0;
	for (unsigned i = 0; i < ARENA_LISTS; i++) {
		const uint64_t at = arena + ARENA_BINS + i * 16;
		empty += word(contents, at) == at - 16 && word(contents, at + 8) == at - 16;
	}
	return word(contents, arena + ARENA_TOP) == top && empty > ARENA_LISTS / 2;
}

/* Where the last block of the heap is named. */
static uint64_t find_arena(struct contents *contents, uint64_t top)
{
	for (size_t i = 0; i < contents->table.extents_length; i++) {
		const struct extent *extent = &contents->table.extents[i];
		if (contents->mappings[extent->mapping].kind == MAPPING_STACK ||
		    contents->mappings[extent->mapping].kind == MAPPING_HEAP ||
		    extent->end - extent->start > (UINT64_C(1) << 20))
			continue;
		for (uint64_t at = extent->start; at < extent->end; at += 8)
			if (word(contents, at) == top && is_arena(contents, at - ARENA_TOP, top))
				return at - ARENA_TOP;
	}
	return 0;
}

static void read_main(struct contents *contents, const struct heap *heap, uint64_t tls)
{
	struct malloc_places *places = &contents->places;
	const uint64_t top = contents->blocks[heap->from + heap->length - 1].at - 8;
	if (!places->tcache)
		places->tcache = find_tcache(contents, tls, heap->first + 16);
	if (!places->main_arena || word(contents, places->main_arena + ARENA_TOP) != top)
		places->main_arena = find_arena(contents, top);
	if (places->main_arena)
		read_fast_bins(contents, places->main_arena);
}

static int by_address(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

void malloc_lists_read(struct contents *contents, const struct contents_stack stacks[], size_t length)
{
	contents->listed_length = 0;
	for (size_t i = 0; i < contents->heaps_length; i++) {
		const struct heap *heap = &contents->heaps[i];
		if (heap->arena)
			read_fast_bins(contents, heap->arena);
		else if (length > 0)
			read_main(contents, heap, stacks[0].tls);
	}
	for (size_t t = 0; contents->places.tcache && t < length; t++)
		if (stacks[t].tls)
			read_cache(contents, word(contents, stacks[t].tls - contents->places.tcache));
	qsort(contents->listed, contents->listed_length, sizeof *contents->listed, by_address);
}
