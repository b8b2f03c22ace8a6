#ifndef FMC_BREAKPOINTS_UNWIND_DESCRIPTION_H
#define FMC_BREAKPOINTS_UNWIND_DESCRIPTION_H

#include "breakpoints/unwind/cfi_reader.h"
#include "breakpoints/unwind/table.h"

/* What .eh_frame says of a piece of code: an FDE, and the CIE that it refers to. */
struct unwind_description {
	uint64_t low, high;	       /* the code */
	bool of_signal;		       /* the handlers of signals return to it */
	struct cfi_reader common, own; /* the rules of the CIE, and those that follow, of the FDE */
};

/*
 * Read the one that is at this address. False: there is none, it is damaged, or it isn't of a form that all readers understand
 * alike.
 */
bool unwind_describe(const struct unwind_table *table, uint64_t fde, struct unwind_description *description);

#endif
