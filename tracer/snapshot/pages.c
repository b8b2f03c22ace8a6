#include "tracer/snapshot/pages.h"

#include <stdlib.h>
#include <string.h>

#define ROOM_FIRST 256

/* The slot that holds the page, or the free one where it belongs. */
static struct page_slot *slot_of(const struct pages *pages, uint64_t page)
{
	size_t i = (size_t)((page / PAGE_BYTES * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (pages->room - 1);
	while (pages->slots[i].bytes && pages->slots[i].address != page)
		i = (i + 1) & (pages->room - 1);
	return &pages->slots[i];
}

const uint8_t *pages_find(const struct pages *pages, uint64_t page)
{
	return pages->room ? slot_of(pages, page)->bytes : NULL;
}

/* Half of the slots stay free. */
static enum status make_room(struct pages *pages)
{
	if (2 * (pages->length + 1) <= pages->room)
		return STATUS_OK;
	struct pages larger = {.length = pages->length, .room = pages->room ? 2 * pages->room : ROOM_FIRST};
	larger.slots = calloc(larger.room, sizeof *larger.slots);
	if (!larger.slots)
		return STATUS_NO_MEMORY;
	for (size_t i = 0; i < pages->room; i++)
		if (pages->slots[i].bytes)
			*slot_of(&larger, pages->slots[i].address) = pages->slots[i];
	free(pages->slots);
	*pages = larger;
	return STATUS_OK;
}

enum status pages_put(struct pages *pages, uint64_t page, const void *bytes)
{
	if (make_room(pages) != STATUS_OK)
		return STATUS_NO_MEMORY;
	struct page_slot *slot = slot_of(pages, page);
	if (!slot->bytes) {
		slot->bytes = malloc(PAGE_BYTES);
		if (!slot->bytes)
			return STATUS_NO_MEMORY;
		slot->address = page;
		pages->length++;
	}
	memcpy(slot->bytes, bytes, PAGE_BYTES);
	return STATUS_OK;
}

void pages_release(struct pages *pages)
{
	for (size_t i = 0; i < pages->room; i++)
		free(pages->slots[i].bytes);
	free(pages->slots);
	*pages = (struct pages){0};
}
