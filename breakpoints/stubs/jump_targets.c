/* Where the direct jumps of a function may go, by its bytes alone (x86-64). */
#include "breakpoints/stubs/jump_targets.h"

#include <string.h>

/* The bytes from one on that may be a jump's opcode. */
struct bytes {
	const uint8_t *at;
	size_t left;
	uint64_t address;
};

/* jmp and the conditional jumps that have displacements of 8 bits, */
static bool begins_short(const struct bytes *bytes)
{
	return bytes->left >= 2 && (bytes->at[0] == 0xeb || (bytes->at[0] & 0xf0) == 0x70);
}

/* and those of 32 bits: the length of the opcode, 0 for none. */
static size_t begins_near(const struct bytes *bytes)
{
	if (bytes->at[0] == 0xe9)
		return 1;
	return bytes->left >= 2 && bytes->at[0] == 0x0f && (bytes->at[1] & 0xf0) == 0x80 ? 2 : 0;
}

static bool short_matters(const struct bytes *bytes, jump_target_matters *matters, void *context)
{
	const int8_t displacement = (int8_t)bytes->at[1];
	return matters(context, bytes->address + 2 + (uint64_t)(int64_t)displacement);
}

/* After an operand size prefix the decoder takes the displacement for one of 16 bits. */
static bool near_matters(const struct bytes *bytes, size_t opcode, jump_target_matters *matters,
			 void *context)
{
	const uint64_t after = bytes->address + opcode;
	int16_t narrow;
	int32_t wide;
	if (bytes->left < opcode + sizeof narrow)
		return false;
	memcpy(&narrow, bytes->at + opcode, sizeof narrow);
	if (matters(context, after + sizeof narrow + (uint64_t)(int64_t)narrow))
		return true;
	if (bytes->left < opcode + sizeof wide)
		return false;
	memcpy(&wide, bytes->at + opcode, sizeof wide);
	return matters(context, after + sizeof wide + (uint64_t)(int64_t)wide);
}

bool jump_targets_may(const uint8_t *code, size_t size, uint64_t address, jump_target_matters *matters,
		      void *context)
{
	for (size_t i = 0; i < size; i++) {
		const struct bytes bytes = {code + i, size - i, address + i};
		const size_t opcode = begins_near(&bytes);
		if (opcode && near_matters(&bytes, opcode, matters, context))
			return true;
		if (begins_short(&bytes) && short_matters(&bytes, matters, context))
			return true;
	}
	return false;
}
