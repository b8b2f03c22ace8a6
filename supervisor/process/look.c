/*
 * Executions that are looked at: the code's accesses to memory, sampled. What the program does is the same as ever: traps
 * are passed at once, and no thread is switched there.
 */
#include "supervisor/process/process.h"

#include <fmc/tracer/array.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RED_ZONE    128
#define LIBC_LOCALS 0x400 /* bytes of thread-local variables that libc and the C++ runtime may have */
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

bool process_look_exact(const struct process *process, char why[PROCESS_LOOK_WHY])
{
	const struct looking *looking = &process->looking;
	const char *missing = NULL;
	if (!looking->sampler)
		missing = "nobody looked";
	else if (looking->status != STATUS_OK)
		missing = status_text(looking->status);
	else if (looking->foreign_local)
		missing = "a thread touches another one's thread-local variables";
	else
		return sampler_exact(looking->sampler, why);
	snprintf(why, PROCESS_LOOK_WHY, "%s", missing);
	return false;
}

const char *process_unfollowed(const struct process *process)
{
	const struct looking *looking = &process->looking;
	return looking->sampler ? sampler_unfollowed(looking->sampler) : "";
}

bool process_promotable(const struct process *process, uint64_t address, struct module_place *place,
			bool *apart)
{
	const struct sampler *sampler = process->looking.sampler;
	const bool hidden = sampler && sampler_active(sampler);
	*apart = false;
	return process->target &&
	       (hidden ? sampler_accesses(sampler, process->target, address, apart)
		       : entries_accesses(process->entries, process->target, address, apart)) &&
	       entries_place(process->entries, address, place);
}

void look_begin(struct process *process)
{
	struct looking *looking = &process->looking;
	if (!looking->look)
		return;
	looking->main_stack = 0;
	looking->foreign_local = false;
	looking->standings_length = 0;
	sampler_stand(looking->sampler, looking->look->places, looking->look->places_length);
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

/* Keep where the thread stands: others may have addresses of its stack when it has gone on, or is gone. */
static struct standing *stand(struct process *process, uint32_t thread, uint64_t stack, uint64_t fs)
{
	struct looking *looking = &process->looking;
	while (looking->standings_length <= thread) {
		if (!ARRAY_DOUBLE(looking->standings, looking->standings_length))
			return NULL;
		looking->standings[looking->standings_length++] = (struct standing){0};
	}
	struct standing *standing = &looking->standings[thread];
	const uint64_t low = stack - RED_ZONE;
	/* What fs points to is set when the thread starts. */
	if (standing->fs != fs)
		*standing = (struct standing){low, fs};
	else if (low < standing->low)
		standing->low = low;
	return standing;
}

/* A thread's stack reaches from its stack pointer to libc's data of it, the first one's to the end of the mapping. */
static bool on_stack(struct process *process, uint32_t thread, const struct standing *standing,
		     uint64_t address)
{
	uint64_t end = standing->fs + THREAD_BYTES;
	if (thread == 0) {
		if (!process->looking.main_stack)
			process->looking.main_stack = find_main_stack(process, standing->low);
		end = process->looking.main_stack;
	}
	return address >= standing->low && address < end;
}

/* Right below what fs points to; their owner comes to them by fs alone, which isn't watched. */
static bool is_local(const struct process *process, const struct standing *standing, uint64_t address)
{
	const uint64_t bytes = sampler_thread_bytes(process->looking.sampler);
	return bytes > 0 && address < standing->fs && address >= standing->fs - bytes - LIBC_LOCALS;
}

/* Where the others stand, who don't move while this one does: before anything of it is told. */
static void see_others(struct process *process, uint32_t thread)
{
	for (uint32_t t = 0; t < process->threads_length; t++) {
		struct tracee *tracee = process->threads[t].tracee;
		const struct user_regs_struct *regs = tracee && t != thread ? tracee_regs(tracee) : NULL;
		if (regs)
			(void)stand(process, t, regs->rsp, regs->fs_base);
	}
}

/* *local: among another thread's thread-local variables. True: on its stack. */
static bool is_of_other(struct process *process, uint32_t thread, uint64_t address, bool *local)
{
	const uint64_t own = process->looking.standings[thread].fs;
	bool stack = false;
	for (uint32_t t = 0; t < process->looking.standings_length; t++) {
		const struct standing *standing = &process->looking.standings[t];
		/* One that is gone may have left its stack to this one. */
		if (t == thread || !standing->fs || standing->fs == own)
			continue;
		stack |= on_stack(process, t, standing, address);
		*local |= is_local(process, standing, address);
	}
	return stack;
}

/* `stack`: the thread's stack pointer then. */
static void tell(struct process *process, uint32_t thread, uint64_t place,
		 const struct user_regs_struct *regs, uint64_t stack, const struct touched *touched)
{
	const struct process_look *look = process->looking.look;
	if (touched->size == 0)
		return;
	const struct standing *standing = stand(process, thread, stack, regs->fs_base);
	if (!standing) {
		process->looking.status = STATUS_NO_MEMORY;
		return;
	}
	const bool own = on_stack(process, thread, standing, touched->address);
	bool local = false, other = !own && is_of_other(process, thread, touched->address, &local);
	process->looking.foreign_local |= local;
	const struct memory_access access = {.address = touched->address,
					     .size = touched->size,
					     .place = touched->place ? touched->place : place,
					     .thread = thread,
					     .write = touched->write,
					     .frees = touched->frees,
					     .last = sampler_last_leaves(process->looking.sampler),
					     .own_stack = own,
					     .other_stack = other};
	look->access(look->context, &access);
}

/* What has been written into the log is told by whoever reads it. */
struct telling {
	struct process *process;
	uint32_t thread;
	const struct user_regs_struct *regs;
};

static void tell_logged(const void *context, const struct touched *touched, uint64_t stack)
{
	const struct telling *telling = context;
	tell(telling->process, telling->thread, touched->place, telling->regs, stack, touched);
}

void look_take(struct process *process, uint32_t thread, bool silent)
{
	struct tracee *tracee = process->threads[thread].tracee;
	if (!process->looking.look || !process->target || !tracee || tracee->life == TRACEE_RUNNING)
		return;
	const struct user_regs_struct *regs = tracee_regs(tracee);
	const struct telling telling = {process, thread, regs};
	if (!silent)
		see_others(process, thread);
	if (regs)
		sampler_drain(process->looking.sampler, process->target, regs->rsp,
			      silent ? NULL : tell_logged, &telling);
}

void look_leave(struct process *process, struct tracee *tracee, bool silent)
{
	uint32_t thread = 0;
	while (thread < process->threads_length && process->threads[thread].tracee != tracee)
		thread++;
	if (!process->looking.look || thread == process->threads_length)
		return;
	look_take(process, thread, silent);
	sampler_leave(process->looking.sampler, tracee);
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
	look_take(process, thread, silent);
	enum status status = sampler_hit(sampler, stop->tracee, thread, stop->address, at, &length);
	const struct user_regs_struct *regs = tracee_regs(stop->tracee);
	for (size_t i = 0; status == STATUS_OK && regs && !silent && i < length; i++)
		tell(process, thread, stop->address, regs, regs->rsp, &at[i]);
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
	size_t length = sampler_touched(process->looking.sampler, tracee, regs, address, at);
	see_others(process, thread);
	for (size_t i = 0; i < length; i++)
		tell(process, thread, address, regs, regs->rsp, &at[i]);
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
	free(process->looking.standings);
	process->looking.standings = NULL;
}
