#ifndef FMC_SUPERVISOR_FAIR_FOOTPRINT_H
#define FMC_SUPERVISOR_FAIR_FOOTPRINT_H

#include <fmc/supervisor/dependence.h>
#include <fmc/supervisor/fair.h>

/*
 * What the transition of t does to the priorities, which have not been told of it: it leads from the enabled
 * set `before` to `after`. `counted`: it is a yield that will count.
 */
void fair_footprint(struct footprint *footprint, const struct fair *fair, uint32_t t, const uint64_t *before,
		    const uint64_t *after, bool counted);

#endif
