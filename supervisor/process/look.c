/*
 * Executions that are looked at: the code's accesses to memory, sampled. What the program does is the same as ever: traps
 * are passed at once, and no thread is switched there.
 */
#include "supervisor/process/process.h"

#include <fmc/tracer/array.h>
#include <fmc/tracer/maps.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RED_ZONE    128
#define LIBC_LOCALS 0x400 /* bytes of thread-local variables that libc and the C++ runtime may have */
#define PAGE	    4096
#define THREAD_BYTES                                                                                         \
	0x1000 /* libc's own part of a thread's stack, above what fs points to: less than a page, */
#define THREAD_BYTES_LEAST 0x800 /* and at least so much */

bool process_look(struct process *process, const struct process_look *look)
{
	struct looking *looking = &process->looking;
	if (look && process->options.pilot)
		return false;
	/* One address is another place in each process. */
	if (process->options.follow)
		return true;
	if (look && !looking->sampler)
		looking->sampler = sampler_new(looking->memory);
	if (look && !looking->sift)
		looking->sift = sift_new();
	looking->look = looking->sampler && looking->sift ? look : NULL;
	return looking->look || !look;
}

static const char *looking_text(enum status status)
{
	return status == STATUS_INTERRUPTED ? "there was no time for it" : status_text(status);
}

const char *process_unseen(const struct process *process)
{
	const struct looking *looking = &process->looking;
	if (looking->status != STATUS_OK)
		return looking_text(looking->status);
	return looking->sampler ? sampler_left_out(looking->sampler) : "";
}

bool process_look_exact(const struct process *process, char why[PROCESS_LOOK_WHY])
{
	const struct looking *looking = &process->looking;
	const char *missing = NULL;
	if (process->options.follow && process->shares_memory)
		missing =
		    "accesses to memory that processes share (MAP_SHARED), of which at most samples are "
		    "looked at (--follow)";
	else if (process->options.follow)
		missing = "accesses to memory of several processes (--follow)";
	else if (!looking->sampler)
		missing = "nobody looked";
	else if (looking->status != STATUS_OK)
		missing = looking_text(looking->status);
	else if (looking->foreign_local)
		missing = "a thread touches another one's thread-local variables";
	else if (looking->sifting && sift_failed(looking->sift))
		missing = "there was no memory for it";
	else if (looking->unsized)
		missing = "blocks of unknown size, given back to another allocator than glibc's while others "
			  "may use them";
	else if (looking->coarse)
		missing = "copies by functions of libc, other accesses of theirs, or those told by the "
			  "compiler, that others may see in more parts";
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
	uint64_t call;
	*apart = false;
	/* What a function of a library's has touched is told with the place before which that returns. */
	if (hidden && process->target && sampler_call_before(sampler, process->target, address + 1, &call)) {
		*apart = call != 0;
		return call && entries_place(process->entries, call, place);
	}
	return process->target &&
	       (hidden ? sampler_accesses(sampler, process->target, address, apart)
		       : entries_accesses(process->entries, process->target, address, apart)) &&
	       entries_place(process->entries, address, place);
}

void look_begin(struct process *process)
{
	struct looking *looking = &process->looking;
	if (!looking->look || looking->begun)
		return;
	looking->begun = true;
	looking->main_stack = 0;
	looking->foreign_local = looking->coarse = looking->unsized = false;
	looking->standings_length = 0;
	looking->sifting = looking->look->sift && looking->look->places_length == 0;
	/* Stores that wait reach memory later than in their turn. */
	if (looking->sifting)
		sift_begin(looking->sift, looking->look->access,
			   process->options.tso ? NULL : looking->look->ordered, looking->look->context);
	sift_renumber(looking->sift);
	sampler_see_new(looking->sampler, looking->look->news);
	sampler_stand(looking->sampler, looking->look->places, looking->look->places_length);
	looking->status =
	    sampler_start(looking->sampler, process->entries, process->target, looking->look->stacks);
}

