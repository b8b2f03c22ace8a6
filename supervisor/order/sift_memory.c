/* What is kept in mind of the bytes that threads touch, by pages. */
#include "supervisor/order/sift_memory.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LARGE_PAGE    (2u << 20)
#define CELLS_BYTES   (PAGE_GRANULES * sizeof(struct cell))
#define PASTS_BYTES   (PAGE_GRANULES * sizeof(uint32_t))
#define PAGES_AT_ONCE (LARGE_PAGE / CELLS_BYTES)
#define MOST_PAGES    (1u << 18)		 /* a gigabyte */
#define MOST_SPLITS   (CELL_SHARED - CELL_SPLIT) /* as much */
#define MOST_PASTS    (1u << 24)

void sift_memory_clear(struct sift_memory *memory)
{
	for (size_t i = 0; i < memory->pages_room; i++)
		if (memory->pages[i].number) {
			memset(memory->pages[i].cells, 0, CELLS_BYTES);
			if (memory->pages[i].pasts)
				memset(memory->pages[i].pasts, 0, PASTS_BYTES);
		}
	memory->splits_length = memory->pasts_length = 0;
	memory->free_split = memory->free_past = 0;
	memory->full = false;
}

void sift_memory_release(struct sift_memory *memory)
{
	for (size_t i = 0; i < memory->blocks_length; i++)
		free(memory->blocks[i]);
	for (size_t i = 0; i < memory->pages_room; i++)
		free(memory->pages[i].pasts);
	free(memory->blocks);
	free(memory->pages);
	free(memory->splits);
	free(memory->pasts);
	*memory = (struct sift_memory){0};
}

