#include "breakpoints/instructions/direction.h"

/* Intel's manual, volume 2, appendix A: opcode maps. ModRM's middle bits number the instructions of a group. */

#define R DIRECTION_READ
#define W DIRECTION_WRITE
#define B DIRECTION_BOTH
#define N DIRECTION_NONE
#define U DIRECTION_UNTOLD

static uint8_t group_of(const struct instruction *instruction)
{
	return instruction->code[instruction->modrm] >> 3 & 7;
}

/* Is this among the prefixes? */
static bool has_prefix(const struct instruction *instruction, uint8_t prefix)
{
	for (uint8_t i = 0; i < instruction->opcode; i++)
		if (instruction->code[i] == prefix)
			return true;
	return false;
}

/* The x87 unit's eight opcodes from d8 on, of each the eight of its group. */
static enum direction of_x87(uint8_t opcode, uint8_t group)
{
	static const uint8_t table[8][8] = {
	    {R, R, R, R, R, R, R, R}, {R, N, W, W, R, R, W, W}, {R, R, R, R, R, R, R, R},
	    {R, W, W, W, N, R, N, W}, {R, R, R, R, R, R, R, R}, {R, W, W, W, R, N, W, W},
	    {R, R, R, R, R, R, R, R}, {R, W, W, W, R, R, W, W},
	};
	return (enum direction)table[opcode - 0xd8][group];
}

/* Opcodes f6, f7, fe, ff. */
static enum direction of_last_groups(uint8_t opcode, uint8_t group)
{
	if (opcode <= 0xf7)
		return group == 2 || group == 3 ? B : R;
	return group <= 1 ? B : R;
}

static enum direction of_one_byte(uint8_t opcode, uint8_t group)
{
	if (opcode < 0x40)
		return (opcode & 7) <= 1 && opcode < 0x38 ? B : R;
	if (opcode >= 0xd8 && opcode <= 0xdf)
		return of_x87(opcode, group);
	if (opcode >= 0xf6)
		return of_last_groups(opcode, group);
	switch (opcode) {
	case 0x80:
	case 0x81:
	case 0x83:
		return group == 7 ? R : B;
	case 0x86:
	case 0x87:
	case 0xc0:
	case 0xc1:
	case 0xd0:
	case 0xd1:
	case 0xd2:
	case 0xd3:
		return B;
	case 0x88:
	case 0x89:
	case 0x8c:
	case 0x8f:
	case 0xc6:
	case 0xc7:
		return W;
	case 0x63:
	case 0x69:
	case 0x6b:
	case 0x84:
	case 0x85:
	case 0x8a:
	case 0x8b:
	case 0x8e:
		return R;
	default:
		return N;
	}
}

/* Opcode 0f ae: states of the vector units, and hints. */
static enum direction of_states(uint8_t group)
{
	static const uint8_t table[8] = {W, R, R, W, U, U, U, N};
	return (enum direction)table[group];
}

static enum direction of_0f(const struct instruction *instruction, uint8_t opcode, uint8_t group)
{
	if (opcode >= 0x90 && opcode <= 0x9f && !instruction->vector)
		return W;
	switch (opcode) {
	case 0x11:
	case 0x13:
	case 0x17:
	case 0x29:
	case 0x2b:
	case 0x7f:
	case 0xc3:
	case 0xd6:
	case 0xe7:
		return W;
	case 0x7e: /* f3: movq to a register */
		return has_prefix(instruction, 0xf3) ? R : W;
	case 0xa4:
	case 0xa5:
	case 0xac:
	case 0xad:
	case 0xb0:
	case 0xb1:
	case 0xc0:
	case 0xc1:
		return B;
	case 0xa3: /* bits anywhere after the operand's address, as a register says */
	case 0xab:
	case 0xb3:
	case 0xbb:
		return U;
	case 0xba:
		return group == 4 ? R : B;
	case 0xc7:
		return group == 1 ? B : U;
	case 0xae:
		return of_states(group);
	case 0x0d: /* hints */
		return N;
	default: /* instructions of systems come first */
		if (opcode < 0x10 || opcode == 0x78 || opcode == 0x79)
			return U;
		return opcode >= 0x18 && opcode <= 0x1f ? N : R;
	}
}

static enum direction of_0f38(const struct instruction *instruction, uint8_t opcode)
{
	switch (opcode) {
	case 0x2c: /* masked moves */
	case 0x2d:
	case 0x2e:
	case 0x2f:
	case 0x8c:
	case 0x8e:
	case 0x90: /* gathers */
	case 0x91:
	case 0x92:
	case 0x93:
		return U;
	case 0xf1: /* f2: crc32 */
		return has_prefix(instruction, 0xf2) ? R : W;
	case 0xf5:
	case 0xf6:
		return instruction->vector || opcode == 0xf6 ? R : W;
	case 0xf8:
	case 0xf9:
		return opcode == 0xf9 ? W : U;
	default:
		return R;
	}
}

static enum direction of_0f3a(uint8_t opcode)
{
	switch (opcode) {
	case 0x14:
	case 0x15:
	case 0x16:
	case 0x17:
	case 0x19:
	case 0x1b:
	case 0x1d:
	case 0x39:
	case 0x3b:
		return W;
	default:
		return R;
	}
}

/* The prefixes of vector instructions hold what others have as bytes of their own: 0 none, 1 66, 2 f3, 3 f2. */
static uint8_t vector_prefix(const struct instruction *instruction)
{
	return instruction->code[instruction->opcode - 1] & 3;
}

static enum direction of_vector(const struct instruction *instruction, uint8_t opcode, uint8_t group)
{
	if (instruction->map == MAP_0F && opcode == 0x7e)
		return vector_prefix(instruction) == 2 ? R : W;
	if (instruction->map == MAP_0F)
		return of_0f(instruction, opcode, group);
	if (instruction->map == MAP_0F38)
		return of_0f38(instruction, opcode);
	return instruction->map == MAP_0F3A ? of_0f3a(opcode) : U;
}

/*
 * Of EVEX only what moves whole registers: masks, scattered and narrowed stores make the rest hard to tell. The third byte of
 * the prefix has the mask register and whether one element is taken for all.
 */
static enum direction of_evex(const struct instruction *instruction, uint8_t opcode)
{
	bool masked = instruction->code[instruction->opcode - 1] & 0x17;
	bool moves = opcode == 0x10 || opcode == 0x11 || opcode == 0x28 || opcode == 0x29 || opcode == 0x6f ||
		     opcode == 0x7f || opcode == 0xe7;
	if (masked || instruction->map != MAP_0F || !moves)
		return U;
	return opcode == 0x10 || opcode == 0x28 || opcode == 0x6f ? R : W;
}

enum direction instruction_direction(const struct instruction *instruction)
{
	if (!instruction->memory)
		return N;
	uint8_t opcode = instruction->code[instruction->opcode], group = group_of(instruction);
	if (instruction->vector) {
		bool evex = instruction->opcode >= 4 && instruction->code[instruction->opcode - 4] == 0x62;
		return evex ? of_evex(instruction, opcode) : of_vector(instruction, opcode, group);
	}
	switch (instruction->map) {
	case MAP_ONE:
		return of_one_byte(opcode, group);
	case MAP_0F:
		return of_0f(instruction, opcode, group);
	case MAP_0F38:
		return of_0f38(instruction, opcode);
	case MAP_0F3A:
		return of_0f3a(opcode);
	default:
		return N;
	}
}
