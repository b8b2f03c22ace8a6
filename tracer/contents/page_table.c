#include "tracer/contents/contents.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * A refresh makes the table anew from what the kernel tells to be there, takes over what hasn't been written, and reads the rest. Who asks for
 * bytes gets pages of it that are as old as the last refresh.
 */

#define MOST_READ      (UINT64_C(1) << 19) /* 2 GiB in use */
#define MOST_KEPT      (UINT64_C(1) << 16) /* of which bytes are kept */
#define MOST_LOOKED_AT (UINT64_C(1) << 28) /* 1 TiB, where the kernel doesn't tell what is in use */
#define MANY_READ      2000		   /* pages: then it pays to have them tracked */
#define REGIONS	       256
#define ENTRIES	       512

static void drop(struct page_bytes **bytes)
{
	if (*bytes && --(*bytes)->owners == 0)
		free(*bytes);
	*bytes = NULL;
}

void table_clear(struct page_table *table)
{
	for (size_t i = 0; i < table->pages_length; i++)
		drop(&table->pages[i].bytes);
	table->pages_length = table->extents_length = 0;
}

void table_release(struct page_table *table)
{
	table_clear(table);
	free(table->pages);
	free(table->extents);
	*table = (struct page_table){0};
}

bool table_copy(struct page_table *to, const struct page_table *from)
{
	table_clear(to);
	if (!ARRAY_RESERVE(to->pages, from->pages_length, to->pages_room) ||
	    !ARRAY_RESERVE(to->extents, from->extents_length, to->extents_room))
		return false;
	memcpy(to->pages, from->pages, from->pages_length * sizeof *to->pages);
	memcpy(to->extents, from->extents, from->extents_length * sizeof *to->extents);
	to->pages_length = from->pages_length;
	to->extents_length = from->extents_length;
	for (size_t i = 0; i < to->pages_length; i++)
		if (to->pages[i].bytes)
			to->pages[i].bytes->owners++;
	return true;
}

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
static enum status scan_mapping(struct contents *contents, const struct mapping *mapping)
{
	const uint64_t there = PAGE_PRESENT | PAGE_SWAPPED;
	const struct page_scan asked = {
	    .start = mapping->start, .end = mapping->end, .any = there, .told = there};
	const enum status status = scan(contents, asked, &contents->found);
	return status == STATUS_UNSUPPORTED ? look_at_each(contents, mapping->start, mapping->end) : status;
}

/* The one that the page lies in or the next one; *i goes along with the address. */
static const struct extent *old_extent(const struct contents *contents, uint64_t at, size_t *i)
{
	const struct page_table *table = &contents->table;
	while (*i < table->extents_length && table->extents[*i].end <= at)
		++*i;
	return *i < table->extents_length ? &table->extents[*i] : NULL;
}

static bool needs_bytes(const struct contents *contents, const struct page *page)
{
	return contents->keeps && !page->bytes && contents->next.pages_length <= MOST_KEPT;
}

static bool add_unread(struct contents *contents, size_t page, uint64_t at)
{
	if (!ARRAY_GROW(contents->unread, contents->unread_length, contents->unread_room) ||
	    !ARRAY_GROW(contents->unread_at, contents->unread_length, contents->unread_at_room))
		return false;
	contents->unread[contents->unread_length] = page;
	contents->unread_at[contents->unread_length++] = at;
	return true;
}

/* A page of the new table: what was known of it, and whether it is to be read. */
static bool add_page(struct contents *contents, uint64_t at, bool written, size_t *old)
{
	struct page_table *next = &contents->next;
	const struct extent *extent = old_extent(contents, at, old);
	const size_t i = next->pages_length;
	if (!ARRAY_GROW(next->pages, i, next->pages_room))
		return false;
	struct page *known = extent && extent->start <= at
				 ? &contents->table.pages[extent->page + (at - extent->start) / PAGE]
				 : NULL;
	next->pages[i] = known ? *known : (struct page){0};
	if (known)
		known->bytes = NULL;
	next->pages_length++;
	return (known && !written && !needs_bytes(contents, &next->pages[i])) || add_unread(contents, i, at);
}

