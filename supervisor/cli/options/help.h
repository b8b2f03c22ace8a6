#ifndef FMC_SUPERVISOR_CLI_OPTIONS_HELP_H
#define FMC_SUPERVISOR_CLI_OPTIONS_HELP_H

#include "supervisor/cli/options/options.h"

/* Print the overview (COMMANDS) or what one command does and takes. */
void help_print(enum command topic);

/* What a command does, in some words; of each but COMMANDS. */
const char *help_brief(enum command command);

#endif
