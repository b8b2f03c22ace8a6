#include "breakpoints/symbols/scopes.h"
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* Functions that the compiler put in line, which have no frame of their own on the stack. */

/* The name of the function that the entry is an instance of, with its namespaces if it has them. */
const char *inlined_name(struct places *places, Dwarf_Die *instance)
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

/* Where the instance has been put in: the source and *line of the call. */
struct source inlined_call(Dwarf_Die *instance, int *line)
{
	Dwarf_Attribute attribute;
	Dwarf_Word file, number;
	Dwarf_Die unit;
	Dwarf_Files *files;
	if (!dwarf_diecu(instance, &unit, NULL, NULL) || dwarf_getsrcfiles(&unit, &files, NULL) != 0 ||
	    dwarf_formudata(dwarf_attr(instance, DW_AT_call_file, &attribute), &file) != 0 ||
	    dwarf_formudata(dwarf_attr(instance, DW_AT_call_line, &attribute), &number) != 0)
		return (struct source){0};
	*line = (int)number;
	return (struct source){dwarf_filesrc(files, file, NULL, NULL), unit_folder(&unit)};
}

bool inlined_find_call(struct places *places, uint64_t address, struct place *place)
{
	struct scopes scopes;
	struct source call = {0};
	int line = 0;
	scopes_find(places, address, false, &scopes);
	for (size_t i = scopes.length; i-- > 0 && !call.path;) {
		if (dwarf_tag(&scopes.at[i]) == DW_TAG_inlined_subroutine)
			call = inlined_call(&scopes.at[i], &line);
		if (call.path && source_is_library(call.path))
			call.path = NULL;
	}
	if (call.path) {
		place_set_source(places, place, call);
		place->line = line;
	}
	scopes_release(&scopes);
	return call.path != NULL;
}
