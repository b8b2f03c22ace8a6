#ifndef FMC_SUPERVISOR_CLI_SESSION_VARIABLES_H
#define FMC_SUPERVISOR_CLI_SESSION_VARIABLES_H

#include <stdbool.h>

/* Variables of an environment: texts "NAME=value", of which a NULL is the last. */

/* Where the variable of this name is; NULL: it isn't set. */
char **variables_find(char **environment, const char *name);

/* One more, which is owned by the environment from then on. False without memory: nothing has changed. */
bool variables_add(char ***environment, char *variable);

#endif
