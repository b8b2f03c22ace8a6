#include "breakpoints/unwind/description.h"
#include <fmc/tracer/array.h>
#include <string.h>

/* Where the entries are that were made: no process has memory there. */
#define MADE_AT (UINT64_C(1) << 63)

static int by_code(const void *a, const void *b)
{
	const struct unwind_pair *one = a, *other = b;
	return (one->code > other->code) - (one->code < other->code);
}

/* A distance that entries have room for. */
static bool fits(uint64_t address, uint64_t base, int32_t *distance)
{
	int64_t wide = (int64_t)(address - base);
	*distance = (int32_t)wide;
	return *distance == wide;
}

/* One more for the FDE at this address; what isn't one, or isn't understood, is left out. False: no memory. */
static bool add_pair(struct unwind_table *table, uint64_t fde, uint64_t *room)
{
	struct unwind_description description;
	struct unwind_pair pair;
	if (!unwind_describe(table, fde, &description) || !fits(description.low, table->base, &pair.code) ||
	    !fits(fde, table->base, &pair.fde))
		return true;
	if (!ARRAY_GROW(table->made, table->length, *room))
		return false;
	table->made[table->length++] = pair;
	return true;
}

bool unwind_table_make(struct unwind_table *table, struct address_range eh_frame)
{
	uint64_t room = 0, at = eh_frame.low;
	uint32_t length;
	bool memory = true;
	table->base = eh_frame.low;
	table->entries = MADE_AT;
	table->length = 0;
	while (memory && at < eh_frame.high && unwind_table_bytes(table, at, &length, sizeof(length)) &&
	       length && length <= eh_frame.high - at - sizeof(length)) {
		memory = add_pair(table, at, &room);
		at += sizeof(length) + length;
	}
	if (!memory || table->length == 0) {
		table->length = 0;
		return false;
	}
	qsort(table->made, table->length, sizeof(*table->made), by_code);
	table->segments[table->segments_length++] =
	    (struct file_segment){.low = MADE_AT,
				  .high = MADE_AT + table->length * sizeof(*table->made),
				  .bytes = (const uint8_t *)table->made};
	return true;
}
