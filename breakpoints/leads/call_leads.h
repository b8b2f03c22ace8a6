#ifndef FMC_BREAKPOINTS_LEADS_CALL_LEADS_H
#define FMC_BREAKPOINTS_LEADS_CALL_LEADS_H

#include "breakpoints/instructions/functions.h"
#include "breakpoints/traps/state.h"

#include <fmc/breakpoints/leads.h>

#define VAIN_MOST    64
#define BESIDE_PAGES 4

struct known_module {
	uint64_t low;
	struct functions functions;
};

struct call_leads {
	const struct entries *entries;
	struct displacer *displacer;
	uint64_t digest; /* of the modules that are known */
	struct known_module *modules;
	size_t modules_length;
	struct target *target;
	size_t length; /* so many jumps in it, whose code follows the slots of entry points, */
	struct code_beside {
		uint64_t page;
		size_t length;
	} beside
	    [BESIDE_PAGES]; /* and so many with code that is out of the reach of those: in further pages, in order */
	uint64_t vain[VAIN_MOST]; /* where calls go on that can't have one: those that were met last */
	size_t vain_length;
};

/* Where the next jump leads to, SLOT_BYTES that `length` counts once they are used; 0: there is no room. */
uint64_t call_leads_slot(const struct call_leads *leads);

#endif
