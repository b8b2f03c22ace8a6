/* What a thread is about to do, as far as it matters to the stores that wait in its processor's buffer. */
#include "breakpoints/instructions/direction.h"
#include "breakpoints/instructions/fences.h"
#include "breakpoints/instructions/general.h"
#include "breakpoints/instructions/touched.h"
#include "breakpoints/traps/state.h"

#include <string.h>

#define PUSHED 8

#define PREFIX_FS 0x64
#define PREFIX_DS 0x3e /* means nothing */

/* Operands in a thread's own block are told as if they began at 0. */
static uint64_t base_of(const struct instruction *instruction, const struct user_regs_struct *regs,
			uint8_t *code)
{
	uint64_t base = 0;
	for (uint8_t i = 0; i < instruction->opcode; i++)
		if (code[i] == PREFIX_FS) {
			code[i] = PREFIX_DS;
			base = regs->fs_base;
		}
	return base;
}

static struct operands *operands_of(struct entries *entries)
{
	if (!entries->operands)
		entries->operands = operands_new();
	return entries->operands;
}

static bool find_store(struct entries *entries, const struct instruction *instruction,
		       const struct user_regs_struct *regs, struct waiting_store *store)
{
	struct touched at[TOUCHED_MOST];
	uint8_t code[TOUCHED_CODE];
	memcpy(code, instruction->code, sizeof code);
	const uint64_t base = base_of(instruction, regs, code);
	if (!operands_of(entries) || operands_touched(entries->operands, regs->rip, code, regs, at) != 1 ||
	    !at[0].write || at[0].size > WAITING_BYTES)
		return false;
	*store = (struct waiting_store){base + at[0].address, at[0].size};
	return true;
}

bool entries_load(struct entries *entries, struct tracee *tracee, struct waiting_store *load)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	uint8_t code[TOUCHED_CODE] = {0};
	struct instruction instruction;
	struct touched at[TOUCHED_MOST];
	*load = (struct waiting_store){0};
	if (!regs || target_read(tracee->target, regs->rip, code, sizeof code) != STATUS_OK ||
	    !instruction_parse(code, sizeof code, regs->rip, &instruction))
		return false;
	const enum direction direction = instruction_direction(&instruction);
	if (direction == DIRECTION_NONE || direction == DIRECTION_WRITE)
		return true;
	const uint64_t base = base_of(&instruction, regs, code);
	if (direction == DIRECTION_UNTOLD || !operands_of(entries) ||
	    operands_touched(entries->operands, regs->rip, code, regs, at) != 1 || at[0].size > WAITING_BYTES)
		return false;
	*load = (struct waiting_store){base + at[0].address, at[0].size};
	return true;
}

enum may_wait entries_waiting(struct entries *entries, struct tracee *tracee,
			      const uint8_t code[WAITING_CODE], struct waiting_store *store)
{
	_Static_assert(WAITING_CODE == TOUCHED_CODE, "it is the same");
	const struct user_regs_struct *regs = tracee_regs(tracee);
	struct instruction instruction;
	*store = (struct waiting_store){0};
	if (!regs || code[0] == TRAP_INSTRUCTION)
		return WAITING_RUNS;
	if (!instruction_parse(code, WAITING_CODE, regs->rip, &instruction))
		return WAITING_CUT;
	switch (instruction_fencing(&instruction)) {
	case FENCING_NONE:
		return WAITING_GOES_ON;
	case FENCING_PUSH:
		*store = (struct waiting_store){regs->rsp - PUSHED, PUSHED};
		return WAITING_GOES_ON;
	case FENCING_STORE:
		return find_store(entries, &instruction, regs, store) ? WAITING_GOES_ON : WAITING_CUT;
	case FENCING_WAITS:
		return WAITING_ENDS;
	case FENCING_UNTOLD:
		break;
	}
	return WAITING_CUT;
}

bool entries_is_general(const uint8_t code[WAITING_CODE], const struct user_regs_struct *regs,
			struct waiting_store *taken)
{
	struct instruction instruction;
	*taken = (struct waiting_store){0};
	if (!instruction_parse(code, WAITING_CODE, regs->rip, &instruction) ||
	    !instruction_is_general(&instruction))
		return false;
	const enum stack_use use = instruction_takes(&instruction);
	if (use != STACK_NOTHING)
		*taken = (struct waiting_store){use == STACK_AT_FRAME ? regs->rbp : regs->rsp, PUSHED};
	return true;
}
