#ifndef FMC_BREAKPOINTS_SYMBOLS_PLACES_H
#define FMC_BREAKPOINTS_SYMBOLS_PLACES_H

#include "breakpoints/symbols/modules.h"
#include <elfutils/libdwfl.h>
#include <fmc/breakpoints/place.h>
#include <fmc/tracer/snapshot.h>

/* A variable of the program with a fixed address, from DWARF. */
struct variable {
	uint64_t address, size;
	char *name;	     /* with its namespaces */
	Dwarf_Die type, die; /* `die`: its own */
};

struct variables {
	struct variable *at; /* in ascending order of addresses */
	size_t length;
	bool known; /* has been looked for */
};

/* What was found out about a code address, as a return address or not. */
struct found {
	struct place place, innermost; /* what places_find() and places_find_innermost() say */
	bool is_return, used;
};

/* Names of types, by where their entries in the debug information are; NULL: it has none. */
struct type_name {
	const void *die;
	const char *name;
};

struct type_names {
	struct type_name *at;
	size_t length;
};

struct unwind_start;
struct unwind_state;

struct places {
	struct modules modules;
	Dwfl *dwfl;		     /* the same modules with their symbols and debug information */
	struct variables *variables; /* for each of modules, in the same order; filled at first use */
	struct variables *inner;     /* the same of variables inside of functions */
	size_t variables_length;
	uint64_t libc_low, libc_high; /* libc's code in a static program, else empty */
	char **strings;		      /* what was handed out; lives as long as the places */
	size_t strings_length, strings_room;
	struct found *found; /* a hash table of answers; true as long as the modules stay */
	size_t found_length, found_room;
	struct type_names types;	  /* that were asked for */
	bool attached;			  /* dwfl knows where registers and memory come from */
	const struct unwind_start *start; /* of libdwfl's walk that is under way */
	struct unwind_state *unwind;	  /* libunwind's; NULL: nothing was unwound yet */
	void (*unwind_free)(struct unwind_state *unwind); /* once the modules are others */
	struct snapshot *snapshot;			  /* whose modules they are; NULL: a target's */
};

/* Learn the modules of a snapshot, which has to outlive the places. STATUS_OK, STATUS_NO_MEMORY. */
enum status places_of_snapshot(struct places *places, struct snapshot *snapshot);

/* A mapping, and whose stack it is: what names of data in no module are made of. */
struct region {
	uint64_t low, high;
	bool heap;
};

struct surroundings {
	const void *context;
	bool (*region)(const void *context, uint64_t address,
		       struct region *region); /* that covers the address */
	bool (*stack)(const void *context, const struct region *region, uint32_t *thread);
};

/* The byte that the module's file has for this address; -1 if there is none. */
int places_file_byte(struct places *places, uint64_t address);

/* A copy of the text that lives as long as the places, the same pointer for equal texts. */
const char *places_string(struct places *places, const char *text);

/* Forget all answers of places_find(): the modules are others now. */
void places_forget_found(struct places *places);

/* The module of dwfl that covers the address, NULL if none does. */
Dwfl_Module *places_dwfl_module(struct places *places, uint64_t address);

/*
 * The unit of debug information that covers the address, NULL if none does; *bias is to be added to its addresses. Compilers
 * that write no table of units by addresses (clang) are understood, too.
 */
Dwarf_Die *places_unit(struct places *places, uint64_t address, uint64_t *bias);

/* A source as debug information names it: relative to the folder that it was compiled in, or absolute. */
struct source {
	const char *path, *folder; /* each NULL if it isn't known */
};

/* The folder that this unit was compiled in; NULL: it isn't told. */
const char *unit_folder(Dwarf_Die *unit);

/* The source of an address, and *line; no path if it isn't known. */
struct source source_at(struct places *places, Dwfl_Module *module, uint64_t address, int *line);

/* Say in which source a place is. */
void place_set_source(struct places *places, struct place *place, struct source source);

/* Is it a header of the system's or of the C++ library? */
bool source_is_library(const char *path);

/* As places_find(), but of code that was put in line from such a header: the header and its line, and `library`. */
void places_find_innermost(struct places *places, uint64_t address, bool is_return, struct place *place);

/*
 * The address is in such code: the innermost call of it from a source of the program's, as *place's file and line. False: there
 * is none, and *place is as it was.
 */
/* The name of the function that the entry is an instance of, with its namespaces if it has them. */
const char *inlined_name(struct places *places, Dwarf_Die *instance);

/* Where the instance has been put in: the source and *line of the call. */
struct source inlined_call(Dwarf_Die *instance, int *line);

bool inlined_find_call(struct places *places, uint64_t address, struct place *place);

/* The line of the source; 0: not known. */
int places_line(struct places *places, uint64_t address);

/*
 * The variables of modules.at[i], or those static ones that are inside of its functions, which takes longer. Empty if there is no
 * debug information.
 */
const struct variables *places_variables(struct places *places, size_t i, bool inner);
void variables_release(struct variables *variables);

/* Has the variable a fixed address? As in the module's file. */
bool variable_address(Dwarf_Die *variable, uint64_t *address);

/*
 * For libdwfl: where the separate debug information of a module is. Looks by build-id in the process's own root, in
 * debuginfod's cache, then where libdwfl does.
 */
int places_find_debuginfo(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word checksum, char **found);

/* Tell dwfl of the snapshot's vdso, as its memory shows it. */
void places_report_vdso(struct places *places);

/* The name that a symbol of C++ or Rust stands for, allocated; NULL if it is not one. */
char *demangle(const char *symbol);

/* The name of a function without what a reader doesn't need; works in place, returns the part to show. */
char *function_shorten(char *name);

#endif
