/* A thread at a trap goes on: past it, or by the instruction that it stands for. */
#include "breakpoints/traps/state.h"

#include <fmc/tracer/assert.h>

/* The byte that the trap instruction at this address stands for. */
static uint8_t original_byte(const struct entries *entries, uint64_t address)
{
	uint8_t byte = TRAP_INSTRUCTION;
	const bool known = patches_find(&entries->rest, address, &byte) ||
			   patches_find(&entries->first, address, &byte) ||
			   entries_loaded_byte(entries, address, &byte);
	FMC_ASSERT(known);
	return byte;
}

static enum status put_byte(struct target *target, uint64_t address, uint8_t byte)
{
	return target_write(target, address, &byte, 1);
}

enum status entries_step(const struct entries *entries, struct tracee *tracee, uint64_t trap, bool *performed)
{
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	struct stop stop;
	*performed = false;
	if (!regs)
		return STATUS_GONE;
	regs->rip = trap;
	enum status status = put_byte(tracee->target, trap, original_byte(entries, trap));
	if (status == STATUS_OK)
		status = tracee_perform(tracee, &stop);
	if (status != STATUS_OK)
		return status;
	*performed = stop.kind == STOP_STEP;
	status = put_byte(tracee->target, trap, TRAP_INSTRUCTION);
	if (*performed)
		return status;
	/* A process on its way out may have no memory any more. */
	target_push_back(&stop);
	return stop.kind == STOP_EXITING || stop.kind == STOP_EXITED ? STATUS_OK : status;
}

/* From the beginning of a function that returns 0 to its caller. */
static enum status return_at_once(struct tracee *tracee)
{
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	uint64_t caller;
	if (!regs)
		return STATUS_GONE;
	enum status status = target_read(tracee->target, regs->rsp, &caller, sizeof(caller));
	if (status != STATUS_OK)
		return status;
	regs->rip = caller;
	regs->rsp += sizeof(caller);
	regs->rax = 0;
	return STATUS_OK;
}

/* A vfork child, before its exec, has hit a trap that would have to be stepped by entries_step(): remove it for good. */
static enum status forget_trap(const struct entries *entries, struct tracee *tracee, uint64_t address)
{
	struct user_regs_struct *regs = tracee_change_regs(tracee);
	if (!regs)
		return STATUS_GONE;
	regs->rip = address;
	return put_byte(tracee->target, address, original_byte(entries, address));
}

enum status entries_pass(const struct entries *entries, struct tracee *tracee, uint64_t address)
{
	const struct trap *trap = entries_trap(entries, address);
	const struct answered *answered = entries_answered(entries, address);
	if (answered)
		return entries_answer(entries, tracee, answered);
	bool steps = trap ? entry_point_is_user(trap->point) : entries_atomic(entries, address) != NULL;
	if (steps)
		return forget_trap(entries, tracee, address);
	if (!trap)
		return STATUS_NOT_FOUND;
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (!regs)
		return STATUS_GONE;
	if (entry_point_is_own(trap->point))
		return return_at_once(tracee);
	/* After a door's trap the thread is where it has to be. */
	if (regs->rip != trap->copy)
		tracee_change_regs(tracee)->rip = trap->copy;
	return STATUS_OK;
}
