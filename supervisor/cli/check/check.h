#ifndef FMC_SUPERVISOR_CLI_CHECK_CHECK_H
#define FMC_SUPERVISOR_CLI_CHECK_CHECK_H

#include "supervisor/cli/session/launch.h"

#include <fmc/supervisor/suppressions.h>

/* Search the schedules of a program from where it is launched, and say what came of it. The exit status. */
int check_search(struct launch *launch, const struct options *options);

/* The same with what isn't to be told known, a saved search still to be opened. */
int check_resumed(struct launch *launch, const struct options *options,
		  const struct suppressions *suppressions);

/* There is no search: for people a line, for other tools a result. `launch`: NULL if there is no program either. Returns `exits`. */
int check_fail(const struct options *options, const struct launch *launch, const char *why, int exits);

#endif
