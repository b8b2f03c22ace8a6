#ifndef FMC_SUPERVISOR_CLI_SESSION_ENVIRONMENT_H
#define FMC_SUPERVISOR_CLI_SESSION_ENVIRONMENT_H

#include "supervisor/cli/session/session.h"

/*
 * The environment that the schedule of a finding has to name: those variables that the program asks for by name and those of
 * the loader and of sanitizers; the others are hidden (hidden_variable()). What is left of it has been tried: the program does
 * the same with it.
 *
 * Runs the finding twice in processes of its own, for ENVIRONMENT_SECONDS at most. A list for list_free(); NULL, and *why is
 * a line, where everything has to be kept; NULL and *why NULL without memory.
 */
#define ENVIRONMENT_SECONDS 5
char **environment_needed(const struct launch *launch, const struct options *options,
			  const struct policy *policy, const struct trace *trace, const char **why);

#endif
