#include "breakpoints/sampler/text.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

#define PAGE sizeof(((struct text_page *)0)->bytes)

void text_begin(struct text *text, struct target *target)
{
	*text = (struct text){.target = target};
}

/* The first that isn't below. */
static size_t position(const struct text *text, uint64_t number)
{
	size_t low = 0, high = text->length;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (text->at[middle]->number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static struct text_page *load(struct text *text, uint64_t number, size_t at)
{
	struct text_page *page = malloc(sizeof *page);
	if (!page || !ARRAY_DOUBLE(text->at, text->length)) {
		free(page);
		text->failed = true;
		return NULL;
	}
	page->number = number;
	page->changed = false;
	page->there = target_read(text->target, number * PAGE, page->bytes, PAGE) == STATUS_OK;
	memmove(text->at + at + 1, text->at + at, (text->length - at) * sizeof(text->at[0]));
	text->at[at] = page;
	text->length++;
	return page;
}

static struct text_page *page_of(struct text *text, uint64_t address)
{
	const uint64_t number = address / PAGE;
	if (text->last && text->last->number == number)
		return text->last;
	const size_t at = position(text, number);
	const bool known = at < text->length && text->at[at]->number == number;
	struct text_page *page = known ? text->at[at] : load(text, number, at);
	if (page)
		text->last = page;
	return page && page->there ? page : NULL;
}

/* How much of it is on the first page. */
static size_t part_of(uint64_t address, size_t size)
{
	const size_t left = PAGE - address % PAGE;
	return size < left ? size : left;
}

bool text_read(struct text *text, uint64_t address, uint8_t *bytes, size_t size)
{
	while (size > 0) {
		const struct text_page *page = page_of(text, address);
		const size_t part = part_of(address, size);
		if (!page)
			return false;
		memcpy(bytes, page->bytes + address % PAGE, part);
		address += part;
		bytes += part;
		size -= part;
	}
	return true;
}

static bool is_there(struct text *text, uint64_t address, size_t size)
{
	for (uint64_t at = address; at < address + size; at += part_of(at, address + size - at))
		if (!page_of(text, at))
			return false;
	return true;
}

bool text_write(struct text *text, uint64_t address, const uint8_t *bytes, size_t size)
{
	if (!is_there(text, address, size))
		return false;
	while (size > 0) {
		struct text_page *page = page_of(text, address);
		const size_t part = part_of(address, size);
		uint8_t *there = page->bytes + address % PAGE;
		page->changed |= memcmp(there, bytes, part) != 0;
		memcpy(there, bytes, part);
		address += part;
		bytes += part;
		size -= part;
	}
	return true;
}

void text_end(struct text *text)
{
	for (size_t i = 0; i < text->length; i++) {
		struct text_page *page = text->at[i];
		if (page->changed)
			(void)target_write(text->target, page->number * PAGE, page->bytes, PAGE);
		free(page);
	}
	free(text->at);
	*text = (struct text){0};
}
