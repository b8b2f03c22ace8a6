/*
 * Blocks of glibc's malloc, as they lie one after the other in a heap: 8 bytes with the block's size, in whose lowest bit stands whether the one
 * before it is in use, then what the program has; the last block is what hasn't been given out. A heap that doesn't look so is none of glibc's.
 */
#include "tracer/contents/contents.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

#define HEAP_SIZE      (UINT64_C(64) << 20) /* heaps other than the first are at multiples of it */
#define ARENA_SIZE     0x898
#define FLAGS	       UINT64_C(7)
#define BEFORE_IS_USED UINT64_C(1)
#define FIRST_WITHIN   65536 /* a static program has something of its own at the beginning */
#define BLOCKS_MOST    (1u << 20)

static uint64_t word(struct contents *contents, uint64_t address)
{
	uint64_t word;
	return table_word(contents, address, &word) ? word : 0;
}

/* From there to the end there is one block after the other; false: nothing has been added. */
static bool walk(struct contents *contents, uint64_t first, uint64_t end)
{
	const size_t from = contents->blocks_length;
	for (uint64_t at = first; at < end;) {
		const uint64_t tag = word(contents, at + 8), size = tag & ~FLAGS;
		const size_t i = contents->blocks_length;
		if (size < 32 || size % 16 || size > end - at || i == BLOCKS_MOST ||
		    !ARRAY_GROW(contents->blocks, i, contents->blocks_room))
			break;
		if (i > from)
			contents->blocks[i - 1].free = !(tag & BEFORE_IS_USED);
		contents->blocks[i] = (struct block){at + 8, true};
		contents->blocks_length++;
		at += size;
		if (at == end && i > from)
			return true;
	}
	contents->blocks_length = from;
	return false;
}

/* The first block is the first thread's cache. */
static bool find_main(struct contents *contents, const struct mapping *mapping, struct heap *heap)
{
	const uint64_t start = contents->heap_start;
	for (uint64_t at = start; at < mapping->end && at < start + FIRST_WITHIN; at += 16) {
		if ((word(contents, at + 8) & ~FLAGS) == CACHE_BLOCK && walk(contents, at, mapping->end)) {
			heap->first = at;
			heap->end = mapping->end;
			return true;
		}
	}
	return false;
}

/*
 * The heap of an arena that several threads have begins with where that arena is (in the heap, if it is its first one), the heap before it and its
 * size.
 */
static bool find_other(struct contents *contents, const struct mapping *mapping, struct heap *heap)
{
	const uint64_t start = mapping->start;
	if (mapping->kind != MAPPING_DATA || mapping->inode || start % HEAP_SIZE)
		return false;
	const uint64_t arena = word(contents, start), size = word(contents, start + 16);
	if (arena <= start || arena - start > 0x40 || word(contents, start + 8) ||
	    size > mapping->end - start)
		return false;
	heap->first = ((arena + ARENA_SIZE + 31) & ~UINT64_C(15)) - 16;
	heap->end = start + size;
	heap->arena = arena;
	return walk(contents, heap->first, heap->end);
}

bool heaps_find(struct contents *contents)
{
	contents->heaps_length = contents->blocks_length = 0;
	for (size_t i = 0; i < contents->mappings_length; i++) {
		const struct mapping *mapping = &contents->mappings[i];
		struct heap heap = {.mapping = i, .from = contents->blocks_length};
		if (!(mapping->kind == MAPPING_HEAP ? find_main(contents, mapping, &heap)
						    : find_other(contents, mapping, &heap)))
			continue;
		heap.length = contents->blocks_length - heap.from;
		if (!ARRAY_GROW(contents->heaps, contents->heaps_length, contents->heaps_room))
			return false;
		contents->heaps[contents->heaps_length++] = heap;
	}
	return true;
}

static int by_address(const void *key, const void *block)
{
	const uint64_t at = *(const uint64_t *)key, there = ((const struct block *)block)->at;
	return at < there ? -1 : at > there;
}

/* A block's size stands 8 bytes before what the program has. */
void heaps_free_listed(struct contents *contents)
{
	for (size_t i = 0; i < contents->listed_length; i++) {
		const uint64_t at = contents->listed[i] - 8;
		struct block *block = bsearch(&at, contents->blocks, contents->blocks_length,
					      sizeof *contents->blocks, by_address);
		if (block)
			block->free = true;
	}
}

/* Where the blocks are in this page, from the one on that reaches into it: *i goes along. */
static uint64_t blocks_in(const struct block blocks[], size_t length, uint64_t page, size_t *i)
{
	struct lanes lanes = {1, 2};
	while (*i + 1 < length && blocks[*i + 1].at <= page)
		++*i;
	for (size_t k = *i; k < length && blocks[k].at < page + PAGE; k++) {
		lanes_mix(&lanes, blocks[k].at > page ? blocks[k].at - page : 0);
		lanes_mix(&lanes, blocks[k].free);
	}
	return lanes.a ^ lanes.b;
}

/* Of the page what is in use, from the i-th block on, and the sizes of blocks that are. What comes before the first one is in `before`. */
static struct lanes hash_used(const struct page *page, uint64_t at, const struct block blocks[],
			      size_t length, size_t i, bool before)
{
	uint8_t bytes[PAGE];
	memcpy(bytes, page->bytes->at, PAGE);
	if (blocks[i].at > at && !before)
		memset(bytes, 0, blocks[i].at - at);
	for (; i < length && blocks[i].at < at + PAGE; i++) {
		const uint64_t next = i + 1 < length ? blocks[i + 1].at : UINT64_MAX;
		const size_t from = blocks[i].at > at ? blocks[i].at - at : 0;
		const size_t to = next - at < PAGE ? next - at : PAGE;
		if (blocks[i].free)
			memset(bytes + from, 0, to - from);
		else if (blocks[i].at >= at)
			bytes[from] &= (uint8_t)~FLAGS;
	}
	return hash_bytes(at, bytes, PAGE);
}

static void add_page(const struct contents *contents, const struct heap *heap, struct page *page, uint64_t at,
		     size_t *i, struct lanes *sum)
{
	const struct block *blocks = contents->blocks + heap->from;
	const bool has_blocks = at + PAGE > heap->first && at < heap->end;
	if (!has_blocks || !page->bytes) {
		if (!heap->arena || has_blocks)
			lanes_add(sum, page->hash);
		return;
	}
	const uint64_t where = blocks_in(blocks, heap->length, at, i);
	if (!page->used_known || page->blocks != where)
		page->used = hash_used(page, at, blocks, heap->length, *i, !heap->arena);
	page->used_known = true;
	page->blocks = where;
	lanes_add(sum, page->used);
}

void heap_sum(struct contents *contents, const struct heap *heap, struct lanes *sum)
{
	struct page_table *table = &contents->table;
	size_t block = 0;
	for (size_t i = 0; i < table->extents_length; i++) {
		const struct extent *extent = &table->extents[i];
		struct page *page = &table->pages[extent->page];
		for (uint64_t at = extent->start; extent->mapping == heap->mapping && at < extent->end;
		     at += PAGE)
			add_page(contents, heap, page++, at, &block, sum);
	}
}
