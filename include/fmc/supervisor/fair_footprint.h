#ifndef FMC_SUPERVISOR_FAIR_FOOTPRINT_H
#define FMC_SUPERVISOR_FAIR_FOOTPRINT_H

#include <fmc/supervisor/dependence.h>
#include <fmc/supervisor/fair.h>

/* A transition as Algorithm 1 sees it. */
struct turn {
	uint32_t thread;
	bool yield;
	bool late; /* it has found that it has to wait: fair_late() */
	uint32_t by;
};

/* Of this operation of t, performed with what was seen of its object; `yield`: the model says so. */
struct turn fair_turn(const struct model *after, uint32_t t, const struct op *op, uint32_t word, bool yield);

/* What it does to the priorities, which have not been told of it: it leads from the enabled set `before` to `after`. */
void fair_footprint(struct footprint *footprint, const struct fair *fair, const struct turn *turn,
		    const uint64_t *before, const uint64_t *after);

/* Tell them: fair_step() or fair_late(). */
bool fair_take(struct fair *fair, const struct turn *turn, const uint64_t *before, const uint64_t *after);

#endif
