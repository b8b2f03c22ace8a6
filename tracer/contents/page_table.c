#include "tracer/contents/contents.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

/*
 * A refresh makes the table anew from what the kernel tells to be there, takes over what hasn't been written, and reads the rest. Who asks for
 * bytes gets pages of it that are as old as the last refresh.
 */

#define MANY_READ 2000 /* pages: then it pays to have them tracked */

void table_clear(struct page_table *table)
{
	for (size_t i = 0; i < table->pages_length; i++)
		page_bytes_drop(&table->pages[i].bytes);
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
	return (known && !written && !needs_bytes(contents, &next->pages[i])) || unread_add(contents, i, at);
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
	const enum status status = regions_of(contents, m);
	for (size_t i = 0; status == STATUS_OK && i < contents->found.length; i++)
		if (!add_region(contents, &contents->found.at[i], mapping, true, old))
			return STATUS_NO_MEMORY;
	if (status == STATUS_OK && contents->found.length > 0 && contents->tracking >= 0)
		tracking_add(contents, m);
	return status;
}

/* A walk along the extents of a table, by regions in ascending order. */
struct walk {
	size_t extent;
	uint64_t at; /* up to here it has come in this extent; 0: it begins */
};

/* The region's next part that lies in one extent, and goes on from where the walk has come to; false: it doesn't. */
static bool walk_part(const struct page_table *table, struct walk *walk, struct page_region *left,
		      struct page_region *part)
{
	const struct extent *extent = &table->extents[walk->extent];
	if (walk->extent == table->extents_length || left->start != (walk->at ? walk->at : extent->start))
		return false;
	*part = *left;
	part->end = left->end < extent->end ? left->end : extent->end;
	left->start = walk->at = part->end;
	if (walk->at == extent->end)
		*walk = (struct walk){walk->extent + 1, 0};
	return true;
}

/* Are there just the pages that the table has, all tracked? */
static bool has_same_pages(const struct contents *contents)
{
	struct walk walk = {0, 0};
	struct page_region part;
	for (size_t i = 0; i < contents->tracked.length; i++)
		for (struct page_region left = contents->tracked.at[i]; left.start < left.end;)
			if (!walk_part(&contents->table, &walk, &left, &part))
				return false;
	return walk.extent == contents->table.extents_length;
}

/* In mappings without pages there are none still: they may be others than before. */
static bool has_same_mappings(struct contents *contents)
{
	const size_t length = contents->mappings_length;
	size_t extent = 0;
	if (!contents->unchanged && length != contents->before_length)
		return false;
	for (size_t m = 0; m < length; m++) {
		if (!contents->unchanged && !mapping_equal(&contents->mappings[m], &contents->before[m]))
			return false;
		const size_t first = extent;
		while (extent < contents->table.extents_length &&
		       contents->table.extents[extent].mapping == m)
			extent++;
		if (extent == first &&
		    (regions_of(contents, &contents->mappings[m]) != STATUS_OK || contents->found.length))
			return false;
	}
	return true;
}

/* The table as it is becomes the new one, in which what was written is to be read. */
static enum status keep_all(struct contents *contents)
{
	const struct page_table old = contents->next;
	struct walk walk = {0, 0};
	struct page_region part;
	contents->next = contents->table;
	contents->table = old;
	contents->unread_written = true;
	for (size_t i = 0; i < contents->tracked.length; i++) {
		struct page_region left = contents->tracked.at[i];
		while (left.start < left.end) {
			const struct extent *extent = &contents->next.extents[walk.extent];
			if (!walk_part(&contents->next, &walk, &left, &part))
				return STATUS_BUG;
			const size_t page = extent->page + (part.start - extent->start) / PAGE;
			for (uint64_t at = part.start; part.categories & PAGE_WRITTEN && at < part.end;
			     at += PAGE)
				if (!unread_add(contents, page + (at - part.start) / PAGE, at))
					return STATUS_NO_MEMORY;
		}
	}
	return STATUS_OK;
}

/* The new table, and which of its pages are to be read. */
static enum status find_all(struct contents *contents)
{
	size_t i = 0, old = 0;
	enum status status = regions_tracked(contents);
	contents->unread_length = 0;
	contents->unread_written = false;
	if (status == STATUS_OK && contents->tracking >= 0 && contents->kept == contents->keeps &&
	    has_same_pages(contents) && has_same_mappings(contents))
		return keep_all(contents);
	contents->sum_known = false;
	/* A stack may have grown. */
	if (status == STATUS_OK && contents->unchanged)
		status = mappings_read_again(contents);
	for (size_t m = 0; m < contents->mappings_length && status == STATUS_OK; m++) {
		bool any;
		status = add_tracked(contents, m, &i, &old, &any);
		if (status == STATUS_OK && !any)
			status = add_untracked(contents, m, &old);
	}
	return status;
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
		status = unread_read(contents);
	return status;
}

enum status table_refresh(struct contents *contents)
{
	contents->now++;
	contents->last_extent = 0;
	contents->sum_known &= contents->table.pages_length > 0;
	table_clear(&contents->next);
	enum status status = refresh(contents);
	const struct page_table old = contents->table;
	contents->table = contents->next;
	contents->next = old;
	table_clear(&contents->next);
	contents->kept = contents->keeps;
	if (status != STATUS_OK) {
		table_clear(&contents->table);
		contents->sum_known = contents->mappings_known = false;
	}
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
