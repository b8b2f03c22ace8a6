#include "breakpoints/names/name.h"
#include "breakpoints/names/lock_kind.h"
#include "breakpoints/sites/atomic_variables.h"
#include "breakpoints/symbols/places.h"
#include <ctype.h>
#include <dwarf.h>
#include <fmc/tracer/maps.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Data addresses as variables: `forks[2]`, `pool.lock`; heap and stacks as such. */

bool type_is_meant(Dwarf_Die *type)
{
	Dwarf_Die at = *type;
	for (;;) {
		const int tag = dwarf_tag(&at);
		if (tag == DW_TAG_volatile_type || atomic_type(&at))
			return true;
		if ((tag != DW_TAG_typedef && tag != DW_TAG_const_type) || !type_of(&at, &at))
			return false;
	}
}

uint64_t type_dimension(Dwarf_Die *subrange)
{
	Dwarf_Attribute attribute;
	Dwarf_Word count;
	if (dwarf_attr_integrate(subrange, DW_AT_count, &attribute) &&
	    dwarf_formudata(&attribute, &count) == 0)
		return count;
	if (dwarf_attr_integrate(subrange, DW_AT_upper_bound, &attribute) &&
	    dwarf_formudata(&attribute, &count) == 0)
		return count + 1;
	return 0;
}

/* Appends the indices; *type and *offset become those of the element. */
static bool enter_array(struct text *text, Dwarf_Die *type, uint64_t *offset)
{
	Dwarf_Die element, child;
	Dwarf_Word size;
	if (!type_of(type, &element) || dwarf_aggregate_size(&element, &size) != 0 || size == 0 ||
	    dwarf_child(type, &child) != 0)
		return false;
	uint64_t counts[8], index = *offset / size;
	size_t dimensions = 0;
	do {
		if (dwarf_tag(&child) == DW_TAG_subrange_type && dimensions < 8)
			counts[dimensions++] = type_dimension(&child);
	} while (dwarf_siblingof(&child, &child) == 0);
	for (size_t i = 0; i < dimensions; i++) {
		uint64_t below = 1; /* elements in one step of this dimension */
		for (size_t k = i + 1; k < dimensions; k++)
			below *= counts[k] ? counts[k] : 1;
		text_append(text, "[%" PRIu64 "]", index / below);
		index %= below;
	}
	*offset %= size;
	*type = element;
	return true;
}

bool type_member(Dwarf_Die *member, Dwarf_Die *type, uint64_t *start, uint64_t *size)
{
	Dwarf_Attribute attribute;
	*start = 0; /* members of unions need not say */
	if (dwarf_attr_integrate(member, DW_AT_data_member_location, &attribute) &&
	    dwarf_formudata(&attribute, start) != 0)
		return false;
	return type_of(member, type) && dwarf_aggregate_size(type, size) == 0;
}

/* What has no place of its own in the objects: static members, and classes without members that others are derived from. */
static bool is_elsewhere(Dwarf_Die *member, uint64_t size)
{
	return dwarf_tag(member) == DW_TAG_inheritance ? size <= 1 : dwarf_hasattr(member, DW_AT_external);
}

/*
 * Appends the member that covers the offset. Names that begin with an underscore and what they do in the
 * standard libraries (pthread_mutex_t's __data, std::mutex's _M_mutex) are the library's innards: there the
 * name ends. Rust's tuples have members __0, __1 ...
 */