static bool add_region(struct contents *contents, const struct page_region *region, size_t mapping,
		       bool written, size_t *old)
{
	struct page_table *next = &contents->next;
	struct extent *last = next->extents_length ? &next->extents[next->extents_length - 1] : NULL;
	if (last && last->end == region->start && last->mapping == mapping) {
		last->end = region->end;
	} else {
		if (!ARRAY_GROW(next->extents, next->extents_length, next->extents_room))
			return false;
		next->extents[next->extents_length++] =
		    (struct extent){region->start, region->end, next->pages_length, mapping};
	}
	for (uint64_t at = region->start; at < region->end; at += PAGE)
		if (!add_page(contents, at, written, old))
			return false;
	return true;
}

/* Those in a mapping, from the i-th one on. None: it may be new, or in the place of another one. */
static enum status add_tracked(struct contents *contents, size_t mapping, size_t *i, size_t *old, bool *any)
{
	const struct mapping *m = &contents->mappings[mapping];
	const struct regions *tracked = &contents->tracked;
	while (*i < tracked->length && tracked->at[*i].end <= m->start)
		++*i;
	for (*any = false; *i < tracked->length && tracked->at[*i].start < m->end; ++*i) {
		struct page_region part = tracked->at[*i];
		const bool goes_on = part.end > m->end;
		part.start = part.start < m->start ? m->start : part.start;
		part.end = goes_on ? m->end : part.end;
		*any = true;
		if (!add_region(contents, &part, mapping, part.categories & PAGE_WRITTEN, old))
			return STATUS_NO_MEMORY;
		if (goes_on)
			break;
	}
	return STATUS_OK;
}

static enum status add_untracked(struct contents *contents, size_t mapping, size_t *old)
{
	const struct mapping *m = &contents->mappings[mapping];
	const enum status status = scan_mapping(contents, m);
	for (size_t i = 0; status == STATUS_OK && i < contents->found.length; i++)
		if (!add_region(contents, &contents->found.at[i], mapping, true, old))
			return STATUS_NO_MEMORY;
	if (status == STATUS_OK && contents->found.length > 0 && contents->tracking >= 0 && !m->shared)
		tracking_add(contents, m);
	return status;
}

static enum status find_tracked(struct contents *contents)
{
	const uint64_t there = PAGE_PRESENT | PAGE_SWAPPED;
	const struct page_scan asked = {
	    .end = LAST_END, .all = PAGE_TRACKED, .any = there, .told = PAGE_WRITTEN};
	contents->tracked.length = 0;
	return contents->tracking < 0 ? STATUS_OK : scan(contents, asked, &contents->tracked);
}

/* The new table, and which of its pages are to be read. */
static enum status find_all(struct contents *contents)
{
	size_t i = 0, old = 0;
	enum status status = find_tracked(contents);
	contents->unread_length = 0;
	for (size_t m = 0; m < contents->mappings_length && status == STATUS_OK; m++) {
		bool any;
		status = add_tracked(contents, m, &i, &old, &any);
		if (status == STATUS_OK && !any)
			status = add_untracked(contents, m, &old);
	}
	return status;
}

/* Its own bytes, to be written: other tables have what it had. */
static struct page_bytes *fresh_bytes(struct page *page)
{
	if (page->bytes && page->bytes->owners == 1)
		return page->bytes;
	drop(&page->bytes);
	page->bytes = malloc(sizeof *page->bytes);
	if (page->bytes)
		page->bytes->owners = 1;
	return page->bytes;
}

static bool take_in(struct contents *contents, size_t i, const uint8_t *bytes)
{
	struct page *page = &contents->next.pages[contents->unread[i]];
	page->hash = hash_bytes(contents->unread_at[i], bytes, PAGE);
	page->used_known = false;
	if (!contents->keeps || contents->unread[i] >= MOST_KEPT)
		return true;
	if (!fresh_bytes(page))
		return false;
	memcpy(page->bytes->at, bytes, PAGE);
	return true;
}

