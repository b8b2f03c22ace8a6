/* The instruction that touches memory, told from where a thread stands before or after it. */
#include "breakpoints/instructions/instruction.h"
#include "breakpoints/instructions/touched.h"

#include <fmc/supervisor/touching.h>

#include <stdlib.h>
#include <string.h>

#define PUSHED 8 /* bytes */

struct touching {
	struct operands *operands;
};

/* Code as the program has it, with zeros where none can be read. */
struct code {
	uint64_t address;
	uint8_t bytes[2 * TOUCHED_CODE];
};

struct touching *touching_new(void)
{
	struct touching *touching = calloc(1, sizeof(*touching));
	if (!touching)
		return NULL;
	touching->operands = operands_new();
	if (touching->operands)
		return touching;
	free(touching);
	return NULL;
}

void touching_free(struct touching *touching)
{
	if (!touching)
		return;
	operands_free(touching->operands);
	free(touching);
}

static void read_code(const struct entries *entries, const struct target *target, uint64_t address,
		      struct code *code)
{
	*code = (struct code){.address = address};
	/* It may end, or begin, between the two. */
	for (size_t half = 0; half < 2; half++)
		if (target_read(target, address + half * TOUCHED_CODE, code->bytes + half * TOUCHED_CODE,
				TOUCHED_CODE) != STATUS_OK)
			memset(code->bytes + half * TOUCHED_CODE, 0, TOUCHED_CODE);
	entries_hide(entries, address, code->bytes, sizeof(code->bytes));
}

static bool overlap(const struct touched *touched, uint64_t address, uint64_t size)
{
	return touched->address < address + size && address < touched->address + touched->size;
}

static bool is_push(const struct instruction *instruction)
{
	const uint8_t opcode = instruction->code[instruction->opcode];
	if (instruction->map != MAP_ONE || instruction->vector)
		return false;
	return (opcode >= 0x50 && opcode <= 0x57) || opcode == 0x68 || opcode == 0x6a || opcode == 0x9c;
}

/* The instruction that begins there: with these registers it touches some of these bytes; `pushed`: where a push would write. */
static bool touches(struct touching *touching, const uint8_t *bytes, const struct instruction *instruction,
		    const struct user_regs_struct *regs, uint64_t pushed, uint64_t address, uint64_t size)
{
	struct touched at[TOUCHED_MOST] = {{.address = pushed, .size = PUSHED}};
	size_t n = is_push(instruction)
		       ? 1
		       : operands_touched(touching->operands, instruction->address, bytes, regs, at);
	for (size_t i = 0; i < n; i++)
		if (overlap(&at[i], address, size))
			return true;
	return false;
}

size_t touching_guess(struct touching *touching, const struct entries *entries, struct tracee *tracee,
		      uint64_t address, uint64_t size, uint64_t at[TOUCHING_MOST])
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	struct instruction instruction;
	struct code code;
	size_t n = 0;
	if (!regs)
		return 0;
	const uint64_t end = entries_visible_pc(entries, regs->rip);
	read_code(entries, tracee->target, end - TOUCHED_CODE, &code);
	for (size_t length = TOUCHED_CODE; length > 0 && n < TOUCHING_MOST; length--) {
		const uint8_t *bytes = code.bytes + TOUCHED_CODE - length;
		if (instruction_parse(bytes, TOUCHED_CODE, end - length, &instruction) &&
		    instruction.length == length &&
		    touches(touching, bytes, &instruction, regs, regs->rsp, address, size))
			at[n++] = end - length;
	}
	return n;
}

bool touching_next(struct touching *touching, const struct entries *entries, struct tracee *tracee,
		   uint64_t address, uint64_t size)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	struct instruction instruction;
	struct code code;
	if (!regs)
		return false;
	read_code(entries, tracee->target, entries_visible_pc(entries, regs->rip), &code);
	return instruction_parse(code.bytes, TOUCHED_CODE, code.address, &instruction) &&
	       touches(touching, code.bytes, &instruction, regs, regs->rsp - PUSHED, address, size);
}

