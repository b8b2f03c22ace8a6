#ifndef FMC_BREAKPOINTS_SITES_LIBRARY_STATES_H
#define FMC_BREAKPOINTS_SITES_LIBRARY_STATES_H

#include "breakpoints/effects/memory_calls.h"
#include "breakpoints/symbols/modules.h"

/* Where what libc keeps to itself counts as being (memory_state_name()), in these modules; 0: nowhere. */
void library_states(const struct modules *modules, uint64_t states[MEMORY_STATES]);

#endif
