#ifndef FMC_SUPERVISOR_CLI_CHECK_CHECK_H
#define FMC_SUPERVISOR_CLI_CHECK_CHECK_H

#include "supervisor/cli/session/launch.h"

/* Search the schedules of a program from where it is launched, and say what came of it. The exit status. */
int check_search(struct launch *launch, const struct options *options);

#endif
