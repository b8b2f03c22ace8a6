#include "breakpoints/expression/types.h"
#include "breakpoints/expression/lookup.h"
#include "breakpoints/names/name.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

static uint64_t number_of(Dwarf_Die *die, unsigned name, uint64_t otherwise)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	if (!dwarf_attr_integrate(die, name, &attribute) || dwarf_formudata(&attribute, &number) != 0)
		return otherwise;
	return number;
}

static struct kind base_kind(Dwarf_Die *die, uint64_t size)
{
	struct kind kind = {.class = KIND_INTEGER, .size = (uint8_t)size};
	switch (number_of(die, DW_AT_encoding, DW_ATE_unsigned)) {
	case DW_ATE_boolean:
		kind.is_bool = true;
		break;
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		kind.is_signed = true;
		break;
	case DW_ATE_float:
		kind.class = KIND_REAL;
		break;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF:
	case DW_ATE_address:
		break;
	default:
		kind.class = KIND_OTHER;
	}
	return kind;
}

/* Enumerations say of which type they are, or are unsigned unless a constant is below 0. */
static bool enumeration_signed(Dwarf_Die *die)
{
	Dwarf_Die base, constant;
	Dwarf_Attribute attribute;
	Dwarf_Sword value;
	if (type_of(die, &base) && dwarf_peel_type(&base, &base) == 0)
		return base_kind(&base, 4).is_signed;
	if (dwarf_child(die, &constant) != 0)
		return false;
	do
		if (dwarf_attr(&constant, DW_AT_const_value, &attribute) &&
		    dwarf_formsdata(&attribute, &value) == 0 && value < 0)
			return true;
	while (dwarf_siblingof(&constant, &constant) == 0);
	return false;
}

bool type_describe(struct places *places, Dwarf_Die *die, struct type *type)
{
	*type = (struct type){.has_die = true};
	if (dwarf_peel_type(die, &type->die) != 0)
		return false;
	lookup_definition(places, &type->die);
	uint64_t size = 0;
	if (dwarf_aggregate_size(&type->die, &size) != 0 || size > UINT8_MAX)
		size = 0;
	type->kind = (struct kind){.class = KIND_OTHER};
	switch (dwarf_tag(&type->die)) {
	case DW_TAG_base_type:
		type->kind = base_kind(&type->die, size);
		break;
	case DW_TAG_enumeration_type:
		type->kind = (struct kind){.class = KIND_INTEGER,
					   .size = (uint8_t)size,
					   .is_signed = enumeration_signed(&type->die)};
		break;
	case DW_TAG_pointer_type:
		type->kind = (struct kind){.class = KIND_POINTER, .size = 8};
		break;
	default:
		break;
	}
	return true;
}

bool type_pointed_to(struct places *places, const struct type *pointer, struct type *target)
{
	Dwarf_Die die = pointer->die, to;
	if (pointer->kind.class != KIND_POINTER)
		return false;
	if (pointer->pointers == 1 && pointer->to_die)
		return type_describe(places, &die, target);
	if (pointer->has_die && pointer->pointers == 0)
		return type_of(&die, &to) && type_describe(places, &to, target);
	if (pointer->pointers == 0)
		return false;
	*target = *pointer;
	target->pointers--;
	if (target->pointers == 0)
		target->kind = target->base;
	return true;
}

