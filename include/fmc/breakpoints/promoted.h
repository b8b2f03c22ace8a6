#ifndef FMC_BREAKPOINTS_PROMOTED_H
#define FMC_BREAKPOINTS_PROMOTED_H

#include <fmc/breakpoints/module_place.h>
#include <stddef.h>

/*
 * Promoted instructions: plain accesses to memory that are operations. (Terms and idea: [PREEMPT].)
 */
#define PROMOTED_MOST 256

struct promoted {
	size_t length;
	struct module_place at[PROMOTED_MOST];
};

bool promoted_has(const struct promoted *promoted, const char *module, uint64_t offset);

/* False: it is there already, or there is no room. */
bool promoted_add(struct promoted *promoted, const struct module_place *place);

#endif
