#include "breakpoints/symbols/places.h"
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Code addresses as function, file and line. */

Dwfl_Module *places_dwfl_module(struct places *places, uint64_t address)
{
	return places->dwfl ? dwfl_addrmodule(places->dwfl, address) : NULL;
}

#define SIZELESS_MOST 64

static const char *function_name(struct places *places, Dwfl_Module *module, uint64_t address)
{
	GElf_Off offset;
	GElf_Sym sym;
	const char *symbol = dwfl_module_addrinfo(module, address, &offset, &sym, NULL, NULL, NULL);
	/* A symbol without a size reaches to the next one there is, which may be far where most have been stripped. */
	if (!symbol || (sym.st_size == 0 && offset >= SIZELESS_MOST))
		return NULL;
	char *plain = demangle(symbol);
	char *shown = plain ? plain : strdup(symbol);
	const char *name = shown ? places_string(places, function_shorten(shown)) : NULL;
	free(shown);
	return name;
}

Dwarf_Die *places_unit(struct places *places, uint64_t address, uint64_t *bias)
{
	Dwfl_Module *module = places_dwfl_module(places, address);
	Dwarf_Die *unit = module ? dwfl_module_addrdie(module, address, bias) : NULL;
	if (unit || !module)
		return unit;
	while ((unit = dwfl_module_nextcu(module, unit, bias)))
		if (dwarf_haspc(unit, address - *bias) > 0)
			return unit;
	return NULL;
}

const char *unit_folder(Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;
	return dwarf_attr(unit, DW_AT_comp_dir, &attribute) ? dwarf_formstring(&attribute) : NULL;
}

/* The source, and *line. */
static struct source find_source(struct places *places, Dwfl_Module *module, uint64_t address, int *line)
{
	uint64_t bias;
	Dwfl_Line *found = dwfl_module_getsrc(module, address);
	if (found)
		return (struct source){dwfl_lineinfo(found, NULL, line, NULL, NULL, NULL),
				       dwfl_line_comp_dir(found)};
	Dwarf_Die *unit = places_unit(places, address, &bias);
	Dwarf_Line *of_unit = unit ? dwarf_getsrc_die(unit, address - bias) : NULL;
	if (!of_unit || dwarf_lineno(of_unit, line) != 0)
		return (struct source){0};
	return (struct source){dwarf_linesrc(of_unit, NULL, NULL), unit_folder(unit)};
}

int places_line(struct places *places, uint64_t address)
{
	int line = 0;
	Dwfl_Module *module = places_dwfl_module(places, address);
	return module && find_source(places, module, address, &line).path ? line : 0;
}

bool source_is_library(const char *path)
{
	return strncmp(path, "/usr/include/", 13) == 0 || strstr(path, "/include/c++/") != NULL;
}

void place_set_source(struct places *places, struct place *place, struct source source)
{
	char *whole = NULL;
	const bool relative = source.path && source.folder && source.path[0] != '/';
	if (relative && asprintf(&whole, "%s/%s", source.folder, source.path) < 0)
		whole = NULL;
	const char *path = whole ? whole : source.path;
	place->source = path ? places_string(places, path) : NULL;
	free(whole);
	const char *slash = place->source ? strrchr(place->source, '/') : NULL;
	place->file = slash ? slash + 1 : place->source;
}

/* Of code that the compiler put in line: the place in the program's own code that it is for, too. */
static void find_line(struct places *places, Dwfl_Module *module, uint64_t address, struct found *found)
{
	struct place *place = &found->place;
	const struct source source = find_source(places, module, address, &place->line);
	place_set_source(places, place, source);
	found->innermost = *place;
	/* Inline functions of the C++ library are in the program's module, but no code of the program's. */
	if (source.path && source_is_library(source.path)) {
		found->innermost.library = true;
		place->library = place->library || !inlined_find_call(places, address, place);
	}
}

static void look_up(struct places *places, uint64_t address, bool is_return, struct found *found)
{
	struct place *place = &found->place;
	*found = (struct found){.is_return = is_return, .used = true};
	place->address = address;
	found->innermost = *place;
	const struct module *module = modules_find(&places->modules, address);
	if (!module)
		return;
	place->module = places_string(places, module->name);
	place->offset = address - module->bias;
	place->library =
	    module->kind != MODULE_PROGRAM || (address >= places->libc_low && address < places->libc_high);
	found->innermost = *place;
	Dwfl_Module *dwfl_module = places_dwfl_module(places, address);
	if (!dwfl_module)
		return;
	uint64_t looked_up = address - (is_return ? 1 : 0);
	place->function = function_name(places, dwfl_module, looked_up);
	find_line(places, dwfl_module, looked_up, found);
}

static size_t slot_of(const struct found *found, size_t room, uint64_t address, bool is_return)
{
	size_t at = (address * 2 + is_return) * 0x9e3779b97f4a7c15u >> 32;
	for (at &= room - 1; found[at].used; at = (at + 1) & (room - 1))
		if (found[at].place.address == address && found[at].is_return == is_return)
			break;
	return at;
}

static bool grow_found(struct places *places)
{
	size_t room = places->found_room ? 2 * places->found_room : 256;
	struct found *larger = calloc(room, sizeof(*larger));
	if (!larger)
		return false;
	for (size_t i = 0; i < places->found_room; i++) {
		const struct found *old = &places->found[i];
		if (old->used)
			larger[slot_of(larger, room, old->place.address, old->is_return)] = *old;
	}
	free(places->found);
	places->found = larger;
	places->found_room = room;
	return true;
}

/* libdwfl walks all symbols of a module for each address, and executions stop at the same few again and again. */
static struct found find(struct places *places, uint64_t address, bool is_return)
{
	struct found found;
	if (2 * places->found_length >= places->found_room && !grow_found(places)) {
		look_up(places, address, is_return, &found);
		return found;
	}
	struct found *kept = &places->found[slot_of(places->found, places->found_room, address, is_return)];
	if (!kept->used) {
		look_up(places, address, is_return, kept);
		places->found_length++;
	}
	return *kept;
}

void places_find(struct places *places, uint64_t address, bool is_return, struct place *place)
{
	*place = find(places, address, is_return).place;
}

void places_find_innermost(struct places *places, uint64_t address, bool is_return, struct place *place)
{
	*place = find(places, address, is_return).innermost;
}

void places_forget_found(struct places *places)
{
	free(places->found);
	places->found = NULL;
	places->found_length = places->found_room = 0;
}
