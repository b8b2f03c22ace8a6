/* Calls of libraries' functions that only read, in rounds of loops that wait for what they read: while (strcmp(state, "done")); */
#include "supervisor/accesses/accesses.h"

#include <fmc/breakpoints/sampling.h>

#include <string.h>

#define STEPS_MOST 2048

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static uint64_t digest(const struct called *called)
{
	uint64_t hash = called->length;
	for (uint32_t i = 0; i < called->length; i++) {
		const struct called_range *range = &called->at[i];
		hash = mix(mix(hash, range->address), range->size);
		for (uint64_t byte = 0; byte < range->size; byte++)
			hash = mix(hash, range->bytes[byte]);
	}
	return hash | 1;
}

uint64_t called_find(const struct process *process, const struct process_thread *thread,
		     const struct call *call, struct called *called)
{
	struct touched at[TOUCHED_MOST];
	size_t length;
	called->length = 0;
	if (!entries_only_reads(process->entries, thread->tracee, call->entry, at, &length) ||
	    length > CALLED_RANGES)
		return 0;
	for (size_t i = 0; i < length; i++) {
		struct called_range *range = &called->at[i];
		range->address = at[i].address;
		range->size = at[i].size;
		if (at[i].size > CALLED_BYTES ||
		    target_read(process->target, at[i].address, range->bytes, at[i].size) != STATUS_OK)
			return 0;
	}
	called->length = (uint32_t)length;
	return digest(called);
}

#define SYSCALL_BYTES 2

/* No more than code of the program's is there. */
static bool is_plain(const struct process *process, uint64_t address)
{
	uint8_t code[SYSCALL_BYTES];
	return !entries_is_trap(process->entries, address) &&
	       !entries_is_head_trap(process->entries, address) &&
	       entries_visible_pc(process->entries, address) == address &&
	       target_read(process->target, address, code, sizeof code) == STATUS_OK &&
	       (code[0] != 0x0f || code[1] != 0x05);
}

bool called_run(const struct process *process, const struct process_thread *thread, const struct call *call)
{
	struct tracee *tracee = thread->tracee;
	const struct user_regs_struct *regs = tracee_regs(tracee);
	const uint64_t stack = regs ? regs->rsp : 0;
	bool performed = false;
	if (!regs || entries_step(process->entries, tracee, call->entry, &performed) != STATUS_OK ||
	    !performed)
		return false;
	for (unsigned steps = 0; steps < STEPS_MOST; steps++) {
		struct stop stop;
		regs = tracee_regs(tracee);
		if (regs && regs->rip == call->return_address && regs->rsp == stack)
			return true;
		if (!regs || !is_plain(process, regs->rip) || tracee_perform(tracee, &stop) != STATUS_OK)
			return false;
		if (stop.kind != STOP_STEP) {
			target_push_back(&stop);
			return false;
		}
	}
	return false;
}
