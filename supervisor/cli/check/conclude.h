#ifndef FMC_SUPERVISOR_CLI_CHECK_CONCLUDE_H
#define FMC_SUPERVISOR_CLI_CHECK_CONCLUDE_H

#include "supervisor/cli/explore/explore.h"

#include <fmc/supervisor/suppressions.h>

#include <stdio.h>

/* Where text for people goes. */
FILE *check_stream(const struct options *options);

/* The search is over: print, write, return the exit status. */
int check_conclude(struct exploration *x, const struct launch *launch,
		   const struct suppressions *suppressions);

#endif
