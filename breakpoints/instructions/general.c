#include "breakpoints/instructions/general.h"

/* Opcodes, first and last: Intel SDM volume 2, appendix A. */
struct stretch {
	uint8_t first, last;
};

static const struct stretch one_byte[] = {
    {0x00, 0x05}, {0x08, 0x0d}, {0x10, 0x15}, {0x18, 0x1d}, {0x20, 0x25}, {0x28, 0x2d},
    {0x30, 0x35}, {0x38, 0x3d},		      /* arithmetic */
    {0x50, 0x5f},			      /* PUSH, POP */
    {0x63, 0x63}, {0x68, 0x6b},		      /* MOVSXD, PUSH, IMUL */
    {0x70, 0x81}, {0x83, 0x8b}, {0x8d, 0x8d}, /* jumps, arithmetic, TEST, XCHG, MOV, LEA */
    {0x90, 0x99}, {0xa8, 0xa9}, {0xb0, 0xc3}, {0xc6, 0xc7}, {0xc9, 0xc9}, /* ... RET, LEAVE */
    {0xd0, 0xd3}, {0xe8, 0xe9}, {0xeb, 0xeb}, {0xf6, 0xf7}, {0xfe, 0xff}, /* shifts, CALL, JMP, NOT to IDIV, INC, DEC */
};

static const struct stretch after_0f[] = {
    {0x18, 0x1f}, /* NOP, ENDBR64, PREFETCH */
    {0x40, 0x4f}, {0x80, 0x9f}, {0xa3, 0xa5}, {0xab, 0xad}, {0xaf, 0xb1},
    {0xb3, 0xb3}, {0xb6, 0xb7}, {0xba, 0xc1}, {0xc8, 0xcf}, /* CMOV, jumps, SET, bits, shifts, IMUL, CMPXCHG, MOVZX, XADD, BSWAP */
};

static bool is_in(const struct stretch *stretches, size_t length, uint8_t opcode)
{
	for (size_t i = 0; i < length; i++)
		if (opcode >= stretches[i].first && opcode <= stretches[i].last)
			return true;
	return false;
}

bool instruction_is_general(const struct instruction *instruction)
{
	const uint8_t opcode = instruction->code[instruction->opcode];
	/* LFENCE, MFENCE, SFENCE; in memory the same is state of the floating-point unit. */
	if (instruction->map == MAP_0F && opcode == 0xae)
		return !instruction->memory;
	if (instruction->vector || instruction->map > MAP_0F)
		return false;
	return instruction->map == MAP_ONE ? is_in(one_byte, sizeof one_byte / sizeof *one_byte, opcode)
					   : is_in(after_0f, sizeof after_0f / sizeof *after_0f, opcode);
}

enum stack_use instruction_takes(const struct instruction *instruction)
{
	const uint8_t opcode = instruction->code[instruction->opcode];
	if (instruction->map != MAP_ONE)
		return STACK_NOTHING;
	if (opcode == 0xc9)
		return STACK_AT_FRAME;
	return (opcode >= 0x58 && opcode <= 0x5f) || opcode == 0xc2 || opcode == 0xc3 ? STACK_AT_TOP
										      : STACK_NOTHING;
}
