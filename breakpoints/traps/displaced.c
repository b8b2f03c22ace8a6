/* What replaces the beginnings of functions, and the page with what they were: made once, then written into each target. */
#include "breakpoints/instructions/touched.h"
#include "breakpoints/stubs/jump_targets.h"
#include "breakpoints/traps/state.h"

#include <stdlib.h>
#include <string.h>

#define JUMP_BYTES 5

void entries_clear_slots(struct entries *entries)
{
	patches_release(&entries->first);
	patches_release(&entries->rest);
	free(entries->contents);
	entries->contents = NULL;
	entries->page = 0;
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

/* The function whose copy a jump to it goes to instead; NULL: it goes where it went. */
static const struct trap *rerouted_to(const struct rerouting *rerouting, uint64_t target)
{
	const struct trap *to = entries_trap_of(rerouting->entries, target);
	return to && !entry_point_is_user(to->point) ? to : NULL;
}

static bool is_rerouted(void *context, uint64_t target)
{
	return rerouted_to(context, target) != NULL;
}

static void reroute(void *context, const struct jump *jump)
{
	struct rerouting *rerouting = context;
	const struct trap *to = rerouted_to(rerouting, jump->target);
	if (!to || jump->address < rerouting->after_first || jump->width != 4)
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
	if (jump_targets_may(code, trap->size, trap->address, is_rerouted, &rerouting))
		jumps_each(displacer, code, trap->size, trap->address, reroute, &rerouting);
	return rerouting.failed ? STATUS_NO_MEMORY : STATUS_OK;
}

static bool can_have_door(struct displacer *displacer, const struct trap *trap, const uint8_t *code,
			  struct displaced *displaced)
{
	/* Doors let libc's own calls pass, but it asks and loads on the program's behalf. */
	return trap->size >= JUMP_BYTES && !entry_point_asks(trap->point) &&
	       !entry_point_is_loader(trap->point) &&
	       displace_straight(displacer, trap->address, code, JUMP_BYTES, trap->copy, displaced) &&
	       !jumps_into(displacer, code, trap->size, trap->address, displaced->length);
}

/* Before the program has a second thread, too. */
static bool comes_first(const struct entries *entries, const struct trap *trap)
{
	return trap_creates_threads(trap) || entry_point_asks(trap->point) ||
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

/* `code` is the function's, and at least what is looked at of its beginning. */
static enum status displace_trap(struct entries *entries, struct displacer *displacer, size_t i,
				 const uint8_t *code)
{
	struct trap *trap = &entries->traps[i];
	struct displaced displaced;
	if (entry_point_is_own(trap->point) || entry_point_is_user(trap->point))
		return plant(entries, trap, &entries->contents->slots[i]);
	trap->by_door = !entries->without_doors && can_have_door(displacer, trap, code, &displaced);
	if (!trap->by_door &&
	    !displace(displacer, trap->address, code, trap->copy, redirect, entries, &displaced))
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
	const size_t size = trap->size > DISPLACE_CODE ? trap->size : DISPLACE_CODE;
	uint8_t *code = malloc(size);
	if (!code)
		return STATUS_NO_MEMORY;
	enum status status = target_read(target, trap->address, code, size);
	if (status == STATUS_OK)
		status = displace_trap(entries, displacer, i, code);
	free(code);
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

size_t entries_contents_size(const struct entries *entries)
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
	entries_clear_slots(entries);
	struct displacer *displacer = displacer_new();
	entries->contents = calloc(1, entries_contents_size(entries));
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
