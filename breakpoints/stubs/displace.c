#include "breakpoints/stubs/displace.h"
#include "breakpoints/stubs/jump_targets.h"

#include <capstone/capstone.h>
#include <stdlib.h>
#include <string.h>

struct displacer {
	csh capstone;
	cs_insn *instruction; /* room for one */
};

struct displacer *displacer_new(void)
{
	struct displacer *displacer = calloc(1, sizeof(*displacer));
	if (!displacer)
		return NULL;
	if (cs_open(CS_ARCH_X86, CS_MODE_64, &displacer->capstone) != CS_ERR_OK) {
		free(displacer);
		return NULL;
	}
	cs_option(displacer->capstone, CS_OPT_DETAIL, CS_OPT_ON);
	displacer->instruction = cs_malloc(displacer->capstone);
	return displacer;
}

void displacer_free(struct displacer *displacer)
{
	if (!displacer)
		return;
	cs_free(displacer->instruction, 1);
	cs_close(&displacer->capstone);
	free(displacer);
}

/* The copy as it grows. */
struct writer {
	uint64_t to; /* where copy[0] will be executed */
	struct displaced *displaced;
	bool failed;
};

static void put(struct writer *writer, const void *bytes, size_t size)
{
	if (writer->displaced->size + size > DISPLACE_ROOM) {
		writer->failed = true;
		return;
	}
	memcpy(writer->displaced->copy + writer->displaced->size, bytes, size);
	writer->displaced->size += (uint8_t)size;
}

/* An opcode whose last operand is a 32-bit displacement to `target`. */
static void put_relative(struct writer *writer, const void *opcode, size_t size, uint64_t target)
{
	put(writer, opcode, size);
	int64_t distance = (int64_t)(target - (writer->to + writer->displaced->size + 4));
	int32_t displacement = (int32_t)distance;
	if (displacement != distance)
		writer->failed = true;
	put(writer, &displacement, sizeof(displacement));
}

static void put_jump(struct writer *writer, uint64_t target)
{
	put_relative(writer, "\xe9", 1, target);
}

/* push imm32 extends its sign, so the upper half is stored after it. */
static void put_push(struct writer *writer, uint64_t value)
{
	uint32_t low = (uint32_t)value, high = (uint32_t)(value >> 32);
	put(writer, "\x68", 1);
	put(writer, &low, sizeof(low));
	put(writer, "\xc7\x44\x24\x04", 4); /* movl $high, 4(%rsp) */
	put(writer, &high, sizeof(high));
}

static bool is_relative(const cs_insn *instruction)
{
	const cs_x86 *x86 = &instruction->detail->x86;
	for (uint8_t i = 0; i < instruction->detail->groups_count; i++)
		if (instruction->detail->groups[i] == X86_GRP_BRANCH_RELATIVE)
			return x86->op_count == 1 && x86->operands[0].type == X86_OP_IMM;
	return false;
}

/* The condition code of a conditional jump with an 8-bit or 32-bit displacement, -1 if it is none. */
static int condition_of(const cs_x86 *x86)
{
	if (x86->opcode[0] >= 0x70 && x86->opcode[0] <= 0x7f)
		return x86->opcode[0] & 15;
	if (x86->opcode[0] == 0x0f && x86->opcode[1] >= 0x80 && x86->opcode[1] <= 0x8f)
		return x86->opcode[1] & 15;
	return -1;
}

static bool put_branch(struct writer *writer, const cs_insn *instruction, uint64_t target)
{
	const cs_x86 *x86 = &instruction->detail->x86;
	uint64_t after = instruction->address + instruction->size;
	int condition = condition_of(x86);
	if (instruction->id == X86_INS_JMP) {
		put_jump(writer, target);
	} else if (instruction->id == X86_INS_CALL) {
		put_push(writer, after);
		put_jump(writer, target);
	} else if (condition >= 0) {
		uint8_t opcode[2] = {0x0f, (uint8_t)(0x80 | condition)};
		put_relative(writer, opcode, sizeof(opcode), target);
		put_jump(writer, after);
	} else { /* loop, jrcxz, xbegin */
		return false;
	}
	return true;
}

/*
 * An instruction with a memory operand relative to the program counter: the displacement is counted anew.
 * `start` is where its copy begins.
 */
static void rebase(struct writer *writer, const cs_insn *instruction, uint8_t start)
{
	const cs_x86 *x86 = &instruction->detail->x86;
	for (uint8_t i = 0; i < x86->op_count; i++) {
		if (x86->operands[i].type != X86_OP_MEM || x86->operands[i].mem.base != X86_REG_RIP)
			continue;
		int64_t distance =
		    x86->operands[i].mem.disp + (int64_t)(instruction->address - writer->to - start);
		int32_t displacement = (int32_t)distance;
		if (displacement != distance || x86->encoding.disp_size != 4)
			writer->failed = true;
		else
			memcpy(writer->displaced->copy + start + x86->encoding.disp_offset, &displacement, 4);
		return;
	}
}

