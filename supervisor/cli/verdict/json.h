#ifndef FMC_SUPERVISOR_CLI_VERDICT_JSON_H
#define FMC_SUPERVISOR_CLI_VERDICT_JSON_H

#include "supervisor/cli/verdict/verdict.h"

/*
 * Write the verdict as JSON to this file ("-": standard output). False after a line on standard error when it
 * can't be written.
 */
bool json_write(const struct verdict *verdict, const char *path);

#endif
