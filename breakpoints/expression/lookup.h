#ifndef FMC_BREAKPOINTS_EXPRESSION_LOOKUP_H
#define FMC_BREAKPOINTS_EXPRESSION_LOOKUP_H

#include <fmc/breakpoints/expression.h>

#include <elfutils/libdw.h>

/* What a name of an expression is in the program and its libraries. */
struct looked_up {
	bool is_constant; /* of an enumeration: */
	int64_t constant;
	uint64_t address; /* else of a variable, */
	bool has_type;	  /* which the debug information describes, */
	Dwarf_Die type;
	uint64_t size; /* or a symbol of this size */
};

/* `at`: where the name is in the text. False: what is in *problem. */
bool lookup_name(struct places *places, const char *name, size_t at, struct looked_up *found,
		 struct expression_problem *problem);

/* The definition of a structure of which `type` is a declaration only; as it is if there is none. */
void lookup_definition(struct places *places, Dwarf_Die *type);

/*
 * lookup_miss.c: say why there is no such variable: it has no fixed address, has been optimised out, or which names are near.
 * Returns false.
 */
bool lookup_explain(struct places *places, const char *name, size_t at, struct expression_problem *problem);

/* The last part of a name: `head` of `queue.c::head`. */
const char *lookup_last(const char *name);

#endif