static bool enter_struct(struct text *text, Dwarf_Die *type, uint64_t *offset)
{
	Dwarf_Die child;
	if (dwarf_child(type, &child) != 0)
		return false;
	do {
		Dwarf_Die member;
		uint64_t start, size;
		int tag = dwarf_tag(&child);
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    !type_member(&child, &member, &start, &size) || *offset < start ||
		    *offset - start >= size || is_elsewhere(&child, size))
			continue;
		const char *name = tag == DW_TAG_member ? dwarf_diename(&child) : NULL;
		bool of_tuple = name && strncmp(name, "__", 2) == 0 && isdigit((unsigned char)name[2]);
		if (name && !of_tuple && (strncmp(name, "__", 2) == 0 || strncmp(name, "_M_", 3) == 0))
			return false;
		if (name)
			text_append(text, ".%s", of_tuple ? name + 2 : name);
		*offset -= start;
		*type = member;
		return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

void name_pass(struct text *text, Dwarf_Die *type)
{
	text->meant |= type_is_meant(type);
	if (!text->kind)
		text->kind = lock_kind(type);
}

bool name_enter(struct text *text, Dwarf_Die *type, uint64_t *offset)
{
	bool entered = false;
	switch (dwarf_tag(type)) {
	case DW_TAG_array_type:
		entered = enter_array(text, type, offset);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		entered = enter_struct(text, type, offset);
		break;
	default:
		break;
	}
	if (entered)
		name_pass(text, type);
	return entered && dwarf_peel_type(type, type) == 0;
}

static void append_inside(struct text *text, Dwarf_Die type, uint64_t offset)
{
	name_pass(text, &type);
	if (dwarf_peel_type(&type, &type) != 0)
		return;
	while (name_enter(text, &type, &offset))
		;
	if (offset)
		text_append(text, "+%#" PRIx64, offset);
}

/* The variable that covers the address, NULL if none does. */
static const struct variable *find_variable(const struct variables *variables, uint64_t address)
{
	size_t low = 0, high = variables->length;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (variables->at[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0 || address - variables->at[low - 1].address >= variables->at[low - 1].size)
		return NULL;
	return &variables->at[low - 1];
}

static bool name_symbol(struct places *places, struct text *text, uint64_t address)
{
	GElf_Off offset;
	GElf_Sym sym;
	Dwfl_Module *module = places_dwfl_module(places, address);
	const char *symbol =
	    module ? dwfl_module_addrinfo(module, address, &offset, &sym, NULL, NULL, NULL) : NULL;
	if (!symbol || GELF_ST_TYPE(sym.st_info) != STT_OBJECT || offset >= sym.st_size)
		return false;
	char *plain = demangle(symbol);
	const char *name = plain ? plain : symbol;
	/* Without its version. */
	text_append(text, "%.*s", (int)strcspn(name, "@"), name);
	free(plain);
	if (offset)
		text_append(text, "+%#" PRIx64, offset);
	return true;
}

/* A variable of the program's own with a fixed address. */
static const struct variable *static_variable(struct places *places, uint64_t address)
{
	const struct module *module = modules_find(&places->modules, address);
	const bool own = module && (module->kind == MODULE_PROGRAM || module->kind == MODULE_OTHER);
	if (!own || !places->dwfl)
		return NULL;
	const size_t i = (size_t)(module - places->modules.at);
	const struct variable *variable = find_variable(places_variables(places, i, false), address);
	return variable ? variable : find_variable(places_variables(places, i, true), address);
}

enum meant places_meant(struct places *places, uint64_t address)
{
	char scratch[256];
	struct text text = {.at = scratch, .room = sizeof(scratch)};
	const struct variable *variable = static_variable(places, address);
	if (!variable)
		return MEANT_UNKNOWN;
	append_inside(&text, variable->type, address - variable->address);
	return text.meant ? MEANT_SHARED : MEANT_NOT;
}

const char *places_kind(struct places *places, uint64_t address)
{
	char scratch[256];
	struct text text = {.at = scratch, .room = sizeof(scratch)};
	const struct variable *variable = static_variable(places, address);
	if (variable)
		append_inside(&text, variable->type, address - variable->address);
	return text.kind;
}

static bool name_static(struct places *places, struct text *text, uint64_t address)
{
	const struct module *module = modules_find(&places->modules, address);
	if (!module)
		return false;
	const struct variable *variable = static_variable(places, address);
	if (variable) {
		text_append(text, "%s", variable->name);
		append_inside(text, variable->type, address - variable->address);
		return true;
	}
	if (!name_symbol(places, text, address))
		text_append(text, "%s+%#" PRIx64, module->name, address - module->bias);
	return true;
}

void places_name_in(struct places *places, const struct surroundings *around, uint64_t address, char *name,
		    size_t room)
{
	struct text text = {.at = name, .room = room};
	struct region region;
	uint32_t thread;
	if (room == 0)
		return;
	name[0] = 0;
	if (name_static(places, &text, address))
		return;
	bool mapped = around->region(around->context, address, &region);
	if (mapped && region.heap)
		text_append(&text, "heap +%#" PRIx64, address - region.low);
	else if (mapped && around->stack(around->context, &region, &thread))
		text_append(&text, "stack of T%" PRIu32 " -%#" PRIx64, thread + 1, region.high - address);
	else
		text_append(&text, "%#" PRIx64, address);
}

bool places_target_region(const void *context, uint64_t address, struct region *region)
{
	const struct target *target = context;
	char *maps = maps_text(target_pid(target));
	bool found = false;
	for (const char *line = maps; line && *line && !found;) {
		const char *end = strchrnul(line, '\n');
		found = sscanf(line, "%" SCNx64 "-%" SCNx64, &region->low, &region->high) == 2 &&
			address >= region->low && address < region->high;
		region->heap = memmem(line, (size_t)(end - line), "[heap]", 6) != NULL;
		line = *end ? end + 1 : end;
	}
	free(maps);
	return found;
}

/* A mapping that a stack pointer points into is a stack. */
static bool target_stack(const void *context, const struct region *region, uint32_t *thread)
{
	const struct target *target = context;
	for (uint32_t i = 0; i < target_tracees(target); i++) {
		struct tracee *tracee = target_tracee(target, i);
		if (tracee->life != TRACEE_STOPPED && tracee->life != TRACEE_EXITING)
			continue;
		const struct user_regs_struct *regs = tracee_regs(tracee);
		if (!regs || regs->rsp < region->low || regs->rsp > region->high)
			continue;
		*thread = i;
		return true;
	}
	return false;
}

void places_name(struct places *places, struct target *target, uint64_t address, char *name, size_t room)
{
	const struct surroundings around = {
	    .context = target, .region = places_target_region, .stack = target_stack};
	places_name_in(places, &around, address, name, room);
}
