/* Which pages of a process are there, and which of them have been written since. */
#include "tracer/contents/contents.h"

#include <fmc/tracer/array.h>

#include <unistd.h>

#define REGIONS	       256
#define ENTRIES	       512
#define MOST_LOOKED_AT (UINT64_C(1) << 28) /* 1 TiB, where the kernel doesn't tell what is in use */

static enum status scan(const struct contents *contents, struct page_scan asked, struct regions *regions)
{
	for (regions->length = 0;;) {
		if (!ARRAY_RESERVE(regions->at, regions->length + REGIONS, regions->room))
			return STATUS_NO_MEMORY;
		const int found =
		    page_scan(contents->pagemap, &asked, regions->at + regions->length, REGIONS);
		if (found < 0)
			return STATUS_UNSUPPORTED;
		regions->length += (size_t)found;
		if (found < REGIONS || asked.start >= asked.end)
			return STATUS_OK;
	}
}

static bool add_one(struct regions *regions, uint64_t at)
{
	struct page_region *last = regions->length ? &regions->at[regions->length - 1] : NULL;
	if (last && last->end == at) {
		last->end = at + PAGE;
		return true;
	}
	if (!ARRAY_GROW(regions->at, regions->length, regions->room))
		return false;
	regions->at[regions->length++] = (struct page_region){at, at + PAGE, 0};
	return true;
}

/* By pagemap's entries: bit 63 is a page that is present, 62 one that is swapped out. */
static enum status look_at_each(struct contents *contents, uint64_t start, uint64_t end)
{
	uint64_t entries[ENTRIES];
	contents->found.length = 0;
	if ((end - start) / PAGE > MOST_LOOKED_AT)
		return STATUS_UNSUPPORTED;
	for (uint64_t at = start; at < end;) {
		const size_t pages = (end - at) / PAGE < ENTRIES ? (end - at) / PAGE : ENTRIES;
		const size_t size = pages * sizeof *entries;
		if (tracer_interrupted())
			return STATUS_INTERRUPTED;
		if (pread(contents->pagemap, entries, size, (off_t)(at / PAGE * sizeof *entries)) !=
		    (ssize_t)size)
			return STATUS_GONE;
		for (size_t i = 0; i < pages; i++, at += PAGE)
			if (entries[i] >> 62 && !add_one(&contents->found, at))
				return STATUS_NO_MEMORY;
	}
	return STATUS_OK;
}

/* What is there of one that isn't tracked. */
enum status regions_of(struct contents *contents, const struct mapping *mapping)
{
	const uint64_t there = PAGE_PRESENT | PAGE_SWAPPED;
	const struct page_scan asked = {
	    .start = mapping->start, .end = mapping->end, .any = there, .told = there};
	const enum status status = scan(contents, asked, &contents->found);
	return status == STATUS_UNSUPPORTED ? look_at_each(contents, mapping->start, mapping->end) : status;
}

enum status regions_tracked(struct contents *contents)
{
	const uint64_t there = PAGE_PRESENT | PAGE_SWAPPED;
	const struct page_scan asked = {
	    .end = LAST_END, .all = PAGE_TRACKED, .any = there, .told = PAGE_WRITTEN, .protects = true};
	contents->tracked.length = 0;
	return contents->tracking < 0 ? STATUS_OK : scan(contents, asked, &contents->tracked);
}
