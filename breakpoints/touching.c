/* The instruction that touches memory, told from where a thread stands before or after it. */
#include "breakpoints/instruction.h"
#include "breakpoints/touched.h"

#include <fmc/touching.h>

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
