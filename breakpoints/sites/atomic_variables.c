#include "breakpoints/sites/atomic_variables.h"
#include "breakpoints/symbols/places.h"

#include <dwarf.h>
#include <string.h>
#include <unistd.h>

/* Of an array so many elements are looked at one by one, and structures so deep. */
#define MOST_ELEMENTS 4096
#define MOST_DEPTH    8

struct looking {
	atomic_variable_visitor *visit;
	void *context;
	uint64_t bias;
};

bool atomic_type(Dwarf_Die *type)
{
	static const char *const names[] = {"atomic<", "atomic_flag", "__atomic_base<", "Atomic"};
	const char *name = dwarf_diename(type);
	if (dwarf_tag(type) == DW_TAG_atomic_type)
		return true;
	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (strncmp(name, names[i], strlen(names[i])) == 0)
			return dwarf_tag(type) != DW_TAG_typedef && dwarf_tag(type) != DW_TAG_variable;
	return false;
}

static bool type_of(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attribute;
	return dwarf_attr_integrate(die, DW_AT_type, &attribute) && dwarf_formref_die(&attribute, type);
}

static void look_at(const struct looking *looking, Dwarf_Die *type, uint64_t address, unsigned depth);

static void look_at_members(const struct looking *looking, Dwarf_Die *type, uint64_t address, unsigned depth)
{
	Dwarf_Die member, inner;
	if (dwarf_child(type, &member) != 0)
		return;
	do {
		Dwarf_Attribute attribute;
		Dwarf_Word offset = 0;
		int tag = dwarf_tag(&member);
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || !type_of(&member, &inner))
			continue;
		if (dwarf_attr(&member, DW_AT_data_member_location, &attribute) &&
		    dwarf_formudata(&attribute, &offset) != 0)
			continue;
		if (!dwarf_hasattr(&member, DW_AT_external)) /* else it is static */
			look_at(looking, &inner, address + offset, depth);
	} while (dwarf_siblingof(&member, &member) == 0);
}

static void look_at_elements(const struct looking *looking, Dwarf_Die *array, uint64_t address,
			     unsigned depth)
{
	Dwarf_Die element;
	Dwarf_Word whole, one;
	if (!type_of(array, &element) || dwarf_aggregate_size(array, &whole) != 0 ||
	    dwarf_aggregate_size(&element, &one) != 0 || one == 0 || whole / one > MOST_ELEMENTS)
		return;
	for (Dwarf_Word at = 0; at + one <= whole; at += one)
		look_at(looking, &element, address + at, depth);
}

/* An object of this type is at the address. */
static void look_at(const struct looking *looking, Dwarf_Die *type, uint64_t address, unsigned depth)
{
	Dwarf_Die inner;
	Dwarf_Word size;
	if (depth == MOST_DEPTH)
		return;
	if (atomic_type(type)) {
		if (dwarf_aggregate_size(type, &size) == 0 && size > 0)
			looking->visit(looking->context, address, size);
		return;
	}
	switch (dwarf_tag(type)) {
	case DW_TAG_typedef:
	case DW_TAG_const_type:
	case DW_TAG_volatile_type:
		if (type_of(type, &inner))
			look_at(looking, &inner, address, depth + 1);
		break;
	case DW_TAG_array_type:
		look_at_elements(looking, type, address, depth + 1);
		break;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		look_at_members(looking, type, address, depth + 1);
		break;
	default:
		break;
	}
}

/* Variables of functions, too. */
static void look_into(const struct looking *looking, Dwarf_Die *parent)
{
	Dwarf_Die die, type;
	uint64_t address;
	if (dwarf_child(parent, &die) != 0)
		return;
	do {
		switch (dwarf_tag(&die)) {
		case DW_TAG_variable:
			if (variable_address(&die, &address) && type_of(&die, &type))
				look_at(looking, &type, address + looking->bias, 0);
			break;
		case DW_TAG_namespace:
		case DW_TAG_subprogram:
		case DW_TAG_lexical_block:
			look_into(looking, &die);
			break;
		default:
			break;
		}
	} while (dwarf_siblingof(&die, &die) == 0);
}

void atomic_variables_each(const struct module *module, atomic_variable_visitor *visit, void *context)
{
	const struct looking looking = {visit, context, module->bias};
	int fd = module_open(module);
	Dwarf *dwarf = fd < 0 ? NULL : dwarf_begin(fd, DWARF_C_READ);
	Dwarf_CU *unit = NULL;
	Dwarf_Die die;
	uint8_t type;
	while (dwarf && dwarf_get_units(dwarf, unit, &unit, NULL, &type, &die, NULL) == 0)
		if (type == DW_UT_compile)
			look_into(&looking, &die);
	dwarf_end(dwarf);
	if (fd >= 0)
		close(fd);
}
