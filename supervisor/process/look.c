/*
 * Executions that are looked at: the code's accesses to memory, sampled. What the program does is the same as ever: traps
 * are passed at once, and no thread is switched there.
 */
#include "supervisor/process/process.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RED_ZONE 128
#define THREAD_BYTES                                                                                         \
	0x1000 /* libc's own part of a thread's stack, above what fs points to: less than a page */

bool process_look(struct process *process, const struct process_look *look)
{
	struct looking *looking = &process->looking;
	if (look && process->options.pilot)
		return false;
	if (look && !looking->sampler)
		looking->sampler = sampler_new();
	looking->look = looking->sampler ? look : NULL;
	return looking->look || !look;
}

const char *process_unseen(const struct process *process)
{
	const struct looking *looking = &process->looking;
	if (looking->status != STATUS_OK)
		return status_text(looking->status);
	return looking->sampler ? sampler_left_out(looking->sampler) : "";
}

bool process_promotable(const struct process *process, uint64_t address, struct promoted_place *place)
{
	return process->target && entries_accesses(process->entries, process->target, address) &&
	       entries_place(process->entries, address, place);
}

void look_begin(struct process *process)
{
	struct looking *looking = &process->looking;
	if (!looking->look)
		return;
	looking->main_stack = 0;
	looking->status =
	    sampler_start(looking->sampler, process->entries, process->target, looking->look->stacks);
}

void look_again(struct process *process)
{
	struct looking *looking = &process->looking;
	if (looking->look && looking->status == STATUS_OK)
		looking->status = sampler_look_again(looking->sampler, process->entries, process->target);
}

void look_turn(struct process *process, uint32_t thread)
{
	if (process->looking.look)
		sampler_turn(process->looking.sampler, process->target, thread);
}

/* Where the mapping ends that the first thread's stack is in, its highest addresses; 0 if that can't be read. */
static uint64_t find_main_stack(const struct process *process, uint64_t stack)
{
	char path[64], line[512];
	unsigned long long low, high;
	uint64_t end = 0;
	snprintf(path, sizeof path, "/proc/%d/maps", target_pid(process->target));
	FILE *maps = fopen(path, "re");
	while (maps && !end && fgets(line, sizeof line, maps))
		if (sscanf(line, "%llx-%llx", &low, &high) == 2 && stack >= low && stack < high)
			end = high;
	if (maps)
		fclose(maps);
	return end;
}

/* A thread's stack reaches from its stack pointer to libc's data of it, the first one's to the end of the mapping. */
static bool on_stack(struct process *process, uint32_t thread, const struct user_regs_struct *regs,
		     uint64_t address)
{
	uint64_t end = regs->fs_base + THREAD_BYTES;
	if (thread == 0) {
		if (!process->looking.main_stack)
			process->looking.main_stack = find_main_stack(process, regs->rsp);
		end = process->looking.main_stack;
	}
	return address >= regs->rsp - RED_ZONE && address < end;
}

static bool on_other_stack(struct process *process, uint32_t thread, uint64_t address)
{
	for (uint32_t t = 0; t < process->threads_length; t++) {
		struct tracee *tracee = process->threads[t].tracee;
		const struct user_regs_struct *regs = tracee && t != thread ? tracee_regs(tracee) : NULL;
		if (regs && on_stack(process, t, regs, address))
			return true;
	}
	return false;
}

static void tell(struct process *process, uint32_t thread, uint64_t place,
		 const struct user_regs_struct *regs, const struct touched *touched)
{
	const struct process_look *look = process->looking.look;
	if (touched->size == 0)
		return;
	bool own = on_stack(process, thread, regs, touched->address);
	const struct memory_access access = {.address = touched->address,
					     .size = touched->size,
					     .place = touched->place ? touched->place : place,
					     .thread = thread,
					     .write = touched->write,
					     .frees = touched->frees,
					     .last = sampler_last_leaves(process->looking.sampler),
					     .own_stack = own,
					     .other_stack =
						 !own && on_other_stack(process, thread, touched->address)};
	look->access(look->context, &access);
}

bool look_is_trap(const struct process *process, uint64_t address)
{
	return process->looking.look && sampler_is_trap(process->looking.sampler, address);
}

bool look_hit(struct process *process, uint32_t thread, const struct stop *stop, bool silent)
{
	struct sampler *sampler = process->looking.sampler;
	struct touched at[TOUCHED_MOST];
	size_t length = 0;
	bool resume = true;
	enum status status = sampler_hit(sampler, stop->tracee, thread, stop->address, at, &length);
	const struct user_regs_struct *regs = tracee_regs(stop->tracee);
	for (size_t i = 0; status == STATUS_OK && regs && !silent && i < length; i++)
		tell(process, thread, stop->address, regs, &at[i]);
	if (status == STATUS_OK)
		(void)sampler_go(sampler, stop->tracee, thread, &resume);
	return resume;
}

void look_round(struct process *process, uint32_t thread, uint64_t address)
{
	struct touched at[TOUCHED_MOST];
	struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (!regs || !process->looking.look)
		return;
	size_t length =
	    sampler_touched(process->looking.sampler, process->entries, tracee, regs, address, at);
	for (size_t i = 0; i < length; i++)
		tell(process, thread, address, regs, &at[i]);
}

bool look_pass(struct process *process, struct tracee *tracee, uint64_t address)
{
	return look_is_trap(process, address) &&
	       sampler_pass(process->looking.sampler, tracee, address) == STATUS_OK;
}

void look_hide(struct process *process, struct target *target)
{
	if (process->looking.look)
		sampler_hide(process->looking.sampler, target);
}

void look_show(struct process *process, struct target *target)
{
	if (process->looking.look)
		sampler_show(process->looking.sampler, target);
}

void look_end(struct process *process)
{
	if (process->looking.sampler)
		sampler_end(process->looking.sampler);
}

void look_release(struct process *process)
{
	sampler_free(process->looking.sampler);
	process->looking.sampler = NULL;
}