void look_again(struct process *process)
{
	struct looking *looking = &process->looking;
	if (!looking->look || looking->status != STATUS_OK)
		return;
	sift_renumber(looking->sift);
	looking->status = sampler_look_again(looking->sampler, process->entries, process->target);
}

void look_turn(struct process *process, uint32_t thread)
{
	process->looking.seen++;
	if (process->looking.look)
		sampler_turn(process->looking.sampler, process->target, thread);
}

/* Where the mapping ends that the first thread's stack is in, its highest addresses; 0 if that can't be read. */
static uint64_t find_main_stack(const struct process *process, uint64_t stack)
{
	struct maps maps;
	if (maps_of(target_pid(process->target), &maps) != STATUS_OK)
		return 0;
	const struct snapshot_mapping *found = maps_find(&maps, stack);
	const uint64_t end = found ? found->high : 0;
	maps_release(&maps);
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
	looking->seen += standing->fs != fs || low < standing->low;
	/* What fs points to is set when the thread starts. */
	if (standing->fs != fs)
		*standing = (struct standing){low, fs};
	else if (low < standing->low)
		standing->low = low;
	return standing;
}

/* Stacks end with a page, but for those that the program has given: what is mapped right above isn't the thread's. */
static uint64_t thread_end(uint64_t fs)
{
	const uint64_t page = fs - fs % PAGE + PAGE;
	return page - fs >= THREAD_BYTES_LEAST ? page : fs + THREAD_BYTES;
}

/* A thread's stack reaches from its stack pointer to libc's data of it, the first one's to the end of the mapping. */
static uint64_t stack_end(struct process *process, uint32_t thread, const struct standing *standing)
{
	if (thread > 0)
		return thread_end(standing->fs);
	if (!process->looking.main_stack)
		process->looking.main_stack = find_main_stack(process, standing->low);
	return process->looking.main_stack;
}

/* Right below what fs points to; their owner comes to them by fs alone, which isn't watched. */
static bool is_local(const struct process *process, const struct standing *standing, uint64_t address)
{
	const uint64_t bytes = sampler_thread_bytes(process->looking.sampler);
	return bytes > 0 && address < standing->fs && address >= standing->fs - bytes - LIBC_LOCALS;
}

/* Those of thread `t` are among those of others. */
static void widen(struct process *process, uint32_t t)
{
	struct looking *looking = &process->looking;
	const struct standing *standing = &looking->standings[t];
	const uint64_t locals = standing->fs - sampler_thread_bytes(looking->sampler) - LIBC_LOCALS;
	const uint64_t low = locals < standing->low ? locals : standing->low;
	const uint64_t end = stack_end(process, t, standing);
	const uint64_t high = end > standing->fs ? end : standing->fs;
	if (low < looking->others_low)
		looking->others_low = low;
	if (high > looking->others_high)
		looking->others_high = high;
}

/* Where the others stand, who don't move while this one does: before anything of it is told. */
static void see_others(struct process *process, uint32_t thread)
{
	struct looking *looking = &process->looking;
	for (uint32_t t = 0; t < process->threads_length; t++) {
		struct tracee *tracee = process->threads[t].tracee;
		const struct user_regs_struct *regs = tracee && t != thread ? tracee_regs(tracee) : NULL;
		if (regs)
			(void)stand(process, t, regs->rsp, regs->fs_base);
	}
	looking->others_low = UINT64_MAX;
	looking->others_high = 0;
	for (uint32_t t = 0; t < looking->standings_length; t++)
		if (t != thread && looking->standings[t].fs)
			widen(process, t);
}

/* Thread t's stack or thread-local variables are in this page. */
static bool is_in_page(struct process *process, uint32_t t, uint64_t page)
{
	const struct standing *standing = &process->looking.standings[t];
	const uint64_t locals = standing->fs - sampler_thread_bytes(process->looking.sampler) - LIBC_LOCALS;
	const uint64_t low = locals < standing->low ? locals : standing->low;
	const uint64_t end = stack_end(process, t, standing);
	const uint64_t high = end > standing->fs ? end : standing->fs;
	const bool locals_in = locals / PAGE <= page && standing->fs / PAGE >= page;
	return locals_in || (low / PAGE <= page && high / PAGE >= page);
}

