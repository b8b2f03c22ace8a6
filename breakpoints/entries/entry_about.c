#include "breakpoints/traps/state.h"
#include <string.h>

/* What fmc has found out about the program's code, for those who have to do without fmc. */

enum status entries_entry(const struct entries *entries, const struct target *target, uint64_t stop,
			  struct entry *entry)
{
	const struct trap *trap = entries_trap(entries, stop);
	*entry = (struct entry){.address = stop};
	if (trap) {
		entry->name = trap->point->name;
		entry->address = trap->address;
		entry->takes_object = entry_point_takes_object(trap->point);
	} else if (!entries_atomic(entries, stop)) {
		return STATUS_NOT_FOUND;
	}
	enum status status = target_read(target, entry->address, entry->code, sizeof entry->code);
	entries_hide(entries, entry->address, entry->code, sizeof entry->code);
	return status;
}

uint64_t entries_address(const struct entries *entries, const char *name)
{
	uint64_t address = 0;
	for (size_t i = 0; i < entries->traps_length; i++) {
		const struct trap *trap = &entries->traps[i];
		if (strcmp(trap->point->name, name) == 0 && (trap->is_default || !address))
			address = trap->address;
	}
	return address;
}

bool entries_libc_range(const struct entries *entries, size_t i, uint64_t *low, uint64_t *high)
{
	if (i >= entries->own_length)
		return false;
	*low = entries->own[i].low;
	*high = entries->own[i].high;
	return true;
}

bool entries_is_libc(const struct entries *entries, uint64_t address)
{
	for (size_t i = 0; i < entries->own_length; i++)
		if (address >= entries->own[i].low && address < entries->own[i].high)
			return true;
	return false;
}

bool entries_in_program(const struct entries *entries, uint64_t address)
{
	const struct module *module = modules_find(&entries->modules, address);
	return module && module->kind == MODULE_PROGRAM;
}

bool entries_is_musl(const struct entries *entries)
{
	return entries->musl;
}
