#ifndef FMC_SUPERVISOR_CLI_EXPLORE_TOLD_H
#define FMC_SUPERVISOR_CLI_EXPLORE_TOLD_H

#include "supervisor/cli/explore/explore.h"

/*
 * What of the environment a schedule of this finding names; all of it where that can't be told apart. For
 * list_free(); NULL without memory.
 */
char **told_environment(const struct exploration *x, const struct launch *launch, const struct policy *policy,
			const struct finding *finding);

#endif