/* No other thread's stack or thread-local variables are anywhere near. */
static bool is_apart(struct process *process, uint32_t thread, uint64_t address)
{
	struct looking *looking = &process->looking;
	const uint64_t page = address / PAGE;
	struct apart_page *known = &looking->apart[page % APART_PAGES];
	if (address < looking->others_low || address >= looking->others_high ||
	    (known->page == page && known->seen == looking->seen))
		return true;
	for (uint32_t t = 0; t < looking->standings_length; t++)
		if (t != thread && looking->standings[t].fs && is_in_page(process, t, page))
			return false;
	*known = (struct apart_page){page, looking->seen};
	return true;
}

/* *local: among another thread's thread-local variables. True: on its stack. */
static bool is_of_other(struct process *process, uint32_t thread, uint64_t address, bool *local)
{
	const struct looking *looking = &process->looking;
	const uint64_t own = looking->standings[thread].fs;
	bool stack = false;
	if (address < looking->others_low || address >= looking->others_high)
		return false;
	for (uint32_t t = 0; t < looking->standings_length; t++) {
		const struct standing *standing = &looking->standings[t];
		/* One that is gone may have left its stack to this one. */
		if (t == thread || !standing->fs || standing->fs == own)
			continue;
		stack |= address >= standing->low && address < stack_end(process, t, standing);
		*local |= is_local(process, standing, address);
	}
	return stack;
}

/* A thread of which something is told. */
struct telling {
	struct process *process;
	uint32_t thread;
	bool handler;	/* it is in one */
	uint64_t place; /* of what has none of its own */
	struct standing *standing;
	uint64_t stack_end,
	    own_end; /* its stack's, and that of what nobody but it has of that: a handler has no frames but its own */
};

static size_t present_transition(const struct looking *looking)
{
	return looking->look->transition ? *looking->look->transition : 0;
}

/* False without memory. */
static bool begin_telling(struct process *process, uint32_t thread, uint64_t place,
			  const struct user_regs_struct *regs, struct telling *telling)
{
	struct looking *looking = &process->looking;
	struct standing *standing = stand(process, thread, regs->rsp, regs->fs_base);
	const struct handling *handling = &process->threads[thread].handling;
	if (!standing) {
		looking->status = STATUS_NO_MEMORY;
		return false;
	}
	*telling = (struct telling){.process = process,
				    .thread = thread,
				    .handler = handling->where != 0,
				    .place = place,
				    .standing = standing,
				    .stack_end = stack_end(process, thread, standing)};
	telling->own_end = telling->handler ? handling->stack - RED_ZONE : telling->stack_end;
	if (looking->sifting)
		sift_turn(looking->sift, thread, telling->handler, present_transition(looking));
	return true;
}

/* Whoever wants to know of a block wants as many bytes as its owner has asked for. */
static void tell_new(const struct telling *telling, const struct touched *touched)
{
	struct looking *looking = &telling->process->looking;
	const struct process_look *look = looking->look;
	const struct memory_access access = {.address = touched->address,
					     .size = touched->room,
					     .place = telling->place,
					     .transition = present_transition(looking),
					     .thread = telling->thread,
					     .handler = telling->handler,
					     .gives = true};
	if (touched->size > 0 && look->allocated)
		look->allocated(look->context, telling->thread, touched->address, touched->size);
	if (touched->room > 0 && looking->sifting)
		(void)sift_take(looking->sift, 0, &access);
	else if (touched->room > 0)
		look->access(look->context, &access);
}

/* All others have been joined, or haven't begun. */
static bool is_alone(const struct process *process, uint32_t thread)
{
	for (uint32_t t = 0; t < process->threads_length; t++)
		if (t != thread && !process->threads[t].sender && !model_joined(process->model->model, t))
			return false;
	return true;
}

