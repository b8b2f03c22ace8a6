/* Traps by the addresses where they stop, and by their functions. */
#include "breakpoints/traps/state.h"

#include <stdlib.h>

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

bool entries_is_trap(const struct entries *entries, uint64_t address)
{
	return entries_trap(entries, address) || entries_atomic(entries, address) ||
	       entries_answered(entries, address);
}
