/* Pages that are to be read: their digests, and their bytes if these are kept. */
#include "tracer/contents/contents.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

#define MOST_READ (UINT64_C(1) << 19) /* 2 GiB in use */

void page_bytes_drop(struct page_bytes **bytes)
{
	if (*bytes && --(*bytes)->owners == 0)
		free(*bytes);
	*bytes = NULL;
}

bool unread_add(struct contents *contents, size_t page, uint64_t at)
{
	if (!ARRAY_GROW(contents->unread, contents->unread_length, contents->unread_room) ||
	    !ARRAY_GROW(contents->unread_at, contents->unread_length, contents->unread_at_room))
		return false;
	contents->unread[contents->unread_length] = page;
	contents->unread_at[contents->unread_length++] = at;
	return true;
}

/* Its own bytes, to be written: other tables have what it had. */
static struct page_bytes *fresh_bytes(struct page *page)
{
	if (page->bytes && page->bytes->owners == 1)
		return page->bytes;
	page_bytes_drop(&page->bytes);
	page->bytes = malloc(sizeof *page->bytes);
	if (page->bytes)
		page->bytes->owners = 1;
	return page->bytes;
}

static bool take_in(struct contents *contents, size_t i, const uint8_t *bytes)
{
	struct page *page = &contents->next.pages[contents->unread[i]];
	lanes_subtract(&contents->sum, page->hash);
	page->hash = hash_bytes(contents->unread_at[i], bytes, PAGE);
	lanes_add(&contents->sum, page->hash);
	page->used_known = false;
	if (!contents->keeps || contents->unread[i] >= MOST_KEPT)
		return true;
	if (!fresh_bytes(page))
		return false;
	memcpy(page->bytes->at, bytes, PAGE);
	return true;
}

/* Pages that follow each other at once. */
static size_t run_of(const uint64_t *at, size_t length)
{
	size_t run = 1;
	while (run < length && at[run] == at[0] + run * PAGE)
		run++;
	return run;
}

/* By one call: process_vm_readv() pins what it reads, which is the process's own. */
static enum status read_written(struct contents *contents, const uint64_t *at, size_t length)
{
	struct iovec ranges[READ_AT_ONCE];
	size_t count = 0;
	for (size_t i = 0, run; i < length; i += run) {
		run = run_of(at + i, length - i);
		ranges[count++] = (struct iovec){(void *)(uintptr_t)at[i], run * PAGE};
	}
	return target_read_ranges(contents->target, ranges, count, contents->buffer);
}

/*
 * By the file of its memory: for the other call the kernel would copy each page that the process still shares with the one that it was copied
 * from.
 */
static enum status read_others(struct contents *contents, const uint64_t *at, size_t length)
{
	enum status status = STATUS_OK;
	for (size_t i = 0, run; i < length && status == STATUS_OK; i += run) {
		run = run_of(at + i, length - i);
		status = target_read(contents->target, at[i], contents->buffer + i * PAGE, run * PAGE);
	}
	return status;
}

static enum status read_some(struct contents *contents, size_t from, size_t length)
{
	const uint64_t *at = contents->unread_at + from;
	const enum status status = contents->unread_written && length > 1 ? read_written(contents, at, length)
									  : read_others(contents, at, length);
	if (status != STATUS_OK)
		return STATUS_GONE;
	contents->pages_read += length;
	for (size_t i = 0; i < length; i++)
		if (!take_in(contents, from + i, contents->buffer + i * PAGE))
			return STATUS_NO_MEMORY;
	return STATUS_OK;
}

enum status unread_read(struct contents *contents)
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
