#include "breakpoints/instructions/touched.h"
#include "breakpoints/sites/called.h"
#include "breakpoints/sites/library_states.h"
#include "breakpoints/traps/state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/*
 * Traps at atomic instructions: of the modules at the origin, and of those that an execution loads later, which may have instructions
 * that are answered, too.
 */

void entries_use_atomics(struct entries *entries, enum atomics_use use)
{
	entries->atomics_use = use;
}

void entries_promote(struct entries *entries, const struct promoted *promoted)
{
	entries->promoted = promoted;
}

void entries_scout(struct entries *entries)
{
	entries->scouts = true;
	if (entries->atomics_use == ATOMICS_IGNORED)
		entries->atomics_use = ATOMICS_NOTED;
}

bool entries_place(const struct entries *entries, uint64_t address, struct module_place *place)
{
	const struct module *module = modules_find(&entries->modules, address);
	if (!module)
		module = modules_find(&entries->now, address);
	if (!module || strlen(module->name) >= MODULE_PLACE_NAME)
		return false;
	*place = (struct module_place){.offset = address - module->bias};
	snprintf(place->module, sizeof(place->module), "%s", module->name);
	return true;
}

uint64_t entries_place_address(const struct entries *entries, const struct module_place *place)
{
	for (size_t i = 0; i < entries->modules.length; i++)
		if (strcmp(entries->modules.at[i].name, place->module) == 0)
			return entries->modules.at[i].bias + place->offset;
	return 0;
}

bool entries_call_before(const struct entries *entries, uint64_t after,
			 const uint8_t code[ENTRIES_CALL_BYTES], uint64_t *call)
{
	const struct module *module = modules_find(&entries->modules, after - 1);
	struct called called = {.length = 0};
	if (module)
		called_before(module, after, code, &called);
	*call = called.function || called.copies != COPY_NONE ? after - called.length : 0;
	return called.length > 0;
}

bool entries_accesses(const struct entries *entries, const struct target *target, uint64_t address,
		      bool *apart)
{
	uint8_t code[TOUCHED_CODE] = {0};
	struct instruction instruction;
	*apart = false;
	if (target_read(target, address, code, sizeof(code)) != STATUS_OK)
		return false;
	entries_hide(entries, address, code, sizeof(code));
	return instruction_parse(code, sizeof(code), address, &instruction) &&
	       atomics_promotable(&instruction, apart);
}

_Static_assert(ENTRIES_CALL_BYTES == CALLED_BYTES, "what calls are told from");

/* A function that is an entry point is one operation, whatever it is made of. */
static void leave_out_functions(const struct entries *entries, struct atomics *atomics)
{
	for (size_t i = 0; i < entries->traps_length; i++)
		atomics_leave_out(atomics, entries->traps[i].address,
				  entries->traps[i].size ? entries->traps[i].size : 1);
	for (size_t i = 0; i < entries->told_length && entries_compiled(entries); i++)
		atomics_leave_out(atomics, entries->told[i].low,
				  entries->told[i].high - entries->told[i].low);
}

enum status entries_find_atomics(struct entries *entries)
{
	enum status status = STATUS_OK;
	if (entries->atomics_found || !entries->modules.length)
		return STATUS_OK;
	for (size_t i = 0; i < entries->modules.length && status == STATUS_OK; i++) {
		const struct module *module = &entries->modules.at[i];
		if (atomics_has(module))
			status =
			    atomics_find(&entries->atomics, module, entries->atomics_use == ATOMICS_SWITCHED,
					 entries->promoted, entries->scouts);
		if (status == STATUS_OK && entries->atomics_use == ATOMICS_SWITCHED &&
		    !atomics_find_releases(&entries->atomics, module, entries->promoted))
			status = STATUS_NO_MEMORY;
	}
	if (status != STATUS_OK) {
		atomics_release(&entries->atomics);
		return status;
	}
	leave_out_functions(entries, &entries->atomics);
	if (entries->promoted)
		library_states(&entries->modules, entries->states);
	entries->atomics_found = true;
	return STATUS_OK;
}

static bool same_module(const struct module *a, const char *path, uint64_t low)
{
	return a->low == low && strcmp(a->path, path) == 0;
}

static bool is_at_origin(const struct entries *entries, const struct module *module)
{
	for (size_t i = 0; i < entries->modules.length; i++)
		if (same_module(&entries->modules.at[i], module->path, module->low))
			return true;
	return false;
}

/* Its traps aren't planted yet: what is there now is the program's. */
static enum status find_atomics(const struct entries *entries, struct loaded *loaded,
				const struct module *module, const struct target *target)
{
	const uint8_t trap = TRAP_INSTRUCTION;
	enum status status = atomics_find(&loaded->atomics, module, entries->atomics_use == ATOMICS_SWITCHED,
					  entries->promoted, entries->scouts);
	if (status != STATUS_OK) {
		atomics_release(&loaded->atomics);
		return status;
	}
	loaded->has_atomics = true;
	for (size_t i = 0; i < loaded->atomics.length; i++)
		if (!patches_add(&loaded->patches, loaded->atomics.at[i].address, &trap, 1))
			return STATUS_NO_MEMORY;
	return patches_load(&loaded->patches, target);
}

