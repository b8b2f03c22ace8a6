#ifndef FMC_BREAKPOINTS_SAMPLER_GATES_H
#define FMC_BREAKPOINTS_SAMPLER_GATES_H

#include "breakpoints/sampler/releases.h"

/* Give the function its gate in this target, if it can have one: release->gate then. */
bool gates_plant(struct releases *releases, struct release *release, const struct releases_plan *plan,
		 struct displacer *displacer);

/* All that have been made. */
void gates_forget(struct releases *releases);

#endif
