/*
 * How large a block of musl's malloc is (mallocng, since 1.2.1). Blocks of one size lie in a group, whose first word leads to what is known of
 * it; right in front of a block is which one of the group it is, how far away the group begins, and how much of its slot isn't used.
 */
#include "breakpoints/sites/releasing.h"

#include <string.h>

#define UNIT  16
#define PAGE  4096
#define FRONT 8 /* bytes in front of a block that tell of it */
#define END   4 /* bytes at the end of a slot that do */
#define FAR_OFFSET                                                                                           \
	-4 /* this byte isn't 0: the offset, in units, is in 32 bits at -8, else in 16 bits at -2 */
#define INDEX_BITS	5
#define RESERVED_AT_END 5 /* unused bytes: this many or more are in the slot's last word */

/* Of a group. */
struct meta {
	uint64_t previous, next, group;
	uint32_t available, freed;
	uint64_t
	    shape; /* 5 bits: its last block's number, 1: may be freed, 6: class of sizes, then pages that it has mapped */
};

/* In units, by class. */
static const uint16_t sizes[] = {1,    2,    3,	   4,	 5,    6,    7,	   8,	 9,    10,   12,   15,
				 18,   20,   25,   31,	 36,   42,   50,   63,	 72,   84,   102,  127,
				 146,  170,  204,  255,	 292,  340,  409,  511,	 584,  682,  818,  1023,
				 1169, 1364, 1637, 2047, 2340, 2730, 3276, 4095, 4680, 5460, 6552, 8191};

/* Bytes from one block of the group to the next; 0: it is no such group. */
static uint64_t stride_of(const struct meta *meta, bool *mapped)
{
	const uint64_t last = meta->shape & 31, class = meta->shape >> 6 & 63, pages = meta->shape >> 12;
	*mapped = last == 0 && pages > 0;
	if (*mapped)
		return pages * PAGE - UNIT;
	return class < sizeof(sizes) / sizeof(sizes[0]) ? (uint64_t)UNIT * sizes[class] : 0;
}

static bool read_target(const struct target *target, uint64_t address, void *to, size_t size)
{
	return target_read(target, address, to, size) == STATUS_OK;
}

uint64_t releasing_group(const struct target *target, uint64_t block, bool *mapped)
{
	uint8_t front[FRONT];
	uint16_t near;
	uint32_t far, unused;
	uint64_t known;
	struct meta meta;
	*mapped = false;
	if (block % UNIT || !read_target(target, block - FRONT, front, sizeof(front)))
		return 0;
	memcpy(&far, front, sizeof(far));
	memcpy(&near, front + 6, sizeof(near));
	const uint64_t offset = front[FRONT + FAR_OFFSET] ? far : near;
	const uint64_t group = block - UNIT * offset - UNIT;
	const uint64_t index = front[5] & ((1u << INDEX_BITS) - 1);
	if (!read_target(target, group, &known, sizeof(known)) ||
	    !read_target(target, known, &meta, sizeof(meta)) || meta.group != group)
		return 0;
	const uint64_t stride = stride_of(&meta, mapped);
	const uint64_t end = group + UNIT + stride * (index + 1) - END;
	unused = front[5] >> INDEX_BITS;
	if (unused >= RESERVED_AT_END && !read_target(target, end - END, &unused, sizeof(unused)))
		return 0;
	return stride && end > block + unused && end - block <= stride ? end - block - unused : 0;
}
