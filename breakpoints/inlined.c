#include "breakpoints/locals.h"
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* Functions that the compiler put in line, which have no frame of their own on the stack. */

/* The name of the function that the entry is an instance of, with its namespaces if it has them. */
static const char *instance_name(struct places *places, Dwarf_Die *instance)
{
	Dwarf_Attribute attribute;
	const char *symbol = NULL;
	if (dwarf_attr_integrate(instance, DW_AT_linkage_name, &attribute))
		symbol = dwarf_formstring(&attribute);
	char *plain = symbol ? demangle(symbol) : NULL;
	const char *bare = dwarf_diename(instance);
	char *shown = plain ? plain : bare ? strdup(bare) : NULL;
	const char *name = shown ? places_string(places, function_shorten(shown)) : NULL;
	free(shown);
	return name;
}

/* Where the instance has been put in: *file and *line of the call. */
static void find_call(struct places *places, Dwarf_Die *instance, struct place *place)
{
	Dwarf_Attribute attribute;
	Dwarf_Word file, line;
	Dwarf_Die unit;
	Dwarf_Files *files;
	place->file = NULL;
	place->line = 0;
	if (!dwarf_diecu(instance, &unit, NULL, NULL) || dwarf_getsrcfiles(&unit, &files, NULL) != 0 ||
	    dwarf_formudata(dwarf_attr(instance, DW_AT_call_file, &attribute), &file) != 0 ||
	    dwarf_formudata(dwarf_attr(instance, DW_AT_call_line, &attribute), &line) != 0)
		return;
	const char *path = dwarf_filesrc(files, file, NULL, NULL);
	if (!path)
		return;
	const char *slash = strrchr(path, '/');
	place->file = places_string(places, slash ? slash + 1 : path);
	place->line = (int)line;
}

size_t places_frames(struct places *places, uint64_t address, bool is_return, struct place at[], size_t room)
{
	struct scopes scopes;
	struct place place;
	size_t length = 0;
	places_find(places, address, is_return, &place);
	const char *function = place.function;
	scopes_find(places, address, is_return, &scopes);
	for (size_t i = scopes.length; i-- > 0 && length + 1 < room;) {
		if (dwarf_tag(&scopes.at[i]) != DW_TAG_inlined_subroutine)
			continue;
		at[length] = place;
		at[length++].function = instance_name(places, &scopes.at[i]);
		find_call(places, &scopes.at[i], &place);
	}
	scopes_release(&scopes);
	at[length] = place;
	at[length++].function = function;
	return length;
}
