#ifndef FMC_SUPERVISOR_CLI_SESSION_LEAKS_H
#define FMC_SUPERVISOR_CLI_SESSION_LEAKS_H

#include "supervisor/cli/session/launch.h"

/*
 * A check for leaks that can't be done while fmc traces the program (leak_check.h) is switched off in the program's environment,
 * and that is said; nothing is done or said where the user has switched it off. False without memory.
 */
bool leaks_leave_out(struct launch *launch);

#endif
