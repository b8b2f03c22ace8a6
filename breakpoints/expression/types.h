#ifndef FMC_BREAKPOINTS_EXPRESSION_TYPES_H
#define FMC_BREAKPOINTS_EXPRESSION_TYPES_H

#include "breakpoints/expression/node.h"

/* Types of debug information, as far as expressions need them. */

/* Of a variable or a member with this type; false: it can't be told. */
bool type_describe(struct places *places, Dwarf_Die *die, struct type *type);

/* What a pointer points to; false for what is none, or points to nothing known. */
bool type_pointed_to(struct places *places, const struct type *pointer, struct type *target);

/* Is it a reference of C++, which is followed wherever it is used? */
bool type_is_reference(const struct type *type);

/* Where in an object of a class the part is that it has from a class that it is derived from, perhaps not directly; false: it isn't. */
bool type_base_offset(struct places *places, const struct type *derived, const struct type *base,
		      uint64_t *offset);

/* Of an array's elements: their type, how far apart they are, and how many, 0: not known. False for what is no array. */
bool type_element(struct places *places, const struct type *array, struct type *element, uint64_t *stride,
		  uint64_t *elements);

/* A member of a structure, of one without a name in it, or of what it is derived from, which may be said: "Base::count". */
bool type_find_member(struct places *places, const struct type *structure, const char *name,
		      struct type *member, uint64_t *offset);

/* The name of member number *i, with those of parts that have no name and of what it is derived from; NULL, and *i is less by their number. */
const char *type_member_name(struct places *places, const struct type *structure, size_t *i);

/* The members' names as text: "head, tail, lock". */
void type_list_members(const struct type *structure, char *text, size_t room);

/* An atomic of C++ is a structure around the number that is meant. */
void type_unwrap(struct places *places, struct type *type);

/* "a structure", "an array" ... */
const char *type_word(const struct type *type);

#endif