/* `stack`: the thread's stack pointer then. True: *own of sift_again(). */
static bool tell(const struct telling *telling, const struct touched *touched, uint64_t stack)
{
	struct looking *looking = &telling->process->looking;
	struct standing *standing = telling->standing;
	bool settled;
	if (touched->gives)
		tell_new(telling, touched);
	if (touched->gives || touched->size == 0)
		return false;
	/* No operation stands for it, so no other order of it is run. */
	if (touched->frees && !touched->write && !looking->unsized)
		looking->unsized = !is_alone(telling->process, telling->thread);
	if (stack - RED_ZONE < standing->low)
		standing->low = stack - RED_ZONE;
	const bool own = touched->address >= standing->low && touched->address < telling->own_end;
	if (looking->sifting && (own || is_apart(telling->process, telling->thread, touched->address)) &&
	    sift_again(looking->sift, touched->site, own, touched->address, &settled))
		return settled;
	bool local = false, other = telling->handler && touched->address >= telling->own_end &&
				    touched->address < telling->stack_end;
	other |= !own && is_of_other(telling->process, telling->thread, touched->address, &local);
	looking->foreign_local |= local;
	const struct memory_access access = {.address = touched->address,
					     .size = touched->size,
					     .place = touched->place ? touched->place : telling->place,
					     .transition = present_transition(looking),
					     .thread = telling->thread,
					     .handler = telling->handler,
					     .write = touched->write,
					     .locked = touched->locked,
					     .frees = touched->frees,
					     .lingers = touched->lingers,
					     .inner = touched->inner,
					     .last = sampler_last_leaves(looking->sampler),
					     .own_stack = own,
					     .other_stack = other};
	if (looking->sifting)
		return sift_take(looking->sift, touched->site, &access);
	looking->look->access(looking->look->context, &access);
	return false;
}

static void tell_logged(const void *context, struct logged *at, size_t length)
{
	const struct telling *telling = context;
	const struct looking *looking = &telling->process->looking;
	uint64_t addresses[LOGGED_MOST] = {0};
	for (size_t i = 0; i < length; i++)
		addresses[i] = at[i].touched.address;
	if (looking->sifting)
		sift_prepare(looking->sift, addresses, length);
	for (size_t i = 0; i < length; i++)
		at[i].settled = tell(telling, &at[i].touched, at[i].stack);
}

void process_look_operation(struct process *process, const struct memory_access *access)
{
	struct looking *looking = &process->looking;
	struct memory_access present = *access;
	if (!looking->look)
		return;
	handling_end(&process->threads[access->thread]);
	present.handler = process->threads[access->thread].handling.where != 0;
	present.transition = present_transition(looking);
	/* Who reads it is told because of that one. */
	if (!looking->sifting || access->guard)
		looking->look->access(looking->look->context, &present);
	if (!looking->sifting)
		return;
	sift_turn(looking->sift, access->thread, present.handler, present.transition);
	(void)sift_take(looking->sift, 0, &present);
}

void look_take(struct process *process, uint32_t thread, bool silent)
{
	struct tracee *tracee = process->threads[thread].tracee;
	struct telling telling;
	if (!process->looking.look || !process->target || !tracee || tracee->life == TRACEE_RUNNING)
		return;
	const struct user_regs_struct *regs = tracee_regs(tracee);
	if (!silent)
		see_others(process, thread);
	if (regs && begin_telling(process, thread, 0, regs, &telling))
		sampler_drain(process->looking.sampler, process->target, regs->rsp, silent, tell_logged,
			      &telling);
}

static uint32_t number_of(const struct process *process, const struct tracee *tracee)
{
	uint32_t thread = 0;
	while (thread < process->threads_length && process->threads[thread].tracee != tracee)
		thread++;
	return thread;
}

void look_leave(struct process *process, struct tracee *tracee, bool silent)
{
	const uint32_t thread = number_of(process, tracee);
	if (!process->looking.look || thread == process->threads_length)
		return;
	look_take(process, thread, silent);
	sampler_leave(process->looking.sampler, tracee);
}

