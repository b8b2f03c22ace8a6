#include "breakpoints/symbols/scopes.h"

#include <dwarf.h>
#include <fmc/tracer/array.h>
#include <stdlib.h>

/* Which functions and blocks cover a place in the code. */

static bool add(struct scopes *scopes, const Dwarf_Die *die)
{
	if (!ARRAY_ONE_MORE(scopes->at, scopes->length))
		return false;
	scopes->at[scopes->length++] = *die;
	return true;
}

static bool holds_code(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

/* True if some code within the parent covers the place. */
static bool descend(struct scopes *scopes, Dwarf_Die *parent)
{
	Dwarf_Die die;
	if (dwarf_child(parent, &die) != 0)
		return false;
	do {
		int tag = dwarf_tag(&die);
		if (tag == DW_TAG_namespace && descend(scopes, &die))
			return true;
		if (!holds_code(tag) || dwarf_haspc(&die, scopes->pc) <= 0)
			continue;
		if (add(scopes, &die))
			descend(scopes, &die);
		return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

void scopes_find(struct places *places, uint64_t pc, bool is_return, struct scopes *scopes)
{
	uint64_t address = pc - (is_return ? 1 : 0);
	*scopes = (struct scopes){0};
	const struct module *module = modules_find(&places->modules, address);
	if (module && module_is_runtime(module))
		return;
	Dwarf_Die *unit = places_unit(places, address, &scopes->bias);
	if (!unit)
		return;
	scopes->pc = address - scopes->bias;
	scopes->line = places_line(places, address);
	descend(scopes, unit);
}

void scopes_release(struct scopes *scopes)
{
	free(scopes->at);
	*scopes = (struct scopes){0};
}
