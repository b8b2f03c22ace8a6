#include "breakpoints/stubs/door.h"
#include <string.h>

#define COMPARE_BYTES 7 /* cmp range(%rip), %r11 */
#define BRANCH_BYTES  2 /* jb */

_Static_assert(DOOR_TRAP == 4 + DOOR_RANGES * 2 * (COMPARE_BYTES + BRANCH_BYTES),
	       "what door_encode() writes");

/* cmp word(%rip), %r11 at address `at` */
static void encode_compare(uint64_t at, uint64_t word, uint8_t code[COMPARE_BYTES])
{
	int32_t displacement = (int32_t)(int64_t)(word - (at + COMPARE_BYTES));
	memcpy(code, "\x4c\x3b\x1d", 3);
	memcpy(code + 3, &displacement, sizeof(displacement));
}

static void encode_branch(size_t distance, uint8_t code[BRANCH_BYTES])
{
	code[0] = 0x72;
	code[1] = (uint8_t)distance;
}

void door_encode(uint64_t at, uint64_t ranges, uint8_t door[DOOR_BYTES])
{
	size_t offset = 4;
	memcpy(door, "\x4c\x8b\x1c\x24", 4); /* mov (%rsp), %r11 */
	for (size_t i = 0; i < DOOR_RANGES; i++) {
		uint64_t low = ranges + i * sizeof(struct range);
		encode_compare(at + offset, low + offsetof(struct range, low), door + offset);
		offset += COMPARE_BYTES;
		encode_branch(COMPARE_BYTES + BRANCH_BYTES, door + offset); /* below: not this range */
		offset += BRANCH_BYTES;
		encode_compare(at + offset, low + offsetof(struct range, high), door + offset);
		offset += COMPARE_BYTES;
		encode_branch(DOOR_BYTES - offset - BRANCH_BYTES, door + offset); /* below: over the trap */
		offset += BRANCH_BYTES;
	}
	door[offset] = 0xcc;
}

/*
 * Of the last range's two branches the one that goes over the trap becomes its opposite, to the lead; the one that goes to the trap, for
 * addresses below the range, goes there as well, and what is over goes on right after the door.
 */
void door_lead(uint8_t door[DOOR_BYTES], size_t distance, uint32_t number, uint64_t address,
	       uint8_t lead[DOOR_LEAD_BYTES])
{
	const size_t last = DOOR_TRAP - BRANCH_BYTES, below = last - COMPARE_BYTES - BRANCH_BYTES;
	door[below + 1] = (uint8_t)(DOOR_BYTES + distance - (below + BRANCH_BYTES));
	door[last] = 0x73; /* jae */
	door[last + 1] = (uint8_t)(DOOR_BYTES + distance - DOOR_TRAP);
	door[DOOR_TRAP] = 0x90;	     /* nop */
	memcpy(lead, "\x41\xbb", 2); /* mov $number, %r11d */
	memcpy(lead + 2, &number, sizeof(number));
	memcpy(lead + 6, "\xff\x25\x00\x00\x00\x00", 6); /* jmp *0(%rip) */
	memcpy(lead + 12, &address, sizeof(address));
}
