#ifndef FMC_BREAKPOINTS_NAMES_LOCALS_H
#define FMC_BREAKPOINTS_NAMES_LOCALS_H

#include "breakpoints/names/name.h"
#include "breakpoints/symbols/places.h"
#include "breakpoints/symbols/scopes.h"
#include "breakpoints/unwind/unwind.h"

/* The local variables and parameters of functions that run, from DWARF, and names of data found through them. */

/* A frame, and where memory comes from. */
struct activation {
	struct unwound registers;
	const struct user_regs_struct
	    *all;		/* of the innermost frame, which has all of them; NULL: registers */
	const uint8_t *vectors; /* and XMM0 to XMM15, VECTOR_BYTES each; NULL: not known */
	uint64_t cfa;		/* the stack pointer after its return; 0: not known */
	bool is_return;		/* registers.pc is a return address */
	enum status (*read)(void *context, uint64_t address, void *to, size_t size);
	void *context;
};

#define VECTORS	     16
#define VECTOR_BYTES 16

/* Where a variable is, or what its value is where that isn't in memory. */
struct located {
	bool in_memory;
	uint64_t word; /* its address, or its value */
};

/* False where the debug information doesn't say it in a way that is understood, or what it takes isn't known. */
bool variable_locate(const struct scopes *scopes, const struct activation *activation, Dwarf_Die *variable,
		     struct located *located);

/*
 * The parameter or variable of this name that is known in the innermost scopes, whether or not it has a place there; one that is declared
 * after it isn't. False: there is none.
 */
bool locals_find(const struct scopes *scopes, const char *name, Dwarf_Die *variable);

/* The value of a DWARF expression in a frame; of one for a frame's cfa, say. */
bool operations_evaluate(const struct scopes *scopes, const struct activation *activation,
			 const Dwarf_Op *operations, size_t length, uint64_t *word);

/* Some data of a type at an address, which covers other data. */
struct covering {
	Dwarf_Die type;
	uint64_t base, size;
	const char *variable; /* that it is; NULL: it is known through a pointer */
};

/* What is to be named, and of what size it is at least. */
struct sought {
	uint64_t address, size;
};

/*
 * Append the way to what is sought from the beginning of what covers it: ".lock". False if it doesn't lead to the beginning of
 * such data, or doesn't lead through `inner` (may be NULL) on its way.
 */
bool covering_path(const struct covering *covering, const struct sought *sought, const struct covering *inner,
		   struct text *text);

/*
 * Instead of a structure of a standard library's what is in it of the program's, if that still contains what is sought: of
 * `ArcInner<Account>` the Account.
 */
void covering_narrow(struct places *places, struct covering *covering, const struct sought *sought);

/* A variable of the function that is this data or contains it. */
bool locals_cover(const struct scopes *scopes, const struct activation *activation,
		  const struct sought *sought, struct covering *covering);

/*
 * A structure that contains the data and that a variable of the function points to, or a member of what one points to. If *found
 * already says one (its type isn't empty), only one that contains that.
 */
bool locals_lead(const struct scopes *scopes, const struct activation *activation,
		 const struct sought *sought, struct covering *found);

#endif
