#ifndef FMC_SUPERVISOR_CLI_ATTACH_ATTACH_H
#define FMC_SUPERVISOR_CLI_ATTACH_ATTACH_H

#include "supervisor/cli/options/options.h"

#include <sys/types.h>

/* What `fmc attach` does with a process, each giving an exit status after having said all. */

/* --watch: look again and again, and say who is stuck and who moves. */
int attach_watch(const struct options *options, pid_t pid);

/* --run: let it run under fmc's scheduling. */
int attach_run(const struct options *options, pid_t pid);

/* --explore: save its state, and search from there. */
int attach_explore(const struct options *options, pid_t pid);

/* The process can't be looked at: a line, and the exit status. */
int attach_failed(enum status status, const char *why);

#endif
