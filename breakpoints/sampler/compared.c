/* Strings that one instruction compares or searches: how far it comes depends on what is there. */
#include "breakpoints/sampler/sampler_state.h"

#include <string.h>

#define LONGEST 65536 /* elements */
#define REPEATS_WHILE_EQUAL 0xf3
#define REPEATS_UNTIL_EQUAL 0xf2
#define DIRECTION_FLAG	    (1u << 10)

struct comparison {
	const struct target *target;
	uint64_t one, other; /* addresses; other: 0: what is searched for is in a register */
	uint64_t sought;
	size_t bytes; /* of an element */
	bool down;
};

static bool read_element(const struct comparison *comparison, uint64_t from, uint64_t i, uint64_t *element)
{
	const uint64_t distance = i * comparison->bytes;
	*element = 0;
	return target_read(comparison->target, comparison->down ? from - distance : from + distance, element,
			   comparison->bytes) == STATUS_OK;
}

/* False: one of them can't be read. */
static bool compare(const struct comparison *comparison, uint64_t i, bool *equal)
{
	uint64_t one, other = 0;
	memcpy(&other, &comparison->sought, comparison->bytes);
	if (!read_element(comparison, comparison->one, i, &one) ||
	    (comparison->other && !read_element(comparison, comparison->other, i, &other)))
		return false;
	*equal = one == other;
	return true;
}

static uint64_t elements_compared(const struct comparison *comparison, uint64_t count, bool while_equal)
{
	bool equal = while_equal;
	uint64_t i = 0;
	while (i < count && i < LONGEST && equal == while_equal && compare(comparison, i, &equal))
		i++;
	return i;
}

bool compared_whole(const struct target *target, const uint8_t code[TOUCHED_CODE],
		    const struct user_regs_struct *regs, struct touched *at, size_t length)
{
	struct instruction parsed;
	if (length == 0 || (code[0] != REPEATS_WHILE_EQUAL && code[0] != REPEATS_UNTIL_EQUAL) ||
	    !instruction_parse(code, TOUCHED_CODE, 0, &parsed) || parsed.map != MAP_ONE || parsed.vector)
		return true;
	const uint8_t opcode = parsed.code[parsed.opcode];
	const bool compares = opcode == 0xa6 || opcode == 0xa7, scans = opcode == 0xae || opcode == 0xaf;
	if (!(compares && length == 2) && !(scans && length == 1))
		return true;
	const struct comparison comparison = {.target = target,
					      .one = at[0].address,
					      .other = compares ? at[1].address : 0,
					      .sought = regs->rax,
					      .bytes = at[0].size,
					      .down = regs->eflags & DIRECTION_FLAG};
	const uint64_t elements =
	    elements_compared(&comparison, regs->rcx, code[0] == REPEATS_WHILE_EQUAL);
	for (size_t i = 0; i < length && elements > 1; i++) {
		at[i].size *= elements;
		at[i].address -= comparison.down ? (elements - 1) * comparison.bytes : 0;
	}
	return elements < LONGEST;
}