bool displace(struct displacer *displacer, uint64_t from, const uint8_t code[DISPLACE_CODE], uint64_t to,
	      displace_redirect *redirect, void *context, struct displaced *displaced)
{
	const uint8_t *at = code;
	size_t left = DISPLACE_CODE;
	uint64_t address = from;
	cs_insn *instruction = displacer->instruction;
	*displaced = (struct displaced){0};
	if (!cs_disasm_iter(displacer->capstone, &at, &left, &address, instruction))
		return false;
	displaced->length = (uint8_t)instruction->size;
	struct writer writer = {.to = to, .displaced = displaced};
	if (is_relative(instruction)) {
		uint64_t target = (uint64_t)instruction->detail->x86.operands[0].imm;
		if (redirect)
			target = redirect(context, target);
		return put_branch(&writer, instruction, target) && !writer.failed;
	}
	if (instruction->id ==
	    X86_INS_CALL) /* through memory or a register: would leave a return address here */
		return false;
	put(&writer, code, instruction->size);
	rebase(&writer, instruction, 0);
	put_jump(&writer, from + instruction->size);
	return !writer.failed;
}

static bool leaves_the_path(const cs_insn *instruction)
{
	const cs_detail *detail = instruction->detail;
	for (uint8_t i = 0; i < detail->groups_count; i++)
		switch (detail->groups[i]) {
		case X86_GRP_JUMP:
		case X86_GRP_CALL:
		case X86_GRP_RET:
		case X86_GRP_IRET:
		case X86_GRP_INT:
		case X86_GRP_BRANCH_RELATIVE:
			return true;
		default:
			break;
		}
	return false;
}

static bool has_memory(const cs_insn *instruction)
{
	const cs_x86 *x86 = &instruction->detail->x86;
	for (uint8_t i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_MEM)
			return true;
	return false;
}

bool displace_straight(struct displacer *displacer, uint64_t from, const uint8_t code[DISPLACE_CODE],
		       size_t bytes, uint64_t to, struct displaced *displaced)
{
	struct writer writer = {.to = to, .displaced = displaced};
	const uint8_t *at = code;
	size_t left = DISPLACE_CODE;
	uint64_t address = from;
	cs_insn *instruction = displacer->instruction;
	*displaced = (struct displaced){0};
	while (displaced->length < bytes) {
		uint8_t start = displaced->size;
		if (!cs_disasm_iter(displacer->capstone, &at, &left, &address, instruction) ||
		    leaves_the_path(instruction))
			return false;
		displaced->starts |= displaced->length ? 1u << displaced->length : 0;
		displaced->touches_after |= displaced->length && has_memory(instruction);
		put(&writer, code + displaced->length, instruction->size);
		rebase(&writer, instruction, start);
		displaced->length += (uint8_t)instruction->size;
	}
	put_jump(&writer, from + displaced->length);
	return !writer.failed;
}

bool jump_encode(uint64_t from, uint64_t to, uint8_t code[5])
{
	int64_t distance = (int64_t)(to - (from + 5));
	int32_t displacement = (int32_t)distance;
	code[0] = 0xe9;
	memcpy(code + 1, &displacement, sizeof(displacement));
	return displacement == distance;
}

void jumps_each(struct displacer *displacer, const uint8_t *code, size_t size, uint64_t address,
		jump_visitor *visit, void *context)
{
	cs_insn *instruction = displacer->instruction;
	while (size > 0 && cs_disasm_iter(displacer->capstone, &code, &size, &address, instruction)) {
		const cs_x86 *x86 = &instruction->detail->x86;
		if (!is_relative(instruction) || (instruction->id != X86_INS_JMP && condition_of(x86) < 0))
			continue;
		struct jump jump = {.next = instruction->address + instruction->size,
				    .target = (uint64_t)x86->operands[0].imm,
				    .width = condition_of(x86) >= 0 ? (x86->opcode[0] == 0x0f ? 4 : 1)
								    : (x86->opcode[0] == 0xe9 ? 4 : 1)};
		jump.address = jump.next - jump.width;
		visit(context, &jump);
	}
}

struct landing {
	uint64_t low, high;
	bool found;
};

static bool is_inside(void *context, uint64_t target)
{
	const struct landing *landing = context;
	return target > landing->low && target < landing->high;
}

static void look_for_landing(void *context, const struct jump *jump)
{
	struct landing *landing = context;
	landing->found |= is_inside(landing, jump->target);
}

bool jumps_into(struct displacer *displacer, const uint8_t *code, size_t size, uint64_t address,
		size_t length)
{
	struct landing landing = {address, address + length, false};
	if (jump_targets_may(code, size, address, is_inside, &landing))
		jumps_each(displacer, code, size, address, look_for_landing, &landing);
	return landing.found;
}
