/* Thread-local variables of the program. */
#include "breakpoints/expression/lookup.h"
#include "breakpoints/names/name.h"
#include "breakpoints/symbols/places.h"

#include <dwarf.h>
#include <string.h>

/* An offset, then that it is one of a block. */
bool variable_is_thread_local(Dwarf_Die *variable, uint64_t *offset)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *operations;
	size_t length;
	if (!dwarf_attr_integrate(variable, DW_AT_location, &attribute) ||
	    dwarf_getlocation(&attribute, &operations, &length) != 0 || length != 2 ||
	    (operations[1].atom != DW_OP_GNU_push_tls_address &&
	     operations[1].atom != DW_OP_form_tls_address))
		return false;
	*offset = operations[0].number;
	return true;
}

struct search {
	const char *name;
	struct looked_up *found;
};

static bool look(struct search *search, Dwarf_Die *parent)
{
	Dwarf_Die die;
	uint64_t offset;
	if (dwarf_child(parent, &die) != 0)
		return false;
	do {
		const int tag = dwarf_tag(&die);
		const char *name = tag == DW_TAG_variable ? dwarf_diename(&die) : NULL;
		if (name && strcmp(name, search->name) == 0 && variable_is_thread_local(&die, &offset)) {
			*search->found =
			    (struct looked_up){.is_thread_local = true, .address = offset, .has_type = true};
			return type_of(&die, &search->found->type);
		}
		if ((tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block || tag == DW_TAG_namespace) &&
		    look(search, &die))
			return true;
	} while (dwarf_siblingof(&die, &die) == 0);
	return false;
}

bool lookup_thread_local(struct places *places, const char *name, struct looked_up *found)
{
	struct search search = {lookup_last(name), found};
	Dwfl_Module *module =
	    places->modules.length ? places_dwfl_module(places, places->modules.at[0].low) : NULL;
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;
	while (module && (unit = dwfl_module_nextcu(module, unit, &bias)))
		if (look(&search, unit))
			return true;
	return false;
}
