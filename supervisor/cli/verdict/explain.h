#ifndef FMC_SUPERVISOR_CLI_VERDICT_EXPLAIN_H
#define FMC_SUPERVISOR_CLI_VERDICT_EXPLAIN_H

#include "supervisor/cli/options/options.h"

#include <fmc/supervisor/finding.h>

#include <stdio.h>

/*
 * The report of a finding: what, every thread, the end of the schedule as columns, output, how to replay it.
 * `schedule`: the file's name, NULL if there is none; `confirmed`: it was replayed.
 */
void explain_finding(const struct finding *finding, const char *schedule, bool confirmed,
		     const struct options *options, FILE *stream);

#endif
