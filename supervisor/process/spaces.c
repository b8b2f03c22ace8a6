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
	    .copied = copy ? present->memory : NO_MEMORY,
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
	its->copied = NO_MEMORY;
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

/* The number of this file among those that have been met; as many as there are: it hasn't been. */
static size_t find_file(const struct process *process, const struct snapshot_mapping *mapping)
{
	size_t i = 0;
	while (i < process->regions_length &&
	       (process->regions[i].device != mapping->device || process->regions[i].inode != mapping->inode))
		i++;
	return i;
}

/* The same of one that has now been; without memory all are one. */
static uint64_t number_of_file(struct process *process, const struct snapshot_mapping *mapping)
{
	const size_t found = find_file(process, mapping);
	if (found < process->regions_length)
		return found;
	if (!ARRAY_GROW(process->regions, process->regions_length, process->regions_room))
		return 0;
	process->regions[process->regions_length] =
	    (struct shared_file){.device = mapping->device, .inode = mapping->inode};
	return process->regions_length++;
}

/* Is it in shared memory of the present space? */
static bool find_shared(const struct process *process, uint64_t address, struct snapshot_mapping *mapping)
{
	return process->target && maps_at(target_pid(process->target), address, mapping) == STATUS_OK &&
	       mapping->shared;
}

static uint64_t private_key(const struct process *process, uint64_t address)
{
	return address | (uint64_t)spaces_memory(process) << SPACE_SHIFT;
}

static uint64_t shared_key(const struct snapshot_mapping *mapping, uint64_t file, uint64_t address)
{
	return SHARED_KEY | file << FILE_SHIFT | (mapping->offset + (address - mapping->low));
}

uint64_t spaces_key(struct process *process, uint64_t address)
{
	struct snapshot_mapping mapping;
	/* What has no address is the same in all. */
	if (!process->options.follow || address >> SPACE_SHIFT)
		return address;
	if (!find_shared(process, address, &mapping))
		return private_key(process, address);
	return shared_key(&mapping, number_of_file(process, &mapping), address);
}

bool process_memory_key(const struct process *process, uint64_t address, uint64_t *key)
{
	struct snapshot_mapping mapping;
	*key = address;
	if (!process->options.follow)
		return true;
	if (!find_shared(process, address, &mapping)) {
		*key = private_key(process, address);
		return true;
	}
	const size_t file = find_file(process, &mapping);
	*key = shared_key(&mapping, file, address);
	return file < process->regions_length;
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

static const struct space *space_of(const struct process *process, uint32_t thread)
{
	const uint32_t space = thread < process->threads_length ? process->threads[thread].space : NO_SPACE;
	const bool there = space < process->spaces_length && !process->spaces[space].over;
	return there ? &process->spaces[space] : NULL;
}

uint32_t process_memory_of(const struct process *process, uint32_t thread)
{
	const struct space *space = space_of(process, thread);
	if (process->spaces_length == 0)
		return 0;
	return space ? space->memory : NO_MEMORY;
}

uint32_t process_memory_copied(const struct process *process, uint32_t thread)
{
	const struct space *space = space_of(process, thread);
	return space ? space->copied : NO_MEMORY;
}

uint32_t process_memory_shown(const struct process *process)
{
	return spaces_memory(process);
}

/* The process that has this memory; as many as there are: none has. */
static uint32_t space_with(const struct process *process, uint32_t memory)
{
	uint32_t space = 0;
	while (space < process->spaces_length &&
	       (process->spaces[space].over || process->spaces[space].memory != memory))
		space++;
	return space;
}

bool process_memory_show(struct process *process, uint32_t memory)
{
	const uint32_t space = space_with(process, memory);
	enter(process, space);
	return space < process->spaces_length || (process->spaces_length == 0 && memory == 0);
}

/* Is this place of the file, or of what is mapped without one, in the mapping? Then *there is where. */
static bool has_place(const struct snapshot_mapping *mapping, const struct snapshot_mapping *of,
		      uint64_t offset, uint64_t *there)
{
	if (!mapping->shared || mapping->device != of->device || mapping->inode != of->inode ||
	    offset < mapping->offset || offset - mapping->offset >= mapping->high - mapping->low)
		return false;
	*there = mapping->low + (offset - mapping->offset);
	return true;
}

/* Most have it where the first one has it. */
static bool find_place(pid_t pid, uint64_t address, const struct snapshot_mapping *of, uint64_t *there)
{
	const uint64_t offset = of->offset + (address - of->low);
	struct snapshot_mapping same;
	struct maps maps;
	bool found = false;
	if (maps_at(pid, address, &same) == STATUS_OK && has_place(&same, of, offset, there))
		return true;
	if (maps_of(pid, &maps) != STATUS_OK)
		return false;
	for (size_t i = 0; i < maps.length && !found; i++)
		found = has_place(&maps.at[i], of, offset, there);
	maps_release(&maps);
	return found;
}

bool process_memory_shares(const struct process *process, uint32_t memory, uint64_t address, uint32_t other,
			   bool related, uint64_t *there)
{
	const uint32_t from = space_with(process, memory), to = space_with(process, other);
	struct snapshot_mapping mapping;
	*there = address;
	if (to == process->spaces_length)
		return false;
	const pid_t pid = target_pid(process->spaces[to].target);
	if (from == process->spaces_length)
		return related && maps_at(pid, address, &mapping) == STATUS_OK && mapping.shared;
	return maps_at(target_pid(process->spaces[from].target), address, &mapping) == STATUS_OK &&
	       mapping.shared && find_place(pid, address, &mapping, there);
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
