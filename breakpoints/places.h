#ifndef FMC_BREAKPOINTS_PLACES_H
#define FMC_BREAKPOINTS_PLACES_H

#include "breakpoints/modules.h"
#include <elfutils/libdwfl.h>
#include <fmc/place.h>

/* A variable of the program with a fixed address, from DWARF. */
struct variable {
	uint64_t address, size;
	char *name; /* with its namespaces */
	Dwarf_Die type;
};

struct variables {
	struct variable *at; /* in ascending order of addresses */
	size_t length;
	bool known; /* has been looked for */
};

/* What was found out about a code address, as a return address or not. */
struct found {
	struct place place;
	bool is_return, used;
};

struct places {
	struct modules modules;
	Dwfl *dwfl;		     /* the same modules with their symbols and debug information */
	struct variables *variables; /* for each of modules, in the same order; filled at first use */
	size_t variables_length;
	uint64_t libc_low, libc_high; /* libc's code in a static program, else empty */
	char **strings;		      /* what was handed out; lives as long as the places */
	size_t strings_length, strings_room;
	struct found *found; /* a hash table of answers; true as long as the modules stay */
	size_t found_length, found_room;
	bool attached;		  /* dwfl knows where registers and memory come from */
	struct tracee *unwinding; /* the thread whose stack is looked at, and where it stands */
	uint64_t pc;
};

/* A copy of the text that lives as long as the places, the same pointer for equal texts. */
const char *places_string(struct places *places, const char *text);

/* Forget all answers of places_find(): the modules are others now. */
void places_forget_found(struct places *places);

/* The module of dwfl that covers the address, NULL if none does. */
Dwfl_Module *places_dwfl_module(struct places *places, uint64_t address);

/* The variables of modules.at[i]; empty if there is no debug information. */
const struct variables *places_variables(struct places *places, size_t i);
void variables_release(struct variables *variables);

/* The C++ name of a symbol, allocated; NULL if it is not one. */
char *demangle(const char *symbol);

/* The name of a function without what a reader doesn't need; works in place, returns the part to show. */
char *function_shorten(char *name);

#endif