/*
 * By the file of its memory: process_vm_readv() pins what it reads, and for that the kernel copies each page that the process still shares with the
 * one that it was copied from.
 */
static enum status read_some(struct contents *contents, size_t from, size_t length)
{
	const uint64_t *at = contents->unread_at + from;
	for (size_t i = 0, run; i < length; i += run) {
		for (run = 1; i + run < length && at[i + run] == at[i] + run * PAGE;)
			run++;
		if (target_read(contents->target, at[i], contents->buffer + i * PAGE, run * PAGE) !=
		    STATUS_OK)
			return STATUS_GONE;
	}
	contents->pages_read += length;
	for (size_t i = 0; i < length; i++)
		if (!take_in(contents, from + i, contents->buffer + i * PAGE))
			return STATUS_NO_MEMORY;
	return STATUS_OK;
}

static enum status read_unread(struct contents *contents)
{
	enum status status = STATUS_OK;
	if (contents->unread_length > MOST_READ)
		return STATUS_UNSUPPORTED;
	for (size_t i = 0; i < contents->unread_length && status == STATUS_OK; i += READ_AT_ONCE) {
		const size_t left = contents->unread_length - i;
		status = tracer_interrupted()
			     ? STATUS_INTERRUPTED
			     : read_some(contents, i, left < READ_AT_ONCE ? left : READ_AT_ONCE);
	}
	return status;
}

/* Of what was found to be written the next refresh is to hear again. */
static void track_again(struct contents *contents)
{
	for (size_t i = 0; i < contents->tracked.length && contents->tracking >= 0; i++) {
		const struct page_region *region = &contents->tracked.at[i];
		if (region->categories & PAGE_WRITTEN)
			(void)tracking_again(contents, region->start, region->end);
	}
}

/* In the middle of an execution; what has been written before is unknown. */
static void begin_tracking(struct contents *contents)
{
	if (contents->tried || contents->pages_read < MANY_READ)
		return;
	contents->tried = true;
	if (tracking_begin(contents))
		table_clear(&contents->table);
}

/* A program that replaces its image has other memory from then on. */
static enum status read_mappings(struct contents *contents)
{
	const enum status status = mappings_read(contents);
	if (status != STATUS_GONE || !mappings_open(contents))
		return status;
	tracking_end(contents);
	table_clear(&contents->table);
	return mappings_read(contents);
}

static enum status refresh(struct contents *contents)
{
	enum status status = read_mappings(contents);
	if (status == STATUS_OK)
		begin_tracking(contents);
	if (status == STATUS_OK)
		status = find_all(contents);
	if (status == STATUS_OK)
		status = read_unread(contents);
	if (status == STATUS_OK)
		track_again(contents);
	return status;
}

enum status table_refresh(struct contents *contents)
{
	contents->now++;
	contents->last_extent = 0;
	table_clear(&contents->next);
	enum status status = refresh(contents);
	const struct page_table old = contents->table;
	contents->table = contents->next;
	contents->next = old;
	table_clear(&contents->next);
	if (status != STATUS_OK)
		table_clear(&contents->table);
	return status;
}

static const struct extent *extent_of(struct contents *contents, uint64_t address)
{
	const struct page_table *table = &contents->table;
	size_t low = 0, high = table->extents_length;
	const struct extent *last = &table->extents[contents->last_extent];
	if (contents->last_extent < high && address >= last->start && address < last->end)
		return last;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (table->extents[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == table->extents_length || table->extents[low].start > address)
		return NULL;
	contents->last_extent = low;
	return &table->extents[low];
}

const struct page *table_find(struct contents *contents, uint64_t address)
{
	const struct extent *extent = extent_of(contents, address);
	return extent ? &contents->table.pages[extent->page + (address - extent->start) / PAGE] : NULL;
}

bool table_word(struct contents *contents, uint64_t address, uint64_t *word)
{
	const struct page *page = address % sizeof *word ? NULL : table_find(contents, address);
	if (!page || !page->bytes)
		return false;
	memcpy(word, page->bytes->at + address % PAGE, sizeof *word);
	return true;
}
