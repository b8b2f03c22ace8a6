#ifndef FMC_SUPERVISOR_CLI_SESSION_TRUST_H
#define FMC_SUPERVISOR_CLI_SESSION_TRUST_H

#include "supervisor/cli/session/launch.h"

/*
 * Before what a schedule file names is run. If the file belongs to another user (root excepted), and also if `always`, a
 * line on standard error says what that is, and with which plug-in and which variables of the loader. Another user's is
 * asked for where there is a terminal.
 *
 * Returns an exit status: EXITS_OK, or EXITS_INTERRUPTED if the answer wasn't yes.
 */
int trust_schedule(const char *file, const struct launch *launch, const struct schedule_header *header,
		   bool always);

#endif
