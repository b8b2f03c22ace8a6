#include "breakpoints/instructions/touched.h"
#include "breakpoints/instructions/direction.h"

#include <capstone/capstone.h>
#include <stdlib.h>

#define DIRECTION_FLAG (1u << 10)

struct operands {
	csh capstone;
	cs_insn *instruction; /* room for one */
};

struct operands *operands_new(void)
{
	struct operands *operands = calloc(1, sizeof(*operands));
	if (!operands)
		return NULL;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &operands->capstone) != CS_ERR_OK) {
		free(operands);
		return NULL;
	}
	cs_option(operands->capstone, CS_OPT_DETAIL, CS_OPT_ON);
	operands->instruction = cs_malloc(operands->capstone);
	return operands;
}

void operands_free(struct operands *operands)
{
	if (!operands)
		return;
	cs_free(operands->instruction, 1);
	cs_close(&operands->capstone);
	free(operands);
}

/* What a register of an address is worth; false: it is none of those. */
static bool register_value(x86_reg name, const struct user_regs_struct *regs, uint64_t next, uint64_t *value)
{
	const struct {
		x86_reg name;
		uint64_t value;
	} values[] = {
	    {X86_REG_RAX, regs->rax}, {X86_REG_RBX, regs->rbx}, {X86_REG_RCX, regs->rcx},
	    {X86_REG_RDX, regs->rdx}, {X86_REG_RSI, regs->rsi}, {X86_REG_RDI, regs->rdi},
	    {X86_REG_RBP, regs->rbp}, {X86_REG_RSP, regs->rsp}, {X86_REG_R8, regs->r8},
	    {X86_REG_R9, regs->r9},   {X86_REG_R10, regs->r10}, {X86_REG_R11, regs->r11},
	    {X86_REG_R12, regs->r12}, {X86_REG_R13, regs->r13}, {X86_REG_R14, regs->r14},
	    {X86_REG_R15, regs->r15}, {X86_REG_RIP, next},	{X86_REG_INVALID, 0},
	    {X86_REG_RIZ, 0},
	};
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		if (values[i].name == name) {
			*value = values[i].value;
			return true;
		}
	return false;
}

static bool operand_address(const cs_insn *instruction, const x86_op_mem *memory,
			    const struct user_regs_struct *regs, uint64_t *address)
{
	uint64_t base, index;
	if (memory->segment == X86_REG_FS || memory->segment == X86_REG_GS ||
	    !register_value(memory->base, regs, instruction->address + instruction->size, &base) ||
	    !register_value(memory->index, regs, 0, &index))
		return false;
	*address = base + index * (uint64_t)memory->scale + (uint64_t)memory->disp;
	return true;
}

/* String instructions have opcodes of their own, and no ModRM. */
static bool is_string(const struct instruction *parsed, uint8_t *opcode)
{
	*opcode = parsed->code[parsed->opcode];
	return parsed->map == MAP_ONE && !parsed->vector &&
	       ((*opcode >= 0xa4 && *opcode <= 0xa7) || (*opcode >= 0xaa && *opcode <= 0xaf));
}

static struct touched string_range(uint64_t address, uint64_t bytes, uint64_t count, bool down, bool write)
{
	uint64_t low = down ? address - (count - 1) * bytes : address;
	return (struct touched){.address = low, .size = count * bytes, .write = write};
}

/* Comparisons may end with the first element; moves and stores come to all of them. */
static size_t string_touched(const cs_insn *instruction, uint8_t opcode, const struct user_regs_struct *regs,
			     struct touched at[TOUCHED_MOST])
{
	const cs_x86 *x86 = &instruction->detail->x86;
	bool repeats = x86->prefix[0] == X86_PREFIX_REP || x86->prefix[0] == X86_PREFIX_REPNE;
	bool down = regs->eflags & DIRECTION_FLAG, compares = opcode == 0xa6 || opcode == 0xa7;
	bool scans = opcode == 0xae || opcode == 0xaf, moves = opcode == 0xa4 || opcode == 0xa5;
	bool loads = opcode == 0xac || opcode == 0xad, stores = opcode == 0xaa || opcode == 0xab;
	uint64_t count = !repeats ? 1 : compares || scans ? regs->rcx > 0 : regs->rcx, bytes = 0;
	size_t n = 0;
	for (uint8_t i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_MEM)
			bytes = x86->operands[i].size;
	if (count == 0 || bytes == 0)
		return 0;
	if (moves || compares || loads)
		at[n++] = string_range(regs->rsi, bytes, count, down, false);
	if (moves || compares || scans || stores)
		at[n++] = string_range(regs->rdi, bytes, count, down, moves || stores);
	return n;
}

static size_t operand_touched(const cs_insn *instruction, enum direction direction,
			      const struct user_regs_struct *regs, struct touched at[TOUCHED_MOST])
{
	const cs_x86 *x86 = &instruction->detail->x86;
	for (uint8_t i = 0; i < x86->op_count; i++) {
		const cs_x86_op *op = &x86->operands[i];
		if (op->type != X86_OP_MEM)
			continue;
		at[0] = (struct touched){.size = op->size, .write = direction != DIRECTION_READ};
		return op->size && operand_address(instruction, &op->mem, regs, &at[0].address);
	}
	return 0;
}

size_t operands_touched(struct operands *operands, uint64_t address, const uint8_t code[TOUCHED_CODE],
			const struct user_regs_struct *regs, struct touched at[TOUCHED_MOST])
{
	struct instruction parsed;
	const uint8_t *from = code;
	size_t size = TOUCHED_CODE;
	uint64_t next = address;
	uint8_t opcode;
	if (!instruction_parse(code, TOUCHED_CODE, address, &parsed) ||
	    !cs_disasm_iter(operands->capstone, &from, &size, &next, operands->instruction) ||
	    operands->instruction->size != parsed.length)
		return 0;
	if (is_string(&parsed, &opcode))
		return string_touched(operands->instruction, opcode, regs, at);
	enum direction direction = instruction_direction(&parsed);
	return direction < DIRECTION_READ ? 0 : operand_touched(operands->instruction, direction, regs, at);
}
