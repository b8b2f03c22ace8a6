#include "breakpoints/traps/state.h"

#include <fmc/tracer/answers.h>

/* Traps at instructions that fmc answers (answered.h). */

void entries_answer_instructions(struct entries *entries)
{
	entries->answers = true;
}

enum status entries_find_answered(struct entries *entries)
{
	enum status status = STATUS_OK;
	for (size_t i = 0; i < entries->modules.length && entries->answers && status == STATUS_OK; i++)
		if (atomics_has(&entries->modules.at[i]))
			status = answered_add(&entries->answered, &entries->modules.at[i]);
	return status;
}

bool entries_given_up(struct target *target)
{
	return *target_answers(target) > ANSWERS_MOST;
}

/* The execution before may have had another module there, or the target none any more. */
static bool is_there(const struct loaded *loaded, const struct target *target)
{
	uint8_t byte;
	for (size_t i = 0; i < loaded->answered.length; i++) {
		const struct answered *answered = &loaded->answered.at[i];
		if (target_read(target, answered->address, &byte, sizeof(byte)) != STATUS_OK ||
		    (byte != answered->first && byte != answered->planted))
			return false;
	}
	return loaded->mapped;
}

static enum status plant(const struct entries *entries, struct target *target, bool planted)
{
	enum status status = answered_plant(&entries->answered, target, planted);
	for (size_t i = 0; i < entries->loaded_length && status == STATUS_OK; i++)
		if (is_there(&entries->loaded[i], target))
			status = answered_plant(&entries->loaded[i].answered, target, planted);
	return status;
}

enum status entries_plant_answered(const struct entries *entries, struct target *target)
{
	return entries_given_up(target) ? STATUS_OK : plant(entries, target, true);
}

enum status entries_unplant_answered(const struct entries *entries, struct target *target)
{
	return plant(entries, target, false);
}

const struct answered *entries_answered(const struct entries *entries, uint64_t address)
{
	const struct answered *answered = answered_at(&entries->answered, address);
	/* The target may have been another one when it was last looked at what is mapped. */
	for (size_t i = 0; i < entries->loaded_length && !answered; i++)
		answered = answered_at(&entries->loaded[i].answered, address);
	return answered;
}

void entries_hide_answered(const struct entries *entries, uint64_t address, uint8_t *bytes, size_t size)
{
	answered_hide(&entries->answered, address, bytes, size);
	for (size_t i = 0; i < entries->loaded_length; i++)
		if (entries->loaded[i].mapped)
			answered_hide(&entries->loaded[i].answered, address, bytes, size);
}

bool entries_answered_here(const struct entries *entries, const struct target *target, uint64_t address)
{
	uint8_t byte;
	return entries_answered(entries, address) &&
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
	return entries_unplant_answered(entries, tracee->target);
}

const char *entries_describe_answered(const struct entries *entries, const struct call *call)
{
	const struct answered *answered = entries_answered(entries, call->entry);
	switch (answered ? (enum answered_kind)answered->kind : ANSWERED_NOT) {
	case ANSWERED_RANDOM:
		return "random numbers of the processor";
	case ANSWERED_PROCESSOR:
		return "the processor's number";
	default:
		return "the processor's counter of time";
	}
}
