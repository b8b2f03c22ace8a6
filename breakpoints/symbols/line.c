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

struct source source_at(struct places *places, Dwfl_Module *module, uint64_t address, int *line)
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
	return module && source_at(places, module, address, &line).path ? line : 0;
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
