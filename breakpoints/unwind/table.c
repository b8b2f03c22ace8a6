#include "breakpoints/unwind/table.h"
#include <string.h>

/*
 * .eh_frame_hdr, as the Linux Standard Base describes it: version, the encodings of what follows, the address of .eh_frame, the
 * number of entries, and these, in ascending order, as pairs of 32 bits relative to the section.
 */

#define VERSION 1

/* Encodings of pointers: how long a value is, and what it is relative to. */
enum {
	ENCODED_UDATA2 = 0x02,
	ENCODED_UDATA4 = 0x03,
	ENCODED_UDATA8 = 0x04,
	ENCODED_SDATA2 = 0x0a,
	ENCODED_SDATA4 = 0x0b,
	ENCODED_SDATA8 = 0x0c,
	ENCODED_FORMAT = 0x0f,
	ENCODED_DATA_RELATIVE = 0x30,
	ENCODED_OMITTED = 0xff,
};

struct header {
	uint8_t version, eh_frame, count, table; /* the version, and encodings */
};

bool unwind_table_bytes(const struct unwind_table *table, uint64_t address, void *to, size_t size)
{
	size_t rest;
	const uint8_t *bytes = file_segments_find(table->segments, table->segments_length, address, &rest);
	if (!bytes || rest < size)
		return false;
	memcpy(to, bytes, size);
	return true;
}

/* How many bytes a value takes; 0: it isn't known before it is read. */
static size_t encoded_size(uint8_t encoding)
{
	if (encoding == ENCODED_OMITTED)
		return 0;
	switch (encoding & ENCODED_FORMAT) {
	case ENCODED_UDATA2:
	case ENCODED_SDATA2:
		return 2;
	case ENCODED_UDATA4:
	case ENCODED_SDATA4:
		return 4;
	case 0:
	case ENCODED_UDATA8:
	case ENCODED_SDATA8:
		return 8;
	default:
		return 0;
	}
}

static bool is_plain_count(uint8_t encoding)
{
	return encoding == ENCODED_UDATA2 || encoding == ENCODED_UDATA4 || encoding == ENCODED_UDATA8;
}

bool unwind_table_read(struct unwind_table *table, struct address_range range)
{
	struct header header;
	uint64_t length = 0, at = range.low + sizeof(header);
	table->length = 0;
	if (range.high <= range.low || !unwind_table_bytes(table, range.low, &header, sizeof(header)) ||
	    header.version != VERSION || header.table != (ENCODED_DATA_RELATIVE | ENCODED_SDATA4) ||
	    !encoded_size(header.eh_frame) || !is_plain_count(header.count))
		return false;
	at += encoded_size(header.eh_frame);
	if (!unwind_table_bytes(table, at, &length, encoded_size(header.count)))
		return false;
	at += encoded_size(header.count);
	if (at > range.high || length > (range.high - at) / sizeof(struct unwind_pair))
		return false;
	table->base = range.low;
	table->entries = at;
	table->length = length;
	return length > 0;
}

static bool read_pair(const struct unwind_table *table, uint64_t i, struct unwind_pair *pair)
{
	return unwind_table_bytes(table, table->entries + i * sizeof(*pair), pair, sizeof(*pair));
}

bool unwind_table_find(const struct unwind_table *table, uint64_t address, struct unwind_entry *entry)
{
	int64_t sought = (int64_t)(address - table->base);
	uint64_t low = 0, high = table->length;
	struct unwind_pair pair;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;
		if (!read_pair(table, middle, &pair))
			return false;
		if (sought < pair.code)
			high = middle;
		else
			low = middle + 1;
	}
	if (high == 0 || !read_pair(table, high - 1, &pair))
		return false;
	entry->at = table->entries + (high - 1) * sizeof(pair);
	entry->fde = table->base + (uint64_t)(int64_t)pair.fde;
	return true;
}
