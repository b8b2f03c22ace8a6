#ifndef FMC_SUPERVISOR_CLI_SESSION_OPS_H
#define FMC_SUPERVISOR_CLI_SESSION_OPS_H

#include "supervisor/cli/options/options.h"

#include <fmc/replay/schedule.h>

/*
 * Load the plug-in that the options name. Before anything that makes a model. 0, or `otherwise`, the exit status, after
 * a line on standard error.
 */
int ops_open(const struct options *options, int otherwise);

/* The plug-in's file without its folders. */
const char *ops_name(void);

/* What a schedule says of the plug-in; false without memory. */
bool ops_record(struct schedule_header *header);

#endif
