#ifndef FMC_BREAKPOINTS_SITES_CALLED_H
#define FMC_BREAKPOINTS_SITES_CALLED_H

#include "breakpoints/effects/memory_calls.h"
#include "breakpoints/symbols/modules.h"

#include <fmc/breakpoints/call.h>

#define CALLED_BYTES 6 /* the longest instruction that can call a function of a library's */

/* Which function of a library's an instruction calls, by the linkage table or a word that the loader fills in. */
struct called {
	uint8_t length; /* of the instruction; 0: it calls none */
	/* As an operation: fmc does what it does, or it runs as one; neither: it can't be one. */
	enum copy_kind copies;
	const struct memory_call *function;
};

/* The last instruction of this module's code that ends at `after`. */
void called_before(const struct module *module, uint64_t after, const uint8_t code[CALLED_BYTES],
		   struct called *called);

#endif