static void tell_all(struct process *process, uint32_t thread, uint64_t place,
		     const struct user_regs_struct *regs, const struct touched *at, size_t length)
{
	struct telling telling;
	if (length == 0 || !begin_telling(process, thread, place, regs, &telling))
		return;
	for (size_t i = 0; i < length; i++)
		(void)tell(&telling, &at[i], regs->rsp);
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
	if (status == STATUS_OK && regs && (!silent || (length > 0 && at[0].gives)))
		tell_all(process, thread, stop->address, regs, at, length);
	if (status == STATUS_OK)
		(void)sampler_go(sampler, stop->tracee, thread, &resume);
	return resume;
}

void look_given_back(struct process *process, uint32_t thread, uint64_t function, bool silent)
{
	struct tracee *tracee = process->threads[thread].tracee;
	struct user_regs_struct *regs = process->looking.look ? tracee_change_regs(tracee) : NULL;
	struct touched at[TOUCHED_MOST];
	if (!regs)
		return;
	regs->rip = function;
	look_take(process, thread, silent);
	const size_t length = sampler_release(process->looking.sampler, tracee, thread, at);
	if (!silent)
		tell_all(process, thread, function, regs, at, length);
}

void look_called(struct process *process, uint32_t thread, uint64_t address)
{
	struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = process->looking.look ? tracee_regs(tracee) : NULL;
	struct touched at[TOUCHED_MOST];
	bool at_once;
	if (!regs)
		return;
	look_take(process, thread, false);
	const size_t length = entries_touched(process->entries, tracee, address, at, &at_once);
	for (size_t i = 0; i < length; i++)
		at[i].place = process->threads[thread].call.op.place - 1;
	process->looking.coarse |= length > 0 && !at_once;
	tell_all(process, thread, address, regs, at, length);
}

bool process_releases(const struct process *process, uint32_t thread, uint64_t place,
		      struct module_place *call, struct module_place *function)
{
	const struct sampler *sampler = process->looking.sampler;
	struct tracee *tracee = process->threads[thread].tracee;
	const struct user_regs_struct *regs = sampler && tracee ? tracee_regs(tracee) : NULL;
	return regs && regs->rip != place && sampler_is_release(sampler, regs->rip) &&
	       entries_place(process->entries, place, call) &&
	       entries_place(process->entries, regs->rip, function);
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
	tell_all(process, thread, address, regs, at, length);
}

void look_bare(const struct process *process, struct tracee *tracee, struct bared *bared)
{
	*bared = (struct bared){0};
	if (process->looking.look)
		sampler_bare(process->looking.sampler, tracee, bared);
}

void look_cover(struct process *process, const struct bared *bared)
{
	if (process->target)
		sampler_cover(process->target, bared);
}

void look_about(struct process *process, struct tracee *tracee)
{
	struct touched at[TOUCHED_MOST];
	const struct user_regs_struct *regs = process->looking.look ? tracee_regs(tracee) : NULL;
	const uint32_t thread = number_of(process, tracee);
	if (!regs || thread == process->threads_length)
		return;
	const size_t length = sampler_about(process->looking.sampler, tracee, thread, at);
	if (length == 0)
		return;
	see_others(process, thread);
	tell_all(process, thread, regs->rip, regs, at, length);
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
	process->looking.begun = false;
	if (process->looking.sampler)
		sampler_end(process->looking.sampler);
}

void look_reserve(struct process *process, struct target *target)
{
	struct looking *looking = &process->looking;
	if (!looking->memory)
		looking->memory = sampler_memory_new();
	sampler_reserve(process->entries, target, looking->memory);
}

void look_release(struct process *process)
{
	sampler_free(process->looking.sampler);
	process->looking.sampler = NULL;
	sampler_memory_free(process->looking.memory);
	process->looking.memory = NULL;
	sift_free(process->looking.sift);
	process->looking.sift = NULL;
	free(process->looking.standings);
	process->looking.standings = NULL;
}
