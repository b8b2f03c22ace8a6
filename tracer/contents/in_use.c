/* What of a target's memory is in use. */
#include "tracer/contents/contents.h"

/* The pages of a mapping that lie wholly between these addresses. */
static void add_pages(const struct contents *contents, size_t mapping, uint64_t low, uint64_t high,
		      struct lanes *sum)
{
	const struct page_table *table = &contents->table;
	for (size_t i = 0; i < table->extents_length; i++) {
		const struct extent *extent = &table->extents[i];
		for (uint64_t at = extent->start; extent->mapping == mapping && at < extent->end; at += PAGE)
			if (at >= low && at + PAGE <= high)
				lanes_add(sum, table->pages[extent->page + (at - extent->start) / PAGE].hash);
	}
}

/* Its place is the one of others, too: then it is hashed again. */
static struct page_part *part_of(struct contents *contents, uint64_t low)
{
	return &contents->parts[(low / PAGE * 31 + low / 8) % PAGE_PARTS];
}

/* A part of a page; false: it can't be read. */
static bool add_part(struct contents *contents, uint64_t low, uint64_t high, struct lanes *sum)
{
	uint8_t bytes[PAGE];
	const struct page *page = table_find(contents, low);
	const uint8_t *there = page && page->bytes ? page->bytes->at + low % PAGE : bytes;
	if (low >= high || !page)
		return true;
	struct page_part *part = part_of(contents, low);
	if (part->low != low || part->high != high || part->page.a != page->hash.a ||
	    part->page.b != page->hash.b) {
		if (there == bytes && target_read(contents->target, low, bytes, high - low) != STATUS_OK)
			return false;
		*part = (struct page_part){low, high, page->hash, hash_bytes(low, there, high - low)};
	}
	lanes_add(sum, part->hash);
	return true;
}

/* Of the mappings of stacks only what is in use, from the stack pointer to what libc has there. */
static bool add_stack(struct contents *contents, const struct contents_stack *stack, size_t mapping,
		      struct lanes *sum)
{
	const struct mapping *m = &contents->mappings[mapping];
	const uint64_t low = stack->low, high = stack->high < m->end ? stack->high : m->end;
	const uint64_t first = (low + PAGE - 1) / PAGE * PAGE, last = high / PAGE * PAGE;
	if (!low || low < m->start || low >= high)
		return true;
	lanes_mix(sum, low);
	add_pages(contents, mapping, first, last, sum);
	return add_part(contents, low, first < high ? first : high, sum) &&
	       (last < first || add_part(contents, last, high, sum));
}

/* The stack in this mapping, of a thread that is there or gone; NULL: it is none. */
static const struct contents_stack *stack_in(const struct contents_stack stacks[], size_t length,
					     const struct mapping *mapping, size_t *from)
{
	for (; *from < length; ++*from) {
		const struct contents_stack *stack = &stacks[*from];
		const uint64_t inside = stack->low ? stack->low : stack->high;
		if (inside >= mapping->start && inside < mapping->end)
			return stack;
	}
	return NULL;
}

static const struct heap *heap_in(const struct contents *contents, size_t mapping)
{
	for (size_t i = 0; i < contents->heaps_length; i++)
		if (contents->heaps[i].mapping == mapping)
			return &contents->heaps[i];
	return NULL;
}

static bool add_mapping(struct contents *contents, size_t i, const struct contents_stack stacks[],
			size_t length, struct lanes *sum)
{
	const struct mapping *mapping = &contents->mappings[i];
	const struct contents_stack *stack;
	const struct heap *heap = heap_in(contents, i);
	size_t at = 0;
	bool good = true;
	if (mapping->kind == MAPPING_LIBRARY)
		return true;
	if (mapping->kind == MAPPING_STACK || stack_in(stacks, length, mapping, &at)) {
		for (at = 0; good && (stack = stack_in(stacks, length, mapping, &at)); at++)
			good = add_stack(contents, stack, i, sum);
		return good;
	}
	if (heap)
		heap_sum(contents, heap, sum);
	else
		add_pages(contents, i, mapping->start, mapping->end, sum);
	return true;
}

enum status contents_state(struct contents *contents, const struct contents_stack stacks[], size_t length,
			   uint64_t digest[2])
{
	struct lanes sum = {0, 0};
	contents->keeps = true;
	enum status status = table_refresh(contents);
	if (status == STATUS_OK && !heaps_find(contents))
		status = STATUS_NO_MEMORY;
	if (status == STATUS_OK) {
		malloc_lists_read(contents, stacks, length);
		heaps_free_listed(contents);
	}
	for (size_t i = 0; i < contents->mappings_length && status == STATUS_OK; i++)
		if (!add_mapping(contents, i, stacks, length, &sum))
			status = STATUS_GONE;
	digest[0] = sum.a;
	digest[1] = sum.b;
	return status;
}

/* Of one part the pages that lie wholly in it, and what there is of others at its ends. */
static bool add_range(struct contents *contents, const struct contents_part *part, struct lanes *sum)
{
	const uint64_t low = part->address, high = low + part->size;
	const uint64_t first = (low + PAGE - 1) / PAGE * PAGE, last = high / PAGE * PAGE;
	if (first > last)
		return add_part(contents, low, high, sum);
	for (uint64_t at = first; at < last; at += PAGE) {
		const struct page *page = table_find(contents, at);
		if (page)
			lanes_add(sum, page->hash);
	}
	return add_part(contents, low, first, sum) && add_part(contents, last, high, sum);
}

enum status contents_parts(struct contents *contents, const struct contents_part parts[], size_t length,
			   uint64_t digest[2])
{
	struct lanes sum = {0, 0};
	contents->keeps = true;
	enum status status = table_refresh(contents);
	for (size_t i = 0; i < length && status == STATUS_OK; i++)
		if (!add_range(contents, &parts[i], &sum))
			status = STATUS_GONE;
	digest[0] = sum.a;
	digest[1] = sum.b;
	return status;
}
