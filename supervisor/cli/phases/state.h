#ifndef FMC_SUPERVISOR_CLI_PHASES_STATE_H
#define FMC_SUPERVISOR_CLI_PHASES_STATE_H

#include "supervisor/cli/explore/explore.h"

/* What the executions so far have come to, all but warnings: for a later run. */
void explore_state_save(const struct exploration *x, struct saver *saver);

/*
 * Into an exploration that has run nothing but the preflight. Failures are confirmed by running them once more;
 * those that don't fail any more count as such. STATUS_MALFORMED: the bytes can't be what was saved;
 * STATUS_INTERRUPTED; STATUS_NO_MEMORY. If they are of a search that followed this one, nothing is loaded but where that one switches
 * threads (x->passed_over, x->races): it is to follow at once.
 */
enum status explore_state_load(struct exploration *x, struct loader loader);

#endif
