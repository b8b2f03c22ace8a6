/* The traps of a program: found, planted and taken out. */
#include "breakpoints/instructions/touched.h"
#include "breakpoints/traps/state.h"

#include <stdlib.h>

_Static_assert(sizeof(struct slot) == SLOT_BYTES && sizeof(struct page) == SLOT_BYTES,
	       "slots are found by their address");

struct entries *entries_new(void)
{
	return calloc(1, sizeof(struct entries));
}

void entries_clear(struct entries *entries)
{
	entries_clear_slots(entries);
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
				    .scouts = entries->scouts,
				    .without_doors = entries->without_doors,
				    .watch_variables = entries->watch_variables,
				    .watch_output = entries->watch_output};
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

static const struct trap *find_creation(const struct entries *entries)
{
	for (size_t i = 0; i < entries->traps_length; i++)
		if (trap_creates_threads(&entries->traps[i]))
			return &entries->traps[i];
	return NULL;
}

void entries_without_doors(struct entries *entries)
{
	entries->without_doors = true;
}

void entries_watch_variables(struct entries *entries)
{
	entries->watch_variables = true;
}

void entries_watch_output(struct entries *entries)
{
	entries->watch_output = true;
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
		status = target_write(target, page, entries->contents, entries_contents_size(entries));
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

uint64_t entries_function(const struct entries *entries, const char *name)
{
	const struct entry_point *point = entry_point_find(name);
	uint64_t copy = 0;
	for (size_t i = 0; point && i < entries->traps_length; i++)
		if (entries->traps[i].point == point && (entries->traps[i].is_default || !copy))
			copy = entries->traps[i].copy;
	return copy;
}
