#include "supervisor/before/stores.h"
#include "supervisor/process/kernel_objects.h"
#include "supervisor/starts/starts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * What states are told apart by: memory in use, and of each thread the registers that its code may still read. Of one that stands before a
 * call those are the ones that a call keeps, its arguments being known by the operation; before an instruction, or where it stands anywhere
 * else, all.
 */

#define FEW_BYTES 4096
#define FEW_PARTS 8

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

/* Where in memory words are makes a difference, and zeros count: variables are few. */
static void mix_words(uint64_t digest[2], uint64_t address, const uint8_t *bytes, size_t size)
{
	for (size_t k = 0; k < size; k += sizeof(uint64_t)) {
		uint64_t word = 0;
		memcpy(&word, bytes + k, size - k < sizeof word ? size - k : sizeof word);
		digest[0] = mix(digest[0], word);
		digest[1] = mix(digest[1] + word, address + k);
	}
}

/* Of chosen variables alone: so few bytes that reading them costs less than asking what has been written. */
static bool few_bytes_state(const struct process *process, uint64_t digest[2])
{
	uint8_t bytes[FEW_BYTES];
	digest[0] = 1;
	digest[1] = 2;
	for (size_t i = 0; i < process->selection.length; i++) {
		const struct expression_range *range = &process->selection.at[i];
		if (target_read(process->target, range->address, bytes, range->size) != STATUS_OK)
			return false;
		mix_words(digest, range->address, bytes, range->size);
	}
	return true;
}

static bool selected_state(struct process *process, uint64_t digest[2])
{
	const size_t length = process->selection.length;
	uint64_t size = 0;
	for (size_t i = 0; i < length; i++)
		size += process->selection.at[i].size;
	if (size <= FEW_BYTES && length <= FEW_PARTS)
		return few_bytes_state(process, digest);
	struct contents *contents = memory_contents(process);
	struct contents_part *parts = calloc(length, sizeof *parts);
	for (size_t i = 0; parts && i < length; i++)
		parts[i] =
		    (struct contents_part){process->selection.at[i].address, process->selection.at[i].size};
	const bool told = parts && contents && contents_parts(contents, parts, length, digest) == STATUS_OK;
	free(parts);
	return told;
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
