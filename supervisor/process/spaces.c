/*
 * Processes that are followed (process_options.follow): each has memory of its own, a space. One of them is the present one, which is what
 * process->target, entries and places are of; an address means what is there in it. Memory that is mapped as shared is the same in
 * all of them, wherever each has it: it goes by file and offset.
 */
#include "supervisor/process/process.h"

#include <fmc/tracer/array.h>
#include <fmc/tracer/children.h>
#include <fmc/tracer/maps.h>

/* Keys: addresses of the first space are themselves. Above them the space, or the file in memory that is shared, and the place in it. */
#define SPACE_SHIFT 48
#define SHARED_KEY  (UINT64_C(1) << 62)
#define FILE_SHIFT  40

/* Has the present one memory that a child of its shares with it, and both can write? */
static bool has_shared(const struct process *process)
{
	struct maps maps;
	bool has = false;
	if (maps_of(target_pid(process->target), &maps) != STATUS_OK)
		return true;
	for (size_t i = 0; i < maps.length && !has; i++)
		has = maps.at[i].shared && maps.at[i].writable &&
		      !target_is_own(process->target, maps.at[i].low) &&
		      !(maps.at[i].path && maps_of_system(maps.at[i].path));
	maps_release(&maps);
	return has;
}

uint32_t spaces_add(struct process *process, struct target *target, uint32_t first, uint32_t forker)
{
	if (!ARRAY_GROW(process->spaces, process->spaces_length, process->spaces_room))
		return NO_SPACE;
	const bool copy = process->spaces_length > 0;
	process->shares_memory |= copy && !process->shares_memory && has_shared(process);
	const struct space *present = &process->spaces[process->space];
	process->spaces[process->spaces_length] = (struct space){
	    .target = target,
	    .first = first,
	    .forker = forker,
	    .memory = process->memories++,
	    .binary = copy ? present->binary : 0,
	    .counting = process->counting,
	};
	return (uint32_t)process->spaces_length++;
}

void spaces_finish(struct process *process)
{
	/* The youngest first: whoever has made them isn't there to notice then. */
	for (size_t i = process->spaces_length; i-- > 0;)
		target_kill(process->spaces[i].target);
	if (process->spaces_length == 0)
		target_kill(process->target);
	process->target = NULL;
	process->spaces_length = 0;
	process->space = 0;
	process->memories = 0;
	process->regions_length = 0;
	if (process->binaries_length > 0)
		binaries_use(process, 0);
}

void spaces_release(struct process *process)
{
	free(process->spaces);
	free(process->regions);
}

static void enter(struct process *process, uint32_t space)
{
	if (space >= process->spaces_length || space == process->space)
		return;
	struct space *from = &process->spaces[process->space];
	const struct space *to = &process->spaces[space];
	target_take_clock(to->target, process->target);
	from->counting = process->counting;
	memory_forget(process);
	process->space = space;
	process->target = to->target;
	process->counting = to->counting;
	binaries_use(process, to->binary);
}

void spaces_enter(struct process *process, uint32_t thread)
{
	if (thread < process->threads_length)
		enter(process, process->threads[thread].space);
}

void spaces_enter_object(struct process *process, uint32_t object)
{
	if (object < process->objects_length)
		enter(process, process->objects[object].space);
}

void spaces_enter_at(struct process *process, uint32_t thread, uint64_t transition)
{
	spaces_enter(process, thread);
	if (process->spaces_length == 0)
		return;
	const struct space *space = &process->spaces[process->space];
	binaries_use(process, transition < space->replaced_at ? space->binary_before : space->binary);
}

void spaces_become(struct process *process, uint32_t space, uint32_t binary)
{
	struct space *its = &process->spaces[space];
	its->binary_before = its->binary;
	its->replaced_at = process->transitions;
	its->binary = binary;
	its->memory = process->memories++;
	its->forker = NO_THREAD;
	its->counting = (struct heads){0};
	if (space != process->space)
		return;
	memory_forget(process);
	process->counting = its->counting;
	binaries_use(process, binary);
}

bool spaces_digest(struct process *process, uint64_t digest[2])
{
	const uint32_t present = process->space;
	bool told = process->spaces_length > 0 || memory_digest(process, digest);
	for (uint32_t i = 0; i < process->spaces_length && told; i++) {
		uint64_t part[2] = {0, 0};
		if (!process->spaces[i].over) {
			enter(process, i);
			told = memory_digest(process, part);
		}
		for (int word = 0; word < 2; word++)
			digest[word] = (i ? digest[word] * UINT64_C(0x100000001b3) : 0) ^ part[word];
	}
	enter(process, present);
	return told;
}

