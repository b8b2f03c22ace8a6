#ifndef FMC_SUPERVISOR_MODEL_CHECK_H
#define FMC_SUPERVISOR_MODEL_CHECK_H

#include "supervisor/state/state.h"

/*
 * The first sentence about a sound model that is not true of m, NULL if all are. For tests and for
 * debugging: it walks everything.
 */
const char *model_check(const struct model *m);

#endif