static enum status add_loaded(struct entries *entries, const struct module *module)
{
	struct loaded *larger = reallocarray(entries->loaded, entries->loaded_length + 1, sizeof(*larger));
	struct loaded loaded = {.low = module->low};
	if (!larger)
		return STATUS_NO_MEMORY;
	entries->loaded = larger;
	loaded.path = strdup(module->path);
	enum status status = loaded.path ? STATUS_OK : STATUS_NO_MEMORY;
	if (status == STATUS_OK && entries->answers)
		status = answered_add(&loaded.answered, module);
	if (status != STATUS_OK) {
		loaded_release(&loaded);
		return status;
	}
	larger[entries->loaded_length++] = loaded;
	return STATUS_OK;
}

static enum status find_loaded(struct entries *entries, const struct module *module, struct loaded **loaded)
{
	for (size_t i = 0; i < entries->loaded_length; i++)
		if (same_module(module, entries->loaded[i].path, entries->loaded[i].low)) {
			*loaded = &entries->loaded[i];
			return STATUS_OK;
		}
	enum status status = add_loaded(entries, module);
	if (status == STATUS_OK)
		*loaded = &entries->loaded[entries->loaded_length - 1];
	return status;
}

void entries_none_loaded(struct entries *entries)
{
	for (size_t i = 0; i < entries->loaded_length; i++)
		entries->loaded[i].mapped = false;
}

static enum status plant_atomics(const struct entries *entries, struct loaded *loaded,
				 const struct module *module, struct target *target)
{
	enum status status = STATUS_OK;
	if (!loaded->has_atomics)
		status = find_atomics(entries, loaded, module, target);
	return status == STATUS_OK ? patches_write(&loaded->patches, target, true) : status;
}

static enum status plant_later_ones(struct entries *entries, struct target *target, bool atomics)
{
	const struct modules *now = &entries->now;
	enum status status = STATUS_OK;
	entries_none_loaded(entries);
	for (size_t i = 0; status == STATUS_OK && i < now->length; i++) {
		const struct module *module = &now->at[i];
		struct loaded *loaded;
		if (!atomics_has(module) || is_at_origin(entries, module))
			continue;
		status = find_loaded(entries, module, &loaded);
		if (status != STATUS_OK)
			break;
		loaded->mapped = true;
		if (atomics)
			status = plant_atomics(entries, loaded, module, target);
	}
	return status == STATUS_OK ? entries_plant_answered(entries, target) : status;
}

enum status entries_look_again(struct entries *entries, struct target *target, bool threaded)
{
	const bool atomics = threaded && entries->atomics_use != ATOMICS_IGNORED;
	bool changed;
	if (!atomics && !entries->answers)
		return STATUS_OK;
	enum status status = modules_update(&entries->now, target_pid(target), &changed);
	return status == STATUS_OK ? plant_later_ones(entries, target, atomics) : status;
}

enum status entries_unplant_loaded(struct entries *entries, struct target *target)
{
	enum status status = STATUS_OK;
	for (size_t i = 0; status == STATUS_OK && i < entries->loaded_length; i++)
		if (entries->loaded[i].mapped && entries->loaded[i].has_atomics)
			status = patches_write(&entries->loaded[i].patches, target, false);
	/* One of an earlier execution, which this one hasn't. */
	return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static const char *name_of(const struct entries *entries, uint64_t address)
{
	const struct atomic *atomic;
	const struct module *module = modules_find(&entries->modules, address);
	const struct loaded *loaded = module ? NULL : loaded_with(entries, address, &atomic);
	const char *slash = loaded ? strrchr(loaded->path, '/') : NULL;
	return module ? module->name : slash ? slash + 1 : "a library";
}

const char *entries_describe_unwatched(const struct entries *entries, const struct call *call, char text[160])
{
	const struct atomic *atomic = entries_atomic(entries, call->entry);
	const char *what = "atomic instructions of %s";
	if (atomic && atomic->kind == ATOMIC_UNDECODED)
		what = "functions of %s that can't be disassembled and seem to have atomic instructions";
	else if (atomic && atomic->kind == ATOMIC_UNTOLD)
		what = "atomic instructions of %s whose operands fmc can't tell";
	snprintf(text, 160, what, name_of(entries, call->entry));
	return text;
}

void entries_lost_atomics(const struct entries *entries, char text[160])
{
	size_t lost = entries->atomics.lost;
	for (size_t i = 0; i < entries->loaded_length; i++)
		lost += entries->loaded[i].mapped ? entries->loaded[i].atomics.lost : 0;
	*text = '\0';
	if (lost)
		snprintf(
		    text, 160,
		    "%zu stretches of code between known functions that seem to have atomic instructions",
		    lost);
}
