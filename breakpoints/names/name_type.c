#include "breakpoints/names/name.h"
#include "breakpoints/symbols/places.h"

#include <dwarf.h>
#include <fmc/tracer/array.h>
#include <stdlib.h>

/* The names of types: `account`, `bank::account`. */

bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type);
}

static bool is_scope(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type;
}

/* The last of the parent's children that doesn't begin after the offset: entries lie within those that contain them. */
static bool child_towards(Dwarf_Die *parent, Dwarf_Off offset, Dwarf_Die *child)
{
	Dwarf_Die next;
	if (dwarf_child(parent, &next) != 0 || dwarf_dieoffset(&next) > offset)
		return false;
	do
		*child = next;
	while (dwarf_siblingof(child, &next) == 0 && dwarf_dieoffset(&next) <= offset);
	return true;
}

void type_scopes(struct text *text, Dwarf_Die *type)
{
	Dwarf_Die at;
	Dwarf_Off offset = dwarf_dieoffset(type);
	if (!dwarf_diecu(type, &at, NULL, NULL))
		return;
	while (child_towards(&at, offset, &at) && dwarf_dieoffset(&at) != offset) {
		const char *name = is_scope(dwarf_tag(&at)) ? dwarf_diename(&at) : NULL;
		if (name)
			text_append(text, "%s::", name);
	}
}

/* The name of a structure; where it has none of its own or one that isn't meant to be used, that of its typedef. */
static bool name_type(struct text *text, Dwarf_Die *type)
{
	Dwarf_Die at = *type, alias;
	bool has_alias = false;
	for (;;) {
		int tag = dwarf_tag(&at);
		if (tag == DW_TAG_typedef) {
			alias = at;
			has_alias = true;
		} else if (tag != DW_TAG_const_type && tag != DW_TAG_volatile_type) {
			break;
		}
		if (!type_of(&at, &at))
			return false;
	}
	const char *name = dwarf_diename(&at);
	bool meant = name && (name[0] != '_' || !has_alias);
	if (!meant && !has_alias)
		return false;
	type_scopes(text, meant ? &at : &alias);
	text_append(text, "%s", meant ? name : dwarf_diename(&alias));
	return true;
}

const char *places_type_name(struct places *places, Dwarf_Die *type)
{
	char name[256];
	struct text text = {.at = name, .room = sizeof(name)};
	struct type_names *known = &places->types;
	for (size_t i = 0; i < known->length; i++)
		if (known->at[i].die == type->addr)
			return known->at[i].name;
	if (!ARRAY_ONE_MORE(known->at, known->length))
		return NULL;
	const char *found = name_type(&text, type) ? places_string(places, name) : NULL;
	known->at[known->length++] = (struct type_name){.die = type->addr, .name = found};
	return found;
}
