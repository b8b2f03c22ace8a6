#include "breakpoints/code/touched.h"
#include "breakpoints/entries/entries_state.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(struct slot) == SLOT_BYTES && sizeof(struct page) == SLOT_BYTES,
	       "slots are found by their address");

#define JUMP_BYTES 5

struct entries *entries_new(void)
{
	return calloc(1, sizeof(struct entries));
}

static void clear_slots(struct entries *entries)
{
	patches_release(&entries->first);
	patches_release(&entries->rest);
	free(entries->contents);
	entries->contents = NULL;
	entries->page = 0;
}

void entries_clear(struct entries *entries)
{
	clear_slots(entries);
	free(entries->traps);
	free(entries->hash);
	free(entries->own);
	free(entries->told);
	atomics_release(&entries->atomics);
	answered_release(&entries->answered);
	entries_forget_loaded(entries);
	*entries = (struct entries){.modules = entries->modules,
				    .answers = entries->answers,
				    .atomics_use = entries->atomics_use,
				    .promoted = entries->promoted,
				    .without_doors = entries->without_doors,
				    .watch_variables = entries->watch_variables};
}

void entries_free(struct entries *entries)
{
	if (!entries)
		return;
	entries_clear(entries);
	modules_release(&entries->modules);
	operands_free(entries->operands);
	free(entries);
}

