#include "breakpoints/instructions/flags.h"

#include <capstone/capstone.h>
#include <string.h>

/* Instructions and jumps that are followed. */
#define INSTRUCTIONS_MOST 24
#define CODE_BYTES	  128

enum effect { EFFECT_NONE, EFFECT_DEAD, EFFECT_UNSURE };

static bool is_one_of(const cs_insn *instruction, uint8_t group)
{
	for (uint8_t i = 0; i < instruction->detail->groups_count; i++)
		if (instruction->detail->groups[i] == group)
			return true;
	return false;
}

/* Vector instructions read no flags. */
static bool is_vector(const cs_insn *instruction)
{
	static const uint8_t groups[] = {X86_GRP_SSE1,	X86_GRP_SSE2, X86_GRP_SSE3, X86_GRP_SSSE3,
					 X86_GRP_SSE41, X86_GRP_AVX,  X86_GRP_AVX2, X86_GRP_FMA};
	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (is_one_of(instruction, groups[i]))
			return true;
	return false;
}

/* Only what is certain counts, so these are lists; what capstone says of flags leaves out that adc reads one. */
static enum effect effect_of(const cs_insn *instruction)
{
	/* By the calling convention flags mean nothing at a call or a return. */
	if (is_one_of(instruction, X86_GRP_CALL) || is_one_of(instruction, X86_GRP_RET))
		return EFFECT_DEAD;
	switch (instruction->id) {
	case X86_INS_CMP:
	case X86_INS_TEST:
	case X86_INS_ADD:
	case X86_INS_SUB:
	case X86_INS_AND:
	case X86_INS_OR:
	case X86_INS_XOR:
	case X86_INS_NEG:
	case X86_INS_IMUL:
	case X86_INS_MUL:
	case X86_INS_XADD:
		return EFFECT_DEAD;
	case X86_INS_INC: /* leave the carry flag as it is */
	case X86_INS_DEC:
	case X86_INS_MOV:
	case X86_INS_MOVABS:
	case X86_INS_MOVZX:
	case X86_INS_MOVSX:
	case X86_INS_MOVSXD:
	case X86_INS_LEA:
	case X86_INS_NOP:
	case X86_INS_PAUSE:
	case X86_INS_PUSH:
	case X86_INS_POP:
	case X86_INS_XCHG:
	case X86_INS_BSWAP:
	case X86_INS_NOT:
	case X86_INS_CDQ:
	case X86_INS_CQO:
	case X86_INS_CDQE:
	case X86_INS_CWDE:
	case X86_INS_SHL:
	case X86_INS_SHR:
	case X86_INS_SAR:
	case X86_INS_ROL:
	case X86_INS_ROR:
	case X86_INS_RDTSC:
	case X86_INS_JMP:
		return EFFECT_NONE;
	default:
		return is_vector(instruction) ? EFFECT_NONE : EFFECT_UNSURE;
	}
}

/* Where a direct jump goes; 0 if the instruction is none. */
static uint64_t jump_target(const cs_insn *instruction)
{
	const cs_x86 *x86 = &instruction->detail->x86;
	bool direct =
	    instruction->id == X86_INS_JMP && x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM;
	return direct ? (uint64_t)x86->operands[0].imm : 0;
}

static bool follow(csh capstone, cs_insn *instruction, uint64_t address, code_reader *read, void *context)
{
	uint8_t code[CODE_BYTES];
	size_t size = read(context, address, code, sizeof(code));
	const uint8_t *at = code;
	for (int i = 0; i < INSTRUCTIONS_MOST; i++) {
		if (!cs_disasm_iter(capstone, &at, &size, &address, instruction))
			return false;
		enum effect effect = effect_of(instruction);
		if (effect == EFFECT_DEAD || effect == EFFECT_UNSURE)
			return effect == EFFECT_DEAD;
		if (instruction->id != X86_INS_JMP)
			continue;
		address = jump_target(instruction);
		if (!address)
			return false;
		size = read(context, address, code, sizeof(code));
		at = code;
	}
	return false;
}

bool flags_are_dead(uint64_t address, code_reader *read, void *context)
{
	csh capstone;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &capstone) != CS_ERR_OK)
		return false;
	cs_option(capstone, CS_OPT_DETAIL, CS_OPT_ON);
	cs_insn *instruction = cs_malloc(capstone);
	bool dead = instruction && follow(capstone, instruction, address, read, context);
	if (instruction)
		cs_free(instruction, 1);
	cs_close(&capstone);
	return dead;
}
