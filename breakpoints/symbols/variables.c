#include "breakpoints/symbols/places.h"

#include <dwarf.h>
#include <fmc/tracer/array.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The variables with fixed addresses that a module's debug information describes. */

struct collection {
	struct variables *variables;
	size_t room;
	uint64_t bias;
	bool inner; /* those of functions, else all others */
};

bool variable_address(Dwarf_Die *die, uint64_t *address)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *operations;
	size_t length;
	if (!dwarf_attr(die, DW_AT_location, &attribute) ||
	    dwarf_getlocation(&attribute, &operations, &length) != 0 || length != 1)
		return false;
	if (operations[0].atom == DW_OP_addr) {
		*address = operations[0].number;
		return true;
	}
	Dwarf_Attribute indirect; /* DW_OP_addrx: an index into a table of addresses */
	return operations[0].atom == DW_OP_addrx &&
	       dwarf_getlocation_attr(&attribute, operations, &indirect) == 0 &&
	       dwarf_formaddr(&indirect, address) == 0;
}

/* A definition outside of the namespace or class that declares it is known by its symbol there. */
static char *full_name(Dwarf_Die *die, const char *scope, const char *name)
{
	Dwarf_Attribute attribute;
	const char *symbol = NULL;
	if (dwarf_hasattr(die, DW_AT_specification) &&
	    dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute))
		symbol = dwarf_formstring(&attribute);
	char *full = symbol ? demangle(symbol) : NULL;
	if (!full && asprintf(&full, "%s%s", scope, name) < 0)
		return NULL;
	return full;
}

static void add(struct collection *collection, Dwarf_Die *die, const char *scope)
{
	uint64_t address, size;
	Dwarf_Attribute attribute;
	Dwarf_Die type;
	const char *name = dwarf_diename(die);
	if (!name || !variable_address(die, &address) || !dwarf_attr_integrate(die, DW_AT_type, &attribute) ||
	    !dwarf_formref_die(&attribute, &type) || dwarf_aggregate_size(&type, &size) != 0 || size == 0)
		return;
	struct variables *variables = collection->variables;
	if (!ARRAY_GROW(variables->at, variables->length, collection->room))
		return;
	char *full = full_name(die, scope, name);
	if (!full)
		return;
	variables->at[variables->length++] = (struct variable){
	    .address = address + collection->bias, .size = size, .name = full, .type = type, .die = *die};
}

/* Functions are entered for their static variables only; namespaces become part of the name. */
static void collect(struct collection *collection, Dwarf_Die *parent, const char *scope, bool in_function)
{
	Dwarf_Die die;
	if (dwarf_child(parent, &die) != 0)
		return;
	do {
		char inner[256];
		const char *name;
		switch (dwarf_tag(&die)) {
		case DW_TAG_variable:
			if (in_function == collection->inner)
				add(collection, &die, scope);
			break;
		case DW_TAG_namespace:
			name = dwarf_diename(&die);
			snprintf(inner, sizeof(inner), "%s%s%s", scope, name ? name : "", name ? "::" : "");
			collect(collection, &die, inner, in_function);
			break;
		case DW_TAG_subprogram:
		case DW_TAG_lexical_block:
			if (collection->inner)
				collect(collection, &die, scope, true);
			break;
		default:
			break;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

static int by_address(const void *a, const void *b)
{
	const struct variable *x = a, *y = b;
	return x->address < y->address ? -1 : x->address > y->address;
}

const struct variables *places_variables(struct places *places, size_t i, bool inner)
{
	struct variables *variables = inner ? &places->inner[i] : &places->variables[i];
	if (variables->known)
		return variables;
	variables->known = true;
	struct collection collection = {.variables = variables, .inner = inner};
	Dwfl_Module *module = places_dwfl_module(places, places->modules.at[i].low);
	Dwarf_Die *unit = NULL;
	while (module && (unit = dwfl_module_nextcu(module, unit, &collection.bias)))
		collect(&collection, unit, "", false);
	if (variables->length)
		qsort(variables->at, variables->length, sizeof(*variables->at), by_address);
	return variables;
}

void variables_release(struct variables *variables)
{
	for (size_t i = 0; i < variables->length; i++)
		free(variables->at[i].name);
	free(variables->at);
	*variables = (struct variables){0};
}
