#ifndef FMC_BREAKPOINTS_PROMOTED_H
#define FMC_BREAKPOINTS_PROMOTED_H

#include <fmc/breakpoints/module_place.h>
#include <stddef.h>

/*
 * Promoted instructions: plain accesses to memory that are operations. (Terms and idea: [PREEMPT].) Begins as all zeros, and ends with
 * promoted_release(); a copy of the struct is of the same table.
 */
struct promoted {
	size_t length;
	struct module_place *at; /* by module and offset, in ascending order */
};

bool promoted_has(const struct promoted *promoted, const char *module, uint64_t offset);

/* False: it is there already, or there is no memory. */
bool promoted_add(struct promoted *promoted, const struct module_place *place);

/* Those of another table, too. False without memory: not all of them. */
bool promoted_add_all(struct promoted *promoted, const struct promoted *more);

void promoted_release(struct promoted *promoted);

#endif
