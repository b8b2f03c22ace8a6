#include "breakpoints/instructions/liveness.h"

#include <capstone/capstone.h>

/* Instructions that are looked at, all ways together. */
#define INSTRUCTIONS_MOST 96
#define WAYS_MOST	  16
#define INSTRUCTION_BYTES 15

enum { RAX, RBX, RCX, RDX, RSI, RDI, RBP, RSP, R8, R9, R10, R11 };

/* Whole, and its parts. */
static const uint16_t names[REGISTERS_COUNTED][5] = {
    {X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH},
    {X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH},
    {X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH},
    {X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH},
    {X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL},
    {X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL},
    {X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL},
    {X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL},
    {X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B},
    {X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B},
    {X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B},
    {X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B},
    {X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B},
    {X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B},
    {X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B},
    {X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B},
};

static uint32_t bit(unsigned number)
{
	return UINT32_C(1) << number;
}

static uint32_t bit_of(unsigned name)
{
	for (unsigned i = 0; name != X86_REG_INVALID && i < REGISTERS_COUNTED; i++)
		for (unsigned k = 0; k < 5; k++)
			if (names[i][k] == name)
				return bit(i);
	return 0;
}

/* What naming it reads. */
static uint32_t read_by(const cs_x86_op *operand)
{
	if (operand->type == X86_OP_REG)
		return bit_of(operand->reg);
	return operand->type == X86_OP_MEM ? bit_of(operand->mem.base) | bit_of(operand->mem.index) : 0;
}

static uint32_t read_by_all(const cs_x86 *x86)
{
	uint32_t registers = 0;
	for (uint8_t i = 0; i < x86->op_count; i++)
		registers |= read_by(&x86->operands[i]);
	return registers;
}

/* A register of 64 or 32 bits is overwritten whole. */
static uint32_t written_whole(const cs_x86_op *operand)
{
	return operand->type == X86_OP_REG && operand->size >= 4 ? bit_of(operand->reg) : 0;
}

struct effect {
	uint32_t reads, writes;
	bool ends;    /* nothing after it reads what is left */
	bool jumps;   /* to `target`, or there too */
	bool on;      /* it goes on after it */
	bool unknown; /* it may read anything */
	uint64_t target;
};

static bool is_in(const cs_insn *instruction, uint8_t group)
{
	for (uint8_t i = 0; i < instruction->detail->groups_count; i++)
		if (instruction->detail->groups[i] == group)
			return true;
	return false;
}

static void move(const cs_x86 *x86, struct effect *effect)
{
	effect->writes = written_whole(&x86->operands[0]);
	effect->reads = x86->op_count > 1 ? read_by(&x86->operands[1]) : 0;
	if (x86->operands[0].type == X86_OP_MEM)
		effect->reads |= read_by(&x86->operands[0]);
}

static bool is_zeroing(const cs_insn *instruction)
{
	const cs_x86 *x86 = &instruction->detail->x86;
	return (instruction->id == X86_INS_XOR || instruction->id == X86_INS_SUB) &&
	       x86->operands[0].type == X86_OP_REG && x86->operands[1].type == X86_OP_REG &&
	       x86->operands[0].reg == x86->operands[1].reg;
}

/* Of an instruction that goes on at the next one and that sets all arithmetic flags, or leaves them or some of them as they are. */
static void compute(const cs_insn *instruction, struct effect *effect)
{
	const cs_x86 *x86 = &instruction->detail->x86;
	switch (instruction->id) {
	case X86_INS_MOV:
	case X86_INS_MOVABS:
	case X86_INS_MOVZX:
	case X86_INS_MOVSX:
	case X86_INS_MOVSXD:
	case X86_INS_LEA:
		move(x86, effect);
		break;
	case X86_INS_CMP:
	case X86_INS_TEST:
	case X86_INS_ADD:
	case X86_INS_SUB:
	case X86_INS_AND:
	case X86_INS_OR:
	case X86_INS_XOR:
	case X86_INS_NEG:
	case X86_INS_XADD:
		effect->reads = is_zeroing(instruction) ? 0 : read_by_all(x86);
		effect->writes =
		    REGISTER_FLAGS | (is_zeroing(instruction) ? written_whole(&x86->operands[0]) : 0);
		break;
	case X86_INS_CMPXCHG:
		effect->reads = read_by_all(x86) | bit(RAX);
		effect->writes = REGISTER_FLAGS;
		break;
	case X86_INS_POP:
		effect->reads = bit(RSP) | (x86->operands[0].type == X86_OP_MEM ? read_by_all(x86) : 0);
		effect->writes = written_whole(&x86->operands[0]);
		break;
	case X86_INS_INC:
	case X86_INS_DEC:
	case X86_INS_NOT:
	case X86_INS_XCHG:
	case X86_INS_PUSH:
		effect->reads = read_by_all(x86);
		break;
	case X86_INS_NOP:
	case X86_INS_PAUSE:
	case X86_INS_ENDBR64:
	case X86_INS_LFENCE:
	case X86_INS_MFENCE:
	case X86_INS_SFENCE:
		break;
	default:
		effect->unknown = true;
	}
}