static struct sift_page *slot_of(struct sift_page *pages, size_t room, uint64_t number)
{
	size_t slot = (number * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (room - 1);
	while (pages[slot].number && pages[slot].number != number)
		slot = (slot + 1) & (room - 1);
	return &pages[slot];
}

static bool grow(struct sift_memory *memory)
{
	const size_t room = memory->pages_room ? 2 * memory->pages_room : 256;
	struct sift_page *pages = calloc(room, sizeof *pages);
	if (!pages)
		return false;
	for (size_t i = 0; i < memory->pages_room; i++)
		if (memory->pages[i].number)
			*slot_of(pages, room, memory->pages[i].number) = memory->pages[i];
	free(memory->pages);
	memory->pages = pages;
	memory->pages_room = room;
	return true;
}

/*
 * Of memory that the kernel may map by large pages: what is kept in mind is looked up all over it. Not what comes first, of which a small
 * program needs few bytes: the kernel would clear a large page for them.
 */
static void *take_large(size_t size, bool first)
{
	void *at = aligned_alloc(LARGE_PAGE, (size + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE);
	if (at)
		(void)madvise(at, size, first ? MADV_NOHUGEPAGE : MADV_HUGEPAGE);
	return at;
}

/* Each of a page, of which many are taken at once. */
static struct cell *take_cells(struct sift_memory *memory)
{
	if (memory->pages_length % PAGES_AT_ONCE == 0) {
		void *block = ARRAY_DOUBLE(memory->blocks, memory->blocks_length)
				  ? take_large(PAGES_AT_ONCE * CELLS_BYTES, memory->blocks_length == 0)
				  : NULL;
		if (!block)
			return NULL;
		memory->blocks[memory->blocks_length++] = block;
	}
	struct cell *block = memory->blocks[memory->blocks_length - 1];
	struct cell *cells = block + memory->pages_length % PAGES_AT_ONCE * PAGE_GRANULES;
	memset(cells, 0, CELLS_BYTES);
	return cells;
}

static bool add(struct sift_memory *memory, uint64_t number)
{
	if (memory->pages_length == MOST_PAGES ||
	    (2 * (memory->pages_length + 1) > memory->pages_room && !grow(memory)))
		return false;
	struct cell *cells = take_cells(memory);
	if (!cells)
		return false;
	*slot_of(memory->pages, memory->pages_room, number) =
	    (struct sift_page){.number = number, .cells = cells};
	memory->pages_length++;
	return true;
}

struct cell *sift_memory_page(struct sift_memory *memory, uint64_t number, bool make)
{
	struct sift_page *recent = &memory->recent[++number % RECENT_PAGES];
	if (recent->number == number)
		return recent->cells;
	const struct sift_page *page =
	    memory->pages_room ? slot_of(memory->pages, memory->pages_room, number) : NULL;
	if ((!page || !page->number) && make) {
		memory->full |= !add(memory, number);
		page = memory->full ? NULL : slot_of(memory->pages, memory->pages_room, number);
	}
	if (!page || !page->number)
		return NULL;
	*recent = *page;
	return page->cells;
}

static bool grow_splits(struct sift_memory *memory)
{
	const size_t room = memory->splits_room ? 2 * memory->splits_room : LARGE_PAGE / sizeof(struct split);
	if (room > MOST_SPLITS)
		return false;
	struct split *splits = take_large(room * sizeof *splits, memory->splits_room == 0);
	if (!splits)
		return false;
	if (memory->splits_length)
		memcpy(splits, memory->splits, memory->splits_length * sizeof *splits);
	free(memory->splits);
	memory->splits = splits;
	memory->splits_room = room;
	return true;
}

struct split *sift_memory_split(struct sift_memory *memory, struct cell *cell)
{
	uint32_t number = memory->free_split - 1;
	if (memory->free_split) {
		memory->free_split = memory->splits[number].read[0];
	} else if (memory->splits_length < memory->splits_room || grow_splits(memory)) {
		number = (uint32_t)memory->splits_length++;
	} else {
		memory->full = true;
		return NULL;
	}
	struct split *split = &memory->splits[number];
	memset(split, 0, sizeof *split);
	cell->read = CELL_SPLIT + number;
	return split;
}

static void empty(struct sift_memory *memory, struct cell *cell)
{
	if (cell_is_split(cell)) {
		split_of(memory, cell)->read[0] = memory->free_split;
		memory->free_split = cell->read - CELL_SPLIT + 1;
	}
	*cell = (struct cell){0};
}

uint32_t *sift_memory_pasts(struct sift_memory *memory, uint64_t number, bool make)
{
	struct sift_page *recent = &memory->recent[++number % RECENT_PAGES];
	if (recent->number == number && (recent->pasts || !make))
		return recent->pasts;
	struct sift_page *page =
	    memory->pages_room ? slot_of(memory->pages, memory->pages_room, number) : NULL;
	if (!page || !page->number)
		return NULL;
	if (!page->pasts && make)
		page->pasts = calloc(PAGE_GRANULES, sizeof *page->pasts);
	*recent = *page;
	return page->pasts;
}

bool sift_memory_pass(struct sift_memory *memory, struct cell *cell, uint32_t *past)
{
	uint32_t number = memory->free_past;
	if (number) {
		memory->free_past = memory->pasts[number].earlier;
	} else {
		memory->pasts_length += memory->pasts_length == 0;
		if (memory->pasts_length == MOST_PASTS ||
		    !ARRAY_GROW(memory->pasts, memory->pasts_length, memory->pasts_room))
			return false;
		number = (uint32_t)memory->pasts_length++;
	}
	memory->pasts[number] = (struct past){*cell, *past};
	*past = number;
	*cell = (struct cell){0};
	return true;
}

void sift_memory_forget_past(struct sift_memory *memory, uint32_t *past)
{
	const uint32_t number = *past;
	struct past *forgotten = &memory->pasts[number];
	*past = forgotten->earlier;
	empty(memory, &forgotten->cell);
	forgotten->earlier = memory->free_past;
	memory->free_past = number;
}

void sift_memory_forget(struct sift_memory *memory, struct cell *cell, uint32_t *past)
{
	while (past && *past)
		sift_memory_forget_past(memory, past);
	empty(memory, cell);
}
