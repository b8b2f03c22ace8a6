/* The place of an address, and those that were found before. */
#include "breakpoints/symbols/scopes.h"

#include <stdlib.h>
#include <string.h>

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

/* Of code that the compiler put in line: the place in the program's own code that it is for, too. */
static void find_line(struct places *places, Dwfl_Module *module, uint64_t address, struct found *found)
{
	struct place *place = &found->place;
	const struct source source = source_at(places, module, address, &place->line);
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
	if (module_is_runtime(module))
		found->innermost = *place;
	else
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