/* By the calling convention (psABI) nobody reads flags or these after a return, nor flags and r11 at the beginning of a function. */
#define DEAD_AFTER_RETURN                                                                                    \
	(bit(RCX) | bit(RSI) | bit(RDI) | bit(R8) | bit(R9) | bit(R10) | bit(R11) | REGISTER_FLAGS)
#define DEAD_AT_CALL (bit(R11) | REGISTER_FLAGS)

/* A jump that goes by a register. */
static bool counts(const cs_insn *instruction)
{
	switch (instruction->id) {
	case X86_INS_JCXZ:
	case X86_INS_JECXZ:
	case X86_INS_JRCXZ:
	case X86_INS_LOOP:
	case X86_INS_LOOPE:
	case X86_INS_LOOPNE:
		return true;
	default:
		return false;
	}
}

static struct effect effect_of(const cs_insn *instruction)
{
	const cs_x86 *x86 = &instruction->detail->x86;
	struct effect effect = {.on = true};
	if (is_in(instruction, X86_GRP_RET) || is_in(instruction, X86_GRP_CALL)) {
		effect.ends = true;
		effect.reads = ~(is_in(instruction, X86_GRP_RET) ? DEAD_AFTER_RETURN : DEAD_AT_CALL);
	} else if (is_in(instruction, X86_GRP_JUMP)) {
		effect.unknown =
		    counts(instruction) || x86->op_count != 1 || x86->operands[0].type != X86_OP_IMM;
		effect.jumps = true;
		effect.on = instruction->id != X86_INS_JMP;
		effect.reads = effect.on ? REGISTER_FLAGS : 0;
		effect.target = effect.unknown ? 0 : (uint64_t)x86->operands[0].imm;
	} else {
		compute(instruction, &effect);
	}
	return effect;
}

struct way {
	uint64_t address;
	uint32_t registers; /* that are still to be overwritten */
};

struct search {
	csh capstone;
	cs_insn *instruction;
	code_reader *read;
	void *context;
	struct way open[WAYS_MOST], seen[INSTRUCTIONS_MOST];
	size_t open_length, seen_length;
};

static bool was_seen(const struct search *search, const struct way *way)
{
	for (size_t i = 0; i < search->seen_length; i++)
		if (search->seen[i].address == way->address &&
		    (way->registers & ~search->seen[i].registers) == 0)
			return true;
	return false;
}

static bool push(struct search *search, uint64_t address, uint32_t registers)
{
	if (registers == 0)
		return true;
	if (search->open_length == WAYS_MOST)
		return false;
	search->open[search->open_length++] = (struct way){address, registers};
	return true;
}

/* One instruction; false: it may read one of them. */
static bool follow(struct search *search, const struct way *way)
{
	uint8_t code[INSTRUCTION_BYTES];
	uint64_t address = way->address;
	size_t size = search->read(search->context, address, code, sizeof(code));
	const uint8_t *at = code;
	if (was_seen(search, way))
		return true;
	if (search->seen_length == INSTRUCTIONS_MOST ||
	    !cs_disasm_iter(search->capstone, &at, &size, &address, search->instruction))
		return false;
	search->seen[search->seen_length++] = *way;
	const struct effect effect = effect_of(search->instruction);
	if (effect.unknown || effect.reads & way->registers)
		return false;
	const uint32_t left = way->registers & ~effect.writes;
	return effect.ends || ((!effect.jumps || push(search, effect.target, left)) &&
			       (!effect.on || push(search, address, left)));
}

static bool follow_all(struct search *search, uint64_t address, uint32_t registers)
{
	bool dead = push(search, address, registers);
	while (dead && search->open_length > 0) {
		const struct way way = search->open[--search->open_length];
		dead = follow(search, &way);
	}
	return dead;
}

bool registers_are_dead(uint64_t address, uint32_t registers, code_reader *read, void *context)
{
	struct search search = {.read = read, .context = context};
	if (registers == 0)
		return true;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &search.capstone) != CS_ERR_OK)
		return false;
	cs_option(search.capstone, CS_OPT_DETAIL, CS_OPT_ON);
	search.instruction = cs_malloc(search.capstone);
	const bool dead = search.instruction && follow_all(&search, address, registers);
	if (search.instruction)
		cs_free(search.instruction, 1);
	cs_close(&search.capstone);
	return dead;
}
