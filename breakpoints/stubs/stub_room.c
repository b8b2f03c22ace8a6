#include "breakpoints/stubs/stub_room.h"

#include <stdlib.h>

#define WORD_BITS 64

bool stub_room_add(struct stub_room *room, uint64_t low, uint64_t high)
{
	if (room->length == STUB_RANGES)
		return false;
	/* Only what is used is touched: most of it stays without memory. */
	uint64_t *used = calloc((high - low) / STUB_GRANULE / WORD_BITS + 1, sizeof *used);
	if (!used)
		return false;
	room->at[room->length++] = (struct stub_range){low, high, used};
	return true;
}

void stub_room_release(struct stub_room *room)
{
	for (size_t i = 0; i < room->length; i++)
		free(room->at[i].used);
	*room = (struct stub_room){0};
}

static bool is_used(const struct stub_range *range, uint64_t granule)
{
	return range->used[granule / WORD_BITS] >> granule % WORD_BITS & 1;
}

/* Of the bytes from `at` on: the last granule that is used already; false: all are free. */
static bool last_used(const struct stub_range *range, uint64_t at, size_t size, uint64_t *granule)
{
	const uint64_t first = (at - range->low) / STUB_GRANULE;
	for (uint64_t i = (at + size - 1 - range->low) / STUB_GRANULE + 1; i-- > first;)
		if (is_used(range, i)) {
			*granule = i;
			return true;
		}
	return false;
}

static void use(struct stub_range *range, uint64_t at, size_t size)
{
	const uint64_t last = (at + size - 1 - range->low) / STUB_GRANULE;
	for (uint64_t i = (at - range->low) / STUB_GRANULE; i <= last; i++)
		range->used[i / WORD_BITS] |= UINT64_C(1) << i % WORD_BITS;
}

/* The first place in the range whose first byte is from `low` to `high`. */
static bool take_in(struct stub_range *range, uint64_t low, uint64_t high, size_t size, uint64_t *at)
{
	uint64_t granule;
	if (range->high - range->low < size || high < range->low || low > range->high - size)
		return false;
	if (low < range->low)
		low = range->low;
	if (high > range->high - size)
		high = range->high - size;
	for (uint64_t place = low; place <= high; place = range->low + (granule + 1) * STUB_GRANULE)
		if (!last_used(range, place, size, &granule)) {
			use(range, place, size);
			*at = place;
			return true;
		}
	return false;
}

/* How many of the lower bytes are free. */
static unsigned free_below(const struct displacement *displacement)
{
	unsigned n = 0;
	while (n < 4 && !(displacement->given >> n & 1))
		n++;
	return n;
}

/*
 * Count on in the bytes that are free and not among the lower `skip`, the highest first: it decides whether there is any memory.
 * False: all have been counted.
 */
static bool count_up(uint8_t bytes[4], uint8_t given, unsigned skip)
{
	for (unsigned k = 4; k-- > skip;)
		if (!(given >> k & 1) && ++bytes[k] != 0)
			return true;
	return false;
}

static uint32_t word_of(const uint8_t bytes[4])
{
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

bool stub_room_take(struct stub_room *room, uint64_t next, const struct displacement *displacement,
		    size_t entry, size_t size, uint64_t *at)
{
	const unsigned skip = free_below(displacement);
	uint8_t bytes[4] = {0};
	for (unsigned k = 0; k < 4; k++)
		if (displacement->given >> k & 1)
			bytes[k] = displacement->bytes[k];
	do {
		const int64_t low = skip < 4 ? (int32_t)word_of(bytes) : INT32_MIN;
		const int64_t span = (INT64_C(1) << 8 * skip) - 1;
		for (size_t i = 0; i < room->length; i++)
			if (take_in(&room->at[i], next + (uint64_t)low - entry,
				    next + (uint64_t)(low + span) - entry, size, at))
				return true;
	} while (count_up(bytes, displacement->given, skip));
	return false;
}
