#ifndef FMC_SUPERVISOR_ORDER_SIFT_MEMORY_H
#define FMC_SUPERVISOR_ORDER_SIFT_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GRANULE	      8 /* bytes */
#define PAGE_GRANULES 512
#define RECENT_PAGES  512

/*
 * What is kept in mind of eight bytes: which event was the last read, and which the last write; 0: there was none. `read` may say instead
 * that more than one thread has been there (CELL_SHARED), or, from CELL_SPLIT on, the number of a struct split, since their bytes
 * differ in that; then `write` is the last event of them all.
 */
struct cell {
	uint32_t read, write;
};
#define CELL_SHARED UINT32_MAX
#define CELL_SPLIT  (UINT32_MAX - (1u << 24))
#define EVENT_LIMIT CELL_SPLIT /* events are below */

struct split {
	uint32_t read[GRANULE], write[GRANULE];
} __attribute__((aligned(64))); /* one line of the processor's caches */

struct sift_page {
	uint64_t number; /* plus 1; 0: free */
	struct cell *cells;
};

struct sift_memory {
	struct sift_page *pages; /* open addressing */
	size_t pages_length, pages_room;
	struct cell **blocks; /* what the pages' cells are in */
	size_t blocks_length;
	struct sift_page recent[RECENT_PAGES];
	struct split *splits;
	size_t splits_length, splits_room;
	bool full;
};

/* Nothing has been touched. Memory is kept for the next time. */
void sift_memory_clear(struct sift_memory *memory);
void sift_memory_release(struct sift_memory *memory);

/* Those of a page, by its number; NULL: there is none, or with `make` no memory for one: `full`. */
struct cell *sift_memory_page(struct sift_memory *memory, uint64_t number, bool make);

/* Two records for each byte of a cell that has two, empty ones. NULL without memory: `full`. */
struct split *sift_memory_split(struct sift_memory *memory, struct cell *cell);

static inline bool cell_is_split(const struct cell *cell)
{
	return cell->read >= CELL_SPLIT && cell->read != CELL_SHARED;
}

static inline struct split *split_of(const struct sift_memory *memory, const struct cell *cell)
{
	return &memory->splits[cell->read - CELL_SPLIT];
}

/* NULL: it isn't among those that were asked for lately. */
static inline struct cell *sift_memory_recent(const struct sift_memory *memory, uint64_t granule)
{
	const uint64_t number = granule / PAGE_GRANULES + 1;
	const struct sift_page *page = &memory->recent[number % RECENT_PAGES];
	return page->number == number ? &page->cells[granule % PAGE_GRANULES] : NULL;
}

#endif
