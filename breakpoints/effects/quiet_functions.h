#ifndef FMC_BREAKPOINTS_EFFECTS_QUIET_FUNCTIONS_H
#define FMC_BREAKPOINTS_EFFECTS_QUIET_FUNCTIONS_H

#include <stdbool.h>

/* Does the library's function of this name touch nothing that another thread could touch, but for what is seen otherwise? */
bool quiet_function(const char *name);

#endif