bool type_is_reference(const struct type *type)
{
	Dwarf_Die die = type->die;
	const int tag = type->has_die && type->pointers == 0 ? dwarf_tag(&die) : 0;
	return tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

bool type_element(struct places *places, const struct type *array, struct type *element, uint64_t *stride,
		  uint64_t *elements)
{
	Dwarf_Die die = array->die, of, child;
	unsigned level = 0;
	uint64_t below = 1;
	if (!array->has_die || dwarf_tag(&die) != DW_TAG_array_type || !type_of(&die, &of) ||
	    dwarf_child(&die, &child) != 0 || dwarf_aggregate_size(&of, stride) != 0)
		return false;
	*elements = 0;
	/* Of an array of arrays one dimension after the other is entered. */
	do {
		if (dwarf_tag(&child) != DW_TAG_subrange_type)
			continue;
		const uint64_t length = type_dimension(&child);
		if (level == array->level)
			*elements = length;
		else if (level > array->level)
			below *= length;
		level++;
	} while (dwarf_siblingof(&child, &child) == 0);
	*stride *= below;
	if (array->level + 1 >= level)
		return type_describe(places, &of, element);
	*element = *array;
	element->level++;
	return true;
}

static bool is_structure(const struct type *type)
{
	Dwarf_Die die = type->die;
	const int tag = type->has_die && type->pointers == 0 ? dwarf_tag(&die) : 0;
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

/* A bit-field is read with the whole of its type around it, or with eight bytes where it goes beyond that. */
static void place_bits(Dwarf_Die *die, struct type *member, uint64_t *offset)
{
	const uint64_t bits = number_of(die, DW_AT_bit_size, 0);
	uint64_t first = number_of(die, DW_AT_data_bit_offset, UINT64_MAX);
	uint64_t size = member->kind.size;
	if (bits == 0 || bits > 64 || size == 0 || member->kind.class != KIND_INTEGER)
		return;
	/* DWARF 3 counts from the other end of the type. */
	if (first == UINT64_MAX)
		first = 8 * *offset + 8 * size - number_of(die, DW_AT_bit_offset, 0) - bits;
	uint64_t begin = first / (8 * size) * size;
	if (first - 8 * begin + bits > 8 * size) {
		begin = first / 8;
		size = 8;
	}
	*offset = begin;
	member->kind.size = (uint8_t)size;
	member->kind.bit = (uint8_t)(first - 8 * begin);
	member->kind.bits = (uint8_t)bits;
}

/* How many bytes of `name` say a base class of the structure, before "::"; 0: none. */
static size_t base_named(Dwarf_Die *base, const char *name)
{
	const char *own = dwarf_diename(base);
	const size_t length = own ? strlen(own) : 0;
	return length && strncmp(name, own, length) == 0 && strncmp(name + length, "::", 2) == 0 ? length + 2
												 : 0;
}

bool type_find_member(struct places *places, const struct type *structure, const char *name,
		      struct type *member, uint64_t *offset)
{
	Dwarf_Die die = structure->die, child, of;
	uint64_t size;
	if (!is_structure(structure) || dwarf_child(&die, &child) != 0)
		return false;
	do {
		const int tag = dwarf_tag(&child);
		const char *own = dwarf_diename(&child);
		struct type inner;
		uint64_t start, deeper;
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    dwarf_hasattr(&child, DW_AT_external) || !type_member(&child, &of, &start, &size) ||
		    !type_describe(places, &of, &inner))
			continue;
		if (tag == DW_TAG_member && own) {
			if (strcmp(own, name) != 0)
				continue;
			*member = inner;
			*offset = start;
			place_bits(&child, member, offset);
			return true;
		}
		const size_t qualified = tag == DW_TAG_inheritance ? base_named(&inner.die, name) : 0;
		if (!type_find_member(places, &inner, name + qualified, member, &deeper))
			continue;
		*offset = start + deeper;
		return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

const char *type_member_name(struct places *places, const struct type *structure, size_t *i)
{
	Dwarf_Die die = structure->die, child, of;
	const char *name = NULL;
	if (!is_structure(structure) || dwarf_child(&die, &child) != 0)
		return NULL;
	do {
		const int tag = dwarf_tag(&child);
		const char *own = tag == DW_TAG_member ? dwarf_diename(&child) : NULL;
		struct type inner;
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) ||
		    dwarf_hasattr(&child, DW_AT_external))
			continue;
		if (own && *i == 0)
			return own;
		if (own)
			--*i;
		else if (type_of(&child, &of) && type_describe(places, &of, &inner))
			name = type_member_name(places, &inner, i);
	} while (!name && dwarf_siblingof(&child, &child) == 0);
	return name;
}

bool type_base_offset(struct places *places, const struct type *derived, const struct type *base,
		      uint64_t *offset)
{
	Dwarf_Die die = derived->die, wanted = base->die, child, of;
	uint64_t size, start, deeper;
	if (!is_structure(derived) || !is_structure(base) || dwarf_child(&die, &child) != 0)
		return false;
	do {
		struct type inner;
		if (dwarf_tag(&child) != DW_TAG_inheritance || !type_member(&child, &of, &start, &size) ||
		    !type_describe(places, &of, &inner))
			continue;
		const char *name = places_type_name(places, &inner.die);
		const char *other = places_type_name(places, &wanted);
		deeper = 0;
		if ((name && other && strcmp(name, other) == 0) ||
		    type_base_offset(places, &inner, base, &deeper)) {
			*offset = start + deeper;
			return true;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

void type_list_members(const struct type *structure, char *text, size_t room)
{
	Dwarf_Die die = structure->die, child;
	size_t used = 0;
	*text = '\0';
	if (!is_structure(structure) || dwarf_child(&die, &child) != 0)
		return;
	do {
		const char *name = dwarf_tag(&child) == DW_TAG_member ? dwarf_diename(&child) : NULL;
		if (name && used < room)
			used += (size_t)snprintf(text + used, room - used, "%s%s", used ? ", " : "", name);
	} while (dwarf_siblingof(&child, &child) == 0);
}

/* The first member, or base, if it lies at the beginning. */
static bool first_member(struct places *places, const struct type *structure, struct type *member)
{
	Dwarf_Die die = structure->die, child, of;
	uint64_t start, size;
	if (dwarf_child(&die, &child) != 0)
		return false;
	do {
		const int tag = dwarf_tag(&child);
		if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) &&
		    !dwarf_hasattr(&child, DW_AT_external) && type_member(&child, &of, &start, &size) &&
		    start == 0)
			return type_describe(places, &of, member);
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

void type_unwrap(struct places *places, struct type *type)
{
	struct type member;
	Dwarf_Die die = type->die;
	const char *name = is_structure(type) ? dwarf_diename(&die) : NULL;
	if (!name || (strncmp(name, "atomic", 6) != 0 && strncmp(name, "__atomic", 8) != 0))
		return;
	member = *type;
	while (is_structure(&member))
		if (!first_member(places, &member, &member))
			return;
	*type = member;
}

const char *type_word(const struct type *type)
{
	Dwarf_Die die = type->die;
	switch (type->has_die ? dwarf_tag(&die) : 0) {
	case DW_TAG_array_type:
		return "an array";
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return "a structure";
	case DW_TAG_union_type:
		return "a union";
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return "a reference";
	case DW_TAG_subroutine_type:
		return "a function";
	case DW_TAG_base_type:
		return "a number of an unusual kind";
	default:
		return "of no known type";
	}
}
