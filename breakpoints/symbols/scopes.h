#ifndef FMC_BREAKPOINTS_SYMBOLS_SCOPES_H
#define FMC_BREAKPOINTS_SYMBOLS_SCOPES_H

#include "breakpoints/symbols/places.h"

/* The function in which a place in the code is, with what is inside of it there: blocks, inlined functions. */
struct scopes {
	Dwarf_Die *at; /* the function first */
	size_t length;
	Dwarf_Addr pc; /* the place, as the debug information counts */
	uint64_t bias; /* to add to its addresses */
	int line;      /* of the place; 0: not known */
};

/* Empty without debug information. To be released. */
void scopes_find(struct places *places, uint64_t pc, bool is_return, struct scopes *scopes);
void scopes_release(struct scopes *scopes);

#endif