/* The instruction that ends at `end` and is so many bytes long, from code that begins TOUCHED_CODE before. */
static bool parse_before(const struct code *code, uint64_t end, size_t length,
			 struct instruction *instruction)
{
	return instruction_parse(code->bytes + TOUCHED_CODE - length, TOUCHED_CODE, end - length,
				 instruction) &&
	       instruction->length == length;
}

/* Goes on after it whatever happens: no call, no repetition of itself. */
static bool leads_on(const struct instruction *instruction)
{
	uint64_t target;
	const uint8_t opcode = instruction->code[instruction->opcode];
	const bool one = instruction->map == MAP_ONE && !instruction->vector;
	const bool string = one && ((opcode >= 0xa4 && opcode <= 0xa7) || (opcode >= 0xaa && opcode <= 0xaf));
	return instruction_flow(instruction, &target) == FLOW_ON && !string && !(one && opcode == 0xff);
}

/* endbr64, which may stand before the jump of a linkage table. */
static const uint8_t landing_pad[] = {0xf3, 0x0f, 0x1e, 0xfa};

/* Is there a jump through a word of memory, after a landing pad perhaps? */
static bool parse_linkage(const struct code *code, struct instruction *jump)
{
	const size_t pad =
	    memcmp(code->bytes, landing_pad, sizeof(landing_pad)) == 0 ? sizeof(landing_pad) : 0;
	return instruction_parse(code->bytes + pad, TOUCHED_CODE, code->address + pad, jump) &&
	       jump->rip_relative && jump->map == MAP_ONE && !jump->vector &&
	       jump->code[jump->opcode] == 0xff && (jump->code[jump->modrm] >> 3 & 7) == 4;
}

static bool jumps_to(const struct target *target, const struct instruction *jump, uint64_t to)
{
	uint64_t word;
	return target_read(target, instruction_rip_operand(jump), &word, sizeof(word)) == STATUS_OK &&
	       word == to;
}

/* The jump at `from` to there; 0: there is none. */
static uint64_t linkage_jump(const struct entries *entries, const struct target *target, uint64_t from,
			     uint64_t to)
{
	struct instruction jump;
	struct code code;
	read_code(entries, target, from, &code);
	return parse_linkage(&code, &jump) && jumps_to(target, &jump, to) ? jump.address : 0;
}

bool touching_leads(const struct entries *entries, struct tracee *tracee, uint64_t to)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	struct instruction jump;
	struct code code;
	if (!regs)
		return false;
	read_code(entries, tracee->target, entries_visible_pc(entries, regs->rip), &code);
	return !parse_linkage(&code, &jump) || jumps_to(tracee->target, &jump, to);
}

/* Where the function that begins at `here` was entered from, by the return address on the stack; 0: unknown. */
static uint64_t calling(const struct entries *entries, const struct target *target, uint64_t here,
			uint64_t stack)
{
	struct instruction call;
	struct code code;
	uint64_t back, to;
	if (target_read(target, stack, &back, sizeof(back)) != STATUS_OK)
		return 0;
	read_code(entries, target, back - TOUCHED_CODE, &code);
	for (size_t length = TOUCHED_CODE; length > 0; length--) {
		if (!parse_before(&code, back, length, &call) || instruction_flow(&call, &to) != FLOW_CALL)
			continue;
		return to == here ? back - length : linkage_jump(entries, target, to, here);
	}
	return 0;
}

size_t touching_leading(const struct entries *entries, struct tracee *tracee, uint64_t at[TOUCHING_MOST])
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	struct instruction instruction;
	struct code code;
	size_t n = 0;
	if (!regs)
		return 0;
	const uint64_t here = entries_visible_pc(entries, regs->rip);
	at[n] = calling(entries, tracee->target, here, regs->rsp);
	n += at[n] != 0;
	read_code(entries, tracee->target, here - TOUCHED_CODE, &code);
	for (size_t length = 1; length <= TOUCHED_CODE && n < TOUCHING_MOST; length++)
		if (parse_before(&code, here, length, &instruction) && leads_on(&instruction))
			at[n++] = here - length;
	return n;
}
