/*
 * The round that a thread has just gone, gone once more: was it one that leaves everything as it is? awaits.c asks of a round to come, which
 * may differ from the first one: while (locked) first = 0; So what the round goes by has to have been when it began what it is
 * now: registers, what it reads of the thread's stack, and what it writes there. What it reads or writes elsewhere without an operation
 * isn't known from then.
 */
#include "supervisor/accesses/round.h"

#include <string.h>

static bool code_there(const struct round *round, uint64_t address, uint8_t code[WAITING_CODE])
{
	const struct process *process = round->process;
	struct entry entry;
	if (!entries_is_trap(process->entries, address))
		return stores_code(process, round->thread->tracee, code);
	if (entries_entry(process->entries, process->target, address, &entry) != STATUS_OK)
		return false;
	memset(code, 0x90, WAITING_CODE); /* of a longer instruction no more than its operand is missing */
	memcpy(code, entry.code, sizeof entry.code);
	return true;
}

bool round_knows_instruction(const struct round *round)
{
	uint8_t code[WAITING_CODE];
	struct waiting_store taken;
	const struct user_regs_struct *regs = tracee_regs(round->thread->tracee);
	return regs && code_there(round, regs->rip, code) && entries_is_general(code, regs, &taken) &&
	       (taken.size == 0 || round_had_before(round, taken.address, taken.size));
}

bool round_had_before(const struct round *round, uint64_t address, uint64_t size)
{
	const struct retry_frame *frame = round->frame;
	uint8_t now[WAITING_BYTES];
	return frame->address && address >= frame->address && size <= sizeof now &&
	       address + size <= frame->address + sizeof frame->bytes &&
	       target_read(round->process->target, address, now, size) == STATUS_OK &&
	       memcmp(now, frame->bytes + (address - frame->address), size) == 0;
}

bool round_access_again(struct round *round, const struct call *call)
{
	const struct retry *seen = &round->seen[round->next];
	if (round->next == round->length || seen->entry != call->entry || seen->object != call->object ||
	    seen->bytes != (uint64_t)call->op.arg)
		return false;
	round->next++;
	return target_write(round->process->target, seen->object, &seen->word, seen->bytes) == STATUS_OK;
}

bool round_access_left(const struct round *round)
{
	const struct retry *seen = &round->seen[round->next - 1];
	uint64_t word = 0;
	return target_read(round->process->target, seen->object, &word, seen->bytes) == STATUS_OK &&
	       memcmp(&word, &seen->word, seen->bytes) == 0;
}
