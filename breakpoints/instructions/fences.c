#include "breakpoints/instructions/fences.h"
#include "breakpoints/instructions/direction.h"

#include <stddef.h>

static bool is_among(uint8_t opcode, const uint8_t *list, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (list[i] == opcode)
			return true;
	return false;
}

#define AMONG(opcode, ...)                                                                                   \
	is_among(opcode, (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__}))

static uint8_t group_of(const struct instruction *instruction)
{
	return instruction->modrm ? instruction->code[instruction->modrm] >> 3 & 7 : 0;
}

/* Interrupts, input and output, HLT, IRET; XBEGIN and XABORT. XCHG with memory locks, whatever its prefixes. */
static bool waits_in_map_one(const struct instruction *instruction, uint8_t opcode)
{
	return AMONG(opcode, 0x6c, 0x6d, 0x6e, 0x6f, 0xcc, 0xcd, 0xce, 0xcf, 0xe4, 0xe5, 0xe6, 0xe7, 0xec,
		     0xed, 0xee, 0xef, 0xf1, 0xf4) ||
	       (AMONG(opcode, 0xc6, 0xc7) && !instruction->memory) ||
	       (AMONG(opcode, 0x86, 0x87) && instruction->memory);
}

/* System calls, CPUID, groups of the system's, MFENCE and its kin, CLFLUSH. LFENCE and SFENCE don't wait for stores. */
static bool waits_in_map_0f(const struct instruction *instruction, uint8_t opcode)
{
	const uint8_t group = group_of(instruction);
	if (opcode == 0xae)
		return group == 6 || (group == 7 && instruction->memory);
	return (opcode <= 0x09 && opcode != 0x02 && opcode != 0x03) || (opcode >= 0x20 && opcode <= 0x23) ||
	       AMONG(opcode, 0x30, 0x34, 0x35, 0x37, 0xa2, 0xaa);
}

/* Stores that have no ModRM, string instructions, ENTER; PUSH of a segment, MASKMOVQ. */
static bool is_untold(const struct instruction *instruction, uint8_t opcode)
{
	if (instruction->map == MAP_ONE && !instruction->vector)
		return AMONG(opcode, 0xa2, 0xa3, 0xa4, 0xa5, 0xa6, 0xa7, 0xaa, 0xab, 0xc8);
	return instruction->map == MAP_0F &&
	       (AMONG(opcode, 0xa0, 0xa8) || (opcode == 0xf7 && !instruction->memory));
}

static bool is_push(const struct instruction *instruction, uint8_t opcode)
{
	const uint8_t group = group_of(instruction);
	return instruction->map == MAP_ONE && !instruction->vector &&
	       ((opcode >= 0x50 && opcode <= 0x57) || AMONG(opcode, 0x68, 0x6a, 0x9c, 0xe8) ||
		(opcode == 0xff && (group == 2 || group == 6)));
}

/* A prefix by which a push is of two bytes. */
static bool is_short(const struct instruction *instruction)
{
	return is_among(0x66, instruction->code, instruction->opcode);
}

/* Whose operand in memory is what it writes, or may be, of all that have an EVEX prefix. */
static bool is_evex_store(const struct instruction *instruction, uint8_t opcode)
{
	switch (instruction->map) {
	case MAP_0F:
		return AMONG(opcode, 0x11, 0x13, 0x17, 0x29, 0x2b, 0x7e, 0x7f, 0xd6, 0xe7);
	case MAP_0F38:
		return ((opcode & 0x0f) <= 5 && opcode >= 0x10 && opcode <= 0x35) ||
		       AMONG(opcode, 0x63, 0x8a, 0x8b, 0xa0, 0xa1, 0xa2, 0xa3);
	case MAP_0F3A:
		return AMONG(opcode, 0x14, 0x15, 0x16, 0x17, 0x19, 0x1b, 0x1d, 0x39, 0x3b);
	default:
		return true;
	}
}

static bool is_evex(const struct instruction *instruction)
{
	return instruction->vector && instruction->opcode >= 4 &&
	       instruction->code[instruction->opcode - 4] == 0x62;
}

enum fencing instruction_fencing(const struct instruction *instruction)
{
	const uint8_t opcode = instruction->code[instruction->opcode];
	if (instruction->lock ||
	    (instruction->map == MAP_ONE && !instruction->vector && waits_in_map_one(instruction, opcode)) ||
	    (instruction->map == MAP_0F && waits_in_map_0f(instruction, opcode)))
		return FENCING_WAITS;
	if (is_untold(instruction, opcode))
		return FENCING_UNTOLD;
	if (is_push(instruction, opcode))
		return is_short(instruction) ? FENCING_UNTOLD : FENCING_PUSH;
	if (!instruction->memory || (is_evex(instruction) && !is_evex_store(instruction, opcode)))
		return FENCING_NONE;
	switch (instruction_direction(instruction)) {
	case DIRECTION_READ:
	case DIRECTION_NONE:
		return FENCING_NONE;
	case DIRECTION_WRITE:
	case DIRECTION_BOTH:
		return FENCING_STORE;
	default:
		return FENCING_UNTOLD;
	}
}
