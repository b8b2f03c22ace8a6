#ifndef FMC_SUPERVISOR_CLI_CHECK_CERTIFY_WRITE_H
#define FMC_SUPERVISOR_CLI_CHECK_CERTIFY_WRITE_H

#include "supervisor/cli/explore/explore.h"

/*
 * Check what was kept and write the file; a line to the stream. Where there can be none a line on standard error says why, and nothing is
 * written. False if that failed.
 */
bool certify_write(struct exploration *x, const struct launch *launch, FILE *stream);

#endif
