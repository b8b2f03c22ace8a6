#ifndef FMC_BREAKPOINTS_EXPRESSION_LOOKUP_H
#define FMC_BREAKPOINTS_EXPRESSION_LOOKUP_H

#include "breakpoints/symbols/places.h"

#include <fmc/breakpoints/expression.h>

#include <elfutils/libdw.h>

/* What a name of an expression is in the program and its libraries. */
struct looked_up {
	bool is_constant; /* of an enumeration, or a constant variable: */
	int64_t constant;
	bool is_thread_local; /* then `address` is its place in the program's block of such variables */
	uint64_t address;     /* else of a variable, */
	bool has_type;	      /* which the debug information describes, */
	Dwarf_Die type;
	uint64_t size; /* or a symbol of this size */
};

/* `at`: where the name is in the text. False: what is in *problem. */
bool lookup_name(struct places *places, const char *name, size_t at, struct looked_up *found,
		 struct expression_problem *problem);

/* A name as it was asked for: in which file, or in whichever. */
struct wanted {
	const char *file; /* not terminated; NULL: any */
	size_t file_length;
	const char *name; /* with its scopes */
};
struct wanted lookup_take_apart(const char *name);
bool lookup_in_file(const struct wanted *wanted, const struct variable *variable);

/* The function that a static variable is in, NULL if that isn't told; *scopes is to be freed. */
const char *lookup_function_of(const struct variable *variable, Dwarf_Die **scopes);

/*
 * lookup_pattern.c: each variable with a fixed address whose name fits a pattern, in which * stands for any characters and ? for one: those of the
 * program, of its libraries where the program has none, or symbols where no debug information has any. False: a visit has been false, or none
 * fits, which *problem says.
 */
typedef bool lookup_visitor(void *context, const char *name, const struct looked_up *found);
bool lookup_is_pattern(const char *text);
bool lookup_pattern_fits(const char *pattern, const char *name);
bool lookup_pattern(struct places *places, const char *pattern, size_t at, lookup_visitor *visit,
		    void *context, struct expression_problem *problem);

/* The type of this name, after `struct` and its kin only one of these: its tag, 0: any. False: what is in *problem. */
bool lookup_type(struct places *places, const char *name, int tag, size_t at, Dwarf_Die *type,
		 struct expression_problem *problem);

/* lookup_thread.c: a thread-local variable of the program, without its scopes; false: there is none. */
bool lookup_thread_local(struct places *places, const char *name, struct looked_up *found);
bool variable_is_thread_local(Dwarf_Die *variable, uint64_t *offset);

/* The definition of a structure of which `type` is a declaration only; as it is if there is none. */
void lookup_definition(struct places *places, Dwarf_Die *type);

/*
 * lookup_miss.c: say why there is no such variable: it has no fixed address, has been optimised out, or which names are near.
 * Returns false.
 */
bool lookup_explain(struct places *places, const char *name, size_t at, struct expression_problem *problem);

/* "forks, holders and 3 more": the program's variables; empty: it has no names. */
void lookup_list(struct places *places, char *text, size_t room);

/* The last part of a name: `head` of `queue.c::head`. */
const char *lookup_last(const char *name);

#endif
