#include "breakpoints/private.h"

/* Traps at instructions that fmc answers (answered.h). */

void entries_answer_instructions(struct entries *entries)
{
	entries->answers = true;
}

bool entries_find_answered(struct entries *entries)
{
	bool found = true;
	for (size_t i = 0; i < entries->modules.length && entries->answers; i++)
		if (atomics_has(&entries->modules.at[i]))
			found &= answered_add(&entries->answered, &entries->modules.at[i]);
	return found;
}

bool entries_given_up(struct target *target)
{
	return *target_answers(target) > ANSWERS_MOST;
}

enum status entries_plant_answered(const struct entries *entries, struct target *target)
{
	return entries_given_up(target) ? STATUS_OK : answered_plant(&entries->answered, target, true);
}

bool entries_answered_here(const struct entries *entries, const struct target *target, uint64_t address)
{
	uint8_t byte;
	return answered_at(&entries->answered, address) &&
	       target_read(target, address, &byte, sizeof(byte)) == STATUS_OK && byte == TRAP_INSTRUCTION;
}

enum status entries_answer(const struct entries *entries, struct tracee *tracee,
			   const struct answered *answered)
{
	++*target_answers(tracee->target);
	if (!entries_given_up(tracee->target))
		return answered_give(answered, tracee);
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	if (!regs)
		return STATUS_GONE;
	regs->rip = answered->address;
	return answered_plant(&entries->answered, tracee->target, false);
}

const char *entries_describe_answered(const struct entries *entries, const struct call *call)
{
	const struct answered *answered = answered_at(&entries->answered, call->entry);
	switch (answered ? (enum answered_kind)answered->kind : ANSWERED_NOT) {
	case ANSWERED_RANDOM:
		return "random numbers of the processor";
	case ANSWERED_PROCESSOR:
		return "the processor's number";
	default:
		return "the processor's counter of time";
	}
}
