#include "supervisor/process/kernel_objects.h"
#include "supervisor/run/run.h"
#include "supervisor/starts/starts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * What states are told apart by: memory in use, and of each thread the registers that its code may still read. Of one that stands before a
 * call those are the ones that a call keeps, its arguments being known by the operation; before an instruction, or where it stands anywhere
 * else, all.
 */

#define REGISTERS 24

static uint64_t mix(uint64_t digest, uint64_t word)
{
	digest = (digest ^ word) * UINT64_C(0x9fb21c651e98df25);
	return digest ^ digest >> 32;
}

static bool at_call(const struct process_thread *thread)
{
	const struct call *call = &thread->call;
	return !call->instruction && !thread->spinning && !thread->at_head && call->op.kind != OP_OUTPUT &&
	       call->op.kind != OP_SYSCALL && call->op.kind < OP_USER;
}

static uint64_t registers_of(const struct process_thread *thread, const struct user_regs_struct *regs)
{
	const uint64_t kept[] = {regs->rip, regs->rsp, regs->rbp, regs->rbx,
				 regs->r12, regs->r13, regs->r14, regs->r15};
	const uint64_t others[] = {regs->rax, regs->rcx, regs->rdx, regs->rsi, regs->rdi,
				   regs->r8,  regs->r9,	 regs->r10, regs->r11};
	uint64_t digest = 1;
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		digest = mix(digest, kept[i]);
	for (size_t i = 0; i < sizeof others / sizeof *others && !at_call(thread); i++)
		digest = mix(digest, others[i]);
	return digest;
}

/* Of chosen variables alone. */
static bool selected_state(const struct process *process, uint64_t digest[2])
{
	uint8_t bytes[4096];
	digest[0] = 1;
	digest[1] = 2;
	for (size_t i = 0; i < process->selection.length; i++) {
		const struct expression_range *range = &process->selection.at[i];
		for (uint64_t at = 0; at < range->size; at += sizeof bytes) {
			const size_t size = range->size - at < sizeof bytes ? range->size - at : sizeof bytes;
			if (target_read(process->target, range->address + at, bytes, size) != STATUS_OK)
				return false;
			for (size_t k = 0; k < size; k++) {
				digest[0] = mix(digest[0], bytes[k]);
				digest[1] = mix(digest[1] + bytes[k], range->address + at + k);
			}
		}
	}
	return true;
}

bool process_select_state(struct process *process, const char *variables, char why[320])
{
	struct expression_problem problem;
	selection_release(&process->selection);
	if (selection_find(&process->selection, process->places, variables, &problem))
		return true;
	snprintf(why, 320, "column %zu: %s", problem.column, problem.text);
	return false;
}

bool process_state(struct machine *machine, uint64_t digest[2])
{
	struct process *process = process_of(machine);
	if (process->selection.length > 0)
		return selected_state(process, digest);
	const size_t length = process->threads_length;
	struct contents_stack *stacks = calloc(length ? length : 1, sizeof *stacks);
	uint64_t registers = 0;
	if (!stacks)
		return false;
	for (size_t t = 0; t < length; t++) {
		const struct process_thread *thread = &process->threads[t];
		const struct user_regs_struct *regs = thread->tracee ? tracee_regs(thread->tracee) : NULL;
		stacks[t] = (struct contents_stack){.low = regs ? regs->rsp : 0,
						    .high = t == 0 ? UINT64_MAX : thread->pthread,
						    .tls = regs ? regs->fs_base : 0};
		registers = mix(registers, regs ? registers_of(thread, regs) : 2);
		registers = mix(registers, stores_digest(&thread->stores));
	}
	struct contents *contents = memory_contents(process);
	const enum status status =
	    contents ? contents_state(contents, stacks, length, digest) : STATUS_NO_MEMORY;
	free(stacks);
	uint64_t bytes = 0;
	const bool known = kernel_digest(process, &bytes);
	digest[0] ^= registers;
	digest[1] ^= bytes;
	return status == STATUS_OK && known;
}

uint64_t process_identity(const struct machine *machine, uint32_t object)
{
	return process_object((const struct process *)machine, object);
}
