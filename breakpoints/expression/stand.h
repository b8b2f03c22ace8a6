#ifndef FMC_BREAKPOINTS_EXPRESSION_STAND_H
#define FMC_BREAKPOINTS_EXPRESSION_STAND_H

#include "breakpoints/names/locals.h"

#include <fmc/breakpoints/expression.h>

/* A place in the code at which an expression has been bound, and its local variables. */
struct stand;

/* NULL without memory. Nothing is known there without debug information. */
struct stand *stand_new(struct places *places, uint64_t pc);
void stand_free(struct stand *stand); /* NULL is allowed */

/* The variable of this name that the code there means, with a place or without; false: it is no local one. */
bool stand_find(const struct stand *stand, const char *name, Dwarf_Die *variable);

/* What can be known of a variable there without a thread that stands there. */
enum stand_has {
	STAND_MEMORY,
	STAND_REGISTER, /* or it is computed from some */
	STAND_CONSTANT, /* its value is known: *number */
	STAND_ADDRESS,	/* it is static, and its address is *number */
	STAND_NOTHING,	/* it has been optimised out there, or is in several pieces */
};
enum stand_has stand_look(struct stand *stand, Dwarf_Die *variable, uint64_t *number);

/* Do variables that have been looked at need vector registers? */
bool stand_wants_vectors(const struct stand *stand);

/* Of a thread that stands there. False: it can't be told. */
bool stand_locate(const struct stand *stand, const struct expression_world *world, const Dwarf_Die *variable,
		  struct located *located);

#endif
