/* Numbers for what calls touch that are in the log: as an instruction has one, so has a short range by the place that it is told for. */
#include "breakpoints/sampler/sampler_state.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>

#define SLOTS (1u << 14)
#define MOST  (SLOTS / 2)

/* What a number stands for; without one, free. */
struct numbered_range {
	uint64_t place;
	uint32_t number;
	uint8_t bytes;
	bool writes;
};

struct ranges {
	struct numbered_range at[SLOTS]; /* open addressing */
	uint32_t length;
};

static struct numbered_range *slot_of(struct ranges *ranges, uint64_t place, uint8_t bytes, bool writes)
{
	uint64_t slot =
	    (place * 2 + writes) * UINT64_C(0x9e3779b97f4a7c15) + bytes * UINT64_C(0xff51afd7ed558ccd);
	struct numbered_range *range = &ranges->at[slot >> 40 & (SLOTS - 1)];
	while (range->number && (range->place != place || range->bytes != bytes || range->writes != writes))
		if (++range == ranges->at + SLOTS)
			range = ranges->at;
	return range;
}

static bool add(struct sampler *sampler, const struct touched *touched, struct numbered_range *range)
{
	struct ranges *ranges = sampler->ranges;
	if (ranges->length == MOST || sampler->numbered_length == STUB_NUMBERS - 1 ||
	    !ARRAY_DOUBLE(sampler->numbered, sampler->numbered_length))
		return false;
	sampler->numbered[sampler->numbered_length] = (struct numbered_site){.place = touched->place,
									     .bytes = (uint16_t)touched->size,
									     .writes = touched->write,
									     .entries = 1};
	*range = (struct numbered_range){touched->place, ++sampler->numbered_length, (uint8_t)touched->size,
					 touched->write};
	ranges->length++;
	return true;
}

void ranges_number(struct sampler *sampler, struct touched *touched)
{
	if (touched->size > RANGE_MOST || touched->frees || !sampler->ranges)
		return;
	struct numbered_range *range =
	    slot_of(sampler->ranges, touched->place, (uint8_t)touched->size, touched->write);
	if (range->number || add(sampler, touched, range))
		touched->site = range->number;
}

void ranges_begin(struct sampler *sampler)
{
	if (!sampler->ranges)
		sampler->ranges = calloc(1, sizeof(*sampler->ranges));
}

void ranges_forget(struct sampler *sampler)
{
	free(sampler->ranges);
	sampler->ranges = NULL;
}