static uint32_t hash_of(uint64_t address)
{
	return (uint32_t)((address * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

bool entries_hash(struct entries *entries)
{
	uint32_t room = 64;
	while (room < 4 * entries->traps_length)
		room *= 2;
	free(entries->hash);
	entries->hash = calloc(room, sizeof(*entries->hash));
	if (!entries->hash)
		return false;
	entries->hash_mask = room - 1;
	for (uint32_t i = 0; i < entries->traps_length; i++) {
		uint32_t h = hash_of(entries->traps[i].stop) & entries->hash_mask;
		while (entries->hash[h])
			h = (h + 1) & entries->hash_mask;
		entries->hash[h] = i + 1;
	}
	return true;
}

const struct trap *entries_trap(const struct entries *entries, uint64_t address)
{
	if (!entries->hash)
		return NULL;
	for (uint32_t h = hash_of(address) & entries->hash_mask; entries->hash[h];
	     h = (h + 1) & entries->hash_mask) {
		const struct trap *trap = &entries->traps[entries->hash[h] - 1];
		if (trap->stop == address)
			return trap;
	}
	return NULL;
}

static int by_function(const void *function, const void *trap)
{
	uint64_t a = *(const uint64_t *)function, b = ((const struct trap *)trap)->address;
	return a < b ? -1 : a > b;
}

const struct trap *entries_trap_of(const struct entries *entries, uint64_t function)
{
	return bsearch(&function, entries->traps, entries->traps_length, sizeof(*entries->traps),
		       by_function);
}

static bool creates_threads(const struct trap *trap)
{
	return trap->point->kind == OP_THREAD_CREATE;
}

static const struct trap *find_creation(const struct entries *entries)
{
	for (size_t i = 0; i < entries->traps_length; i++)
		if (creates_threads(&entries->traps[i]))
			return &entries->traps[i];
	return NULL;
}

/* Where a jump to an entry point goes instead: to the copy, after the trap. One call stays one operation. */
static uint64_t redirect(void *context, uint64_t target)
{
	const struct trap *trap = entries_trap_of(context, target);
	return trap && !entry_point_is_user(trap->point) ? trap->copy : target;
}

struct rerouting {
	struct entries *entries;
	const struct trap *from;
	uint64_t after_first; /* the first instruction is displaced, with its target redirected there */
	bool failed;
};

static void reroute(void *context, const struct jump *jump)
{
	struct rerouting *rerouting = context;
	const struct trap *to = entries_trap_of(rerouting->entries, jump->target);
	if (!to || entry_point_is_user(to->point) || jump->address < rerouting->after_first ||
	    jump->width != 4)
		return;
	int64_t distance = (int64_t)(to->copy - jump->next);
	int32_t displacement = (int32_t)distance;
	if (displacement != distance ||
	    !patches_add(&rerouting->entries->rest, jump->address, &displacement, 4))
		rerouting->failed = true;
}

/*
 * Entry points that end in a jump to another one (pthread_cond_wait of GLIBC_2.2.5 to that of 2.3.2,
 * mtx_destroy to pthread_mutex_destroy, musl's pthread_mutex_lock to pthread_mutex_timedlock) or back to
 * their own beginning would be seen twice, with the program's return address both times.
 */
static enum status reroute_function(struct entries *entries, struct displacer *displacer,
				    const struct trap *trap, const uint8_t *code, uint8_t first_length)
{
	struct rerouting rerouting = {
	    .entries = entries, .from = trap, .after_first = trap->address + first_length};
	jumps_each(displacer, code, trap->size, trap->address, reroute, &rerouting);
	return rerouting.failed ? STATUS_NO_MEMORY : STATUS_OK;
}

static bool can_have_door(struct displacer *displacer, const struct trap *trap, const uint8_t *code,
			  const uint8_t first[DISPLACE_CODE], struct displaced *displaced)
{
	/* Doors let libc's own calls pass, but it asks and loads on the program's behalf. */
	return trap->size >= JUMP_BYTES && !entry_point_asks(trap->point) &&
	       !entry_point_is_loader(trap->point) &&
	       displace_straight(displacer, trap->address, first, JUMP_BYTES, trap->copy, displaced) &&
	       !jumps_into(displacer, code, trap->size, trap->address, displaced->length);
}

/* Before the program has a second thread, too. */
static bool comes_first(const struct entries *entries, const struct trap *trap)
{
	return creates_threads(trap) || entry_point_asks(trap->point) ||
	       (entries->answers && entry_point_is_loader(trap->point));
}

/* A jump to the door, or a trap instruction: what is written over the function's beginning. */
static enum status plant(struct entries *entries, struct trap *trap, struct slot *slot)
{
	uint8_t jump[JUMP_BYTES] = {TRAP_INSTRUCTION};
	struct patches *patches = comes_first(entries, trap) ? &entries->first : &entries->rest;
	uint64_t at_door = trap->copy - DOOR_BYTES;
	door_encode(at_door, entries->page, slot->door);
	if (trap->by_door && !jump_encode(trap->address, at_door, jump))
		return STATUS_UNSUPPORTED;
	trap->stop = trap->by_door ? at_door + DOOR_TRAP : trap->address;
	return patches_add(patches, trap->address, jump, trap->by_door ? JUMP_BYTES : 1) ? STATUS_OK
											 : STATUS_NO_MEMORY;
}

static enum status displace_trap(struct entries *entries, struct displacer *displacer, size_t i,
				 const uint8_t *code, const uint8_t first[DISPLACE_CODE])
{
	struct trap *trap = &entries->traps[i];
	struct displaced displaced;
	if (entry_point_is_own(trap->point) || entry_point_is_user(trap->point))
		return plant(entries, trap, &entries->contents->slots[i]);
	trap->by_door = !entries->without_doors && can_have_door(displacer, trap, code, first, &displaced);
	if (!trap->by_door &&
	    !displace(displacer, trap->address, first, trap->copy, redirect, entries, &displaced))
		return STATUS_UNSUPPORTED;
	struct slot *slot = &entries->contents->slots[i];
	memcpy(slot->copy, displaced.copy, displaced.size);
	slot->length = displaced.length;
	slot->entry = trap->address;
	enum status status = plant(entries, trap, slot);
	return status == STATUS_OK ? reroute_function(entries, displacer, trap, code, displaced.length)
				   : status;
}

static enum status displace_function(struct entries *entries, const struct target *target,
				     struct displacer *displacer, size_t i)
{
	const struct trap *trap = &entries->traps[i];
	uint8_t first[DISPLACE_CODE];
	uint8_t *code = malloc(trap->size + 1);
	if (!code)
		return STATUS_NO_MEMORY;
	enum status status = target_read(target, trap->address, first, sizeof(first));
	if (status == STATUS_OK && trap->size)
		status = target_read(target, trap->address, code, trap->size);
	if (status == STATUS_OK)
		status = displace_trap(entries, displacer, i, code, first);
	free(code);
	return status;
}

void entries_without_doors(struct entries *entries)
{
	entries->without_doors = true;
}

void entries_watch_variables(struct entries *entries)
{
	entries->watch_variables = true;
}

/* The byte that the trap instruction at this address stands for. */
static uint8_t original_byte(const struct entries *entries, uint64_t address)
{
	uint8_t byte;
	if (patches_find(&entries->rest, address, &byte) || patches_find(&entries->first, address, &byte) ||
	    entries_loaded_byte(entries, address, &byte))
		return byte;
	return TRAP_INSTRUCTION;
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

/* A program without a thread library that could be found (static and stripped, say) may have them all the same. */
static enum status first_atomic(struct entries *entries, uint64_t *address)
{
	*address = 0;
	if (entries->atomics_use != ATOMICS_SWITCHED)
		return STATUS_OK;
	enum status status = entries_find_atomics(entries);
	if (status == STATUS_OK && entries->atomics.length)
		*address = entries->atomics.at[0].address;
	return status;
}

static enum status trap_atomics(struct entries *entries)
{
	const uint8_t trap = TRAP_INSTRUCTION;
	enum status status = entries_find_atomics(entries);
	for (size_t i = 0; i < entries->atomics.length; i++)
		if (!patches_add(&entries->rest, entries->atomics.at[i].address, &trap, 1))
			return STATUS_NO_MEMORY;
	return status;
}

static size_t contents_size(const struct entries *entries)
{
	return sizeof(*entries->contents) + entries->traps_length * sizeof(entries->contents->slots[0]);
}

/* Code comes last among libc's ranges: before it are locks of static programs. */
static void note_own(struct entries *entries)
{
	size_t length = entries->own_length < DOOR_RANGES ? entries->own_length : DOOR_RANGES;
	for (size_t i = 0; i < length; i++)
		entries->contents->own[i] = entries->own[entries->own_length - 1 - i];
}

enum status entries_displace(struct entries *entries, const struct target *target, uint64_t page)
{
	clear_slots(entries);
	struct displacer *displacer = displacer_new();
	entries->contents = calloc(1, contents_size(entries));
	enum status status = displacer && entries->contents ? STATUS_OK : STATUS_NO_MEMORY;
	entries->page = page;
	if (status == STATUS_OK)
		note_own(entries);
	for (size_t i = 0; i < entries->traps_length; i++)
		entries->traps[i].copy = page + offsetof(struct page, slots[i].copy);
	for (size_t i = 0; status == STATUS_OK && i < entries->traps_length; i++)
		status = displace_function(entries, target, displacer, i);
	displacer_free(displacer);
	if (status == STATUS_OK && entries->atomics_use != ATOMICS_IGNORED)
		status = trap_atomics(entries);
	if (status == STATUS_OK && !entries_hash(entries))
		status = STATUS_NO_MEMORY;
	if (status == STATUS_OK)
		status = patches_load(&entries->first, target);
	if (status == STATUS_OK)
		status = patches_load(&entries->rest, target);
	if (status != STATUS_OK)
		entries->page = 0;
	return status;
}

static enum status know_modules(struct entries *entries, const struct target *target)
{
	bool changed;
	enum status status = modules_update(&entries->modules, target_pid(target), &changed);
	if (status == STATUS_OK && changed) {
		entries_clear(entries);
		status = entries_discover(entries);
		if (status == STATUS_OK)
			status = entries_find_answered(entries);
	}
	if (status != STATUS_OK)
		modules_release(&entries->modules); /* so that the next target is looked at again */
	return status;
}

static enum status plant_functions(struct entries *entries, struct target *target)
{
	enum status status = STATUS_OK;
	const struct trap *creation = find_creation(entries);
	uint64_t near = creation ? creation->address : 0;
	if (!creation)
		status = first_atomic(entries, &near);
	if (!near)
		return status == STATUS_OK ? STATUS_NOT_FOUND : status;
	uint64_t page = target_near_page(target, near);
	if (!page)
		return STATUS_UNSUPPORTED;
	if (page != entries->page)
		status = entries_displace(entries, target, page);
	if (status == STATUS_OK)
		status = target_write(target, page, entries->contents, contents_size(entries));
	if (status == STATUS_OK)
		status = patches_write(&entries->first, target, true);
	return status;
}

enum status entries_plant_first(struct entries *entries, struct target *target)
{
	enum status status = know_modules(entries, target);
	if (status != STATUS_OK)
		return status;
	entries_none_loaded(entries);
	status = plant_functions(entries, target);
	if (status != STATUS_OK && status != STATUS_NOT_FOUND)
		return status;
	enum status answered = entries_plant_answered(entries, target);
	return answered == STATUS_OK ? status : answered;
}

enum status entries_plant_all(struct entries *entries, struct target *target)
{
	if (!entries->page)
		return STATUS_NOT_FOUND;
	enum status status = patches_write(&entries->rest, target, true);
	/* Both may touch one page: the first ones last, so that theirs are not lost. */
	if (status == STATUS_OK)
		status = patches_write(&entries->first, target, true);
	if (status == STATUS_OK)
		status = entries_plant_answered(entries, target);
	return status == STATUS_OK ? entries_look_again(entries, target, true) : status;
}

enum status entries_unplant(struct entries *entries, struct target *target)
{
	enum status status = heads_unplant(entries, target);
	if (status == STATUS_OK)
		status = patches_write(&entries->rest, target, false);
	if (status == STATUS_OK)
		status = patches_write(&entries->first, target, false);
	if (status == STATUS_OK)
		status = entries_unplant_loaded(entries, target);
	return status == STATUS_OK ? entries_unplant_answered(entries, target) : status;
}

bool entries_is_trap(const struct entries *entries, uint64_t address)
{
	return entries_trap(entries, address) || entries_atomic(entries, address) ||
	       entries_answered(entries, address);
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

uint64_t entries_function(const struct entries *entries, const char *name)
{
	const struct entry_point *point = entry_point_find(name);
	uint64_t copy = 0;
	for (size_t i = 0; point && i < entries->traps_length; i++)
		if (entries->traps[i].point == point && (entries->traps[i].is_default || !copy))
			copy = entries->traps[i].copy;
	return copy;
}
