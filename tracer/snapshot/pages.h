#ifndef FMC_TRACER_SNAPSHOT_PAGES_H
#define FMC_TRACER_SNAPSHOT_PAGES_H

#include <fmc/tracer/status.h>
#include <stddef.h>
#include <stdint.h>

/* Copies of memory pages, found by address. All zero: empty. */
#define PAGE_BYTES UINT64_C(4096)

struct page_slot {
	uint64_t address;
	uint8_t *bytes; /* NULL: the slot is free */
};

struct pages {
	struct page_slot *slots; /* a hash table; room is a power of two */
	size_t length, room;
};

static inline uint64_t page_of(uint64_t address)
{
	return address & ~(PAGE_BYTES - 1);
}

/* The page that begins at `page`; NULL if it isn't there. */
const uint8_t *pages_find(const struct pages *pages, uint64_t page);

/* Take over PAGE_BYTES from `bytes`, in place of what was kept of this page. STATUS_OK or STATUS_NO_MEMORY. */
enum status pages_put(struct pages *pages, uint64_t page, const void *bytes);

void pages_release(struct pages *pages);

#endif
