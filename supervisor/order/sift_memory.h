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

/*
 * What a thread has done to eight bytes that have been another one's since, after an operation that orders the two: the cell as it was,
 * and what was before that; 0: nothing.
 */
struct past {
	struct cell cell;
	uint32_t earlier;
};

struct sift_page {
	uint64_t number; /* plus 1; 0: free */
	struct cell *cells;
	uint32_t *pasts; /* of each cell, the number of a struct past; NULL: none has one */
};

struct sift_memory {
	struct sift_page *pages; /* open addressing */
	size_t pages_length, pages_room;
	struct cell **blocks; /* what the pages' cells are in */
	size_t blocks_length;
	struct sift_page recent[RECENT_PAGES];
	struct split *splits;
	size_t splits_length, splits_room;
	uint32_t free_split; /* plus 1; 0: none */
	struct past *pasts;  /* number 0 is none */
	size_t pasts_length, pasts_room;
	uint32_t free_past; /* 0: none */
	bool full;
};

/* Nothing has been touched. Memory is kept for the next time. */
void sift_memory_clear(struct sift_memory *memory);
void sift_memory_release(struct sift_memory *memory);

/* Those of a page, by its number; NULL: there is none, or with `make` no memory for one: `full`. */
struct cell *sift_memory_page(struct sift_memory *memory, uint64_t number, bool make);

/* The numbers of what is past of a page's cells; NULL: none has any, or with `make` there is no memory. */
uint32_t *sift_memory_pasts(struct sift_memory *memory, uint64_t number, bool make);

/* What the cell keeps is past from now on, after what *past says; the cell is empty. False: there is no room. */
bool sift_memory_pass(struct sift_memory *memory, struct cell *cell, uint32_t *past);

/* Forget the past that *past names, which becomes the one before it; or all that are kept of a cell, which is empty then. */
void sift_memory_forget_past(struct sift_memory *memory, uint32_t *past);
void sift_memory_forget(struct sift_memory *memory, struct cell *cell, uint32_t *past);

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