bool spaces_unfollowed(const struct process *process)
{
	if (process->spaces_length == 0)
		return target_descendants(process->target) > 0;
	for (size_t i = 0; i < process->spaces_length; i++)
		if (!process->spaces[i].over && target_descendants(process->spaces[i].target) > 0)
			return true;
	return false;
}

void spaces_end(struct process *process, uint32_t space, int status)
{
	process->spaces[space].over = true;
	process->spaces[space].status = status;
	for (uint32_t t = 0; t < process->threads_length; t++)
		if (process->threads[t].space == space)
			process->threads[t].tracee = NULL;
}

bool spaces_others(const struct process *process)
{
	for (size_t i = 0; i < process->spaces_length; i++)
		if (i != process->space && !process->spaces[i].over)
			return true;
	return false;
}

uint32_t spaces_alive(const struct process *process)
{
	uint32_t alive = 0;
	for (uint32_t t = 0; t < process->threads_length; t++)
		alive += process->threads[t].space == process->space && process->threads[t].tracee != NULL;
	return alive;
}

/* The number of this file among those that have been met; without memory all are one. */
static uint64_t number_of_file(struct process *process, const struct snapshot_mapping *mapping)
{
	for (size_t i = 0; i < process->regions_length; i++)
		if (process->regions[i].device == mapping->device &&
		    process->regions[i].inode == mapping->inode)
			return i;
	if (!ARRAY_GROW(process->regions, process->regions_length, process->regions_room))
		return 0;
	process->regions[process->regions_length] =
	    (struct shared_file){.device = mapping->device, .inode = mapping->inode};
	return process->regions_length++;
}

uint64_t spaces_key(struct process *process, uint64_t address)
{
	struct snapshot_mapping mapping;
	/* What has no address is the same in all. */
	if (!process->options.follow || address >> SPACE_SHIFT)
		return address;
	if (!process->target || maps_at(target_pid(process->target), address, &mapping) != STATUS_OK ||
	    !mapping.shared)
		return address | (uint64_t)process->spaces[process->space].memory << SPACE_SHIFT;
	return SHARED_KEY | number_of_file(process, &mapping) << FILE_SHIFT |
	       (mapping.offset + (address - mapping.low));
}

static bool is_shared_memory(struct process *process, uint64_t address)
{
	struct snapshot_mapping mapping;
	struct scouted_page *page = &process->scouted[address / SCOUTED_PAGE % SCOUTED_PAGES];
	const struct scouted_page present = {.page = address / SCOUTED_PAGE + 1,
					     .transition = process->transitions,
					     .memory = spaces_memory(process)};
	if (page->page != present.page || page->transition != present.transition ||
	    page->memory != present.memory) {
		*page = present;
		page->shared = maps_at(target_pid(process->target), address, &mapping) == STATUS_OK &&
			       mapping.shared && !target_is_own(process->target, address);
	}
	return page->shared;
}

void spaces_scout(struct process *process, uint32_t thread, const struct call *call)
{
	const struct process_scout *scout = process->options.scout;
	const uint64_t addresses[] = {call->object, call->object2};
	struct module_place place;
	if (!spaces_others(process) || !entries_place(process->entries, call->entry, &place))
		return;
	for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++)
		if (addresses[i] && is_shared_memory(process, addresses[i]))
			scout->meet(scout->context, thread, call->entry, &place, addresses[i]);
}

bool process_shares_memory(const struct process *process)
{
	return process->shares_memory;
}

void spaces_name_memory(struct process *process, struct op *op)
{
	if (!process->options.follow)
		return;
	if ((op->kind == OP_MEMORY_READ || op->kind == OP_MEMORY_WRITE) && op->arg != MEMORY_ALL) {
		op->arg2 = (int64_t)spaces_key(process, (uint64_t)op->arg2);
		if (op->kind == OP_MEMORY_WRITE && op->arg3 && !(op->flags & OP_AWAITS))
			op->arg3 = (int64_t)spaces_key(process, (uint64_t)op->arg3);
	} else if (op->kind == OP_FUTEX_WAIT) {
		op->arg3 = (int64_t)spaces_key(process, (uint64_t)op->arg3);
	}
}

uint32_t spaces_memory(const struct process *process)
{
	return process->spaces_length > 0 ? process->spaces[process->space].memory : 0;
}

bool spaces_is_shared(uint64_t key)
{
	return key & SHARED_KEY;
}

uint32_t spaces_heir(const struct process *process, uint32_t owner)
{
	const struct space *space = &process->spaces[process->space];
	return process->spaces_length > 0 && space->forker == owner ? space->first : owner;
}
