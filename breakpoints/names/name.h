#ifndef FMC_BREAKPOINTS_NAMES_NAME_H
#define FMC_BREAKPOINTS_NAMES_NAME_H

#include "breakpoints/symbols/places.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Pieces that names of data are made of. */

/* A text in the making; what has no room is left out. */
struct text {
	char *at;
	size_t room, length;
	bool meant; /* type_is_meant() of a type on the way to what it names */
	const char *kind; /* lock_kind() of the first one that has any; NULL */
};

void text_append(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The type of a variable, a parameter or a member, also of one that has it from its declaration. */
bool type_of(Dwarf_Die *die, Dwarf_Die *type);

/* Append what the type stands in, namespaces and classes: `bank::`. */
void type_scopes(struct text *text, Dwarf_Die *type);

/* Is it volatile or atomic: are threads meant to come to it at the same time? */
bool type_is_meant(Dwarf_Die *type);

/* That is a type on the way to what the text names. */
void name_pass(struct text *text, Dwarf_Die *type);

/* Where a member is in its structure, and its type. */
bool type_member(Dwarf_Die *member, Dwarf_Die *type, uint64_t *start, uint64_t *size);

/* How many elements a dimension of an array has; 0: that isn't known. */
uint64_t type_dimension(Dwarf_Die *subrange);

/*
 * One step inwards: append the member or the element that covers the offset; *type and *offset become those of it, the type
 * without its typedefs, as it has to be given. False: the name ends here.
 */
bool name_enter(struct text *text, Dwarf_Die *type, uint64_t *offset);

/* surroundings.region of a target, which is the context. */
bool places_target_region(const void *target, uint64_t address, struct region *region);

/* places_name() for whatever these surroundings are of. */
void places_name_in(struct places *places, const struct surroundings *around, uint64_t address, char *name,
		    size_t room);

/* The name of a structure with its namespaces, or that of its typedef; NULL if it has none. Lives as long as the places. */
const char *places_type_name(struct places *places, Dwarf_Die *type);

/*
 * What a library or language calls the lock, or other object to wait for, that this address of a static variable is in: lock_kind(). NULL: it is
 * none of those.
 */
const char *places_kind(struct places *places, uint64_t address);

#endif
