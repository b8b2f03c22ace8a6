#ifndef FMC_SUPERVISOR_CLI_ATTACH_FIND_PROCESS_H
#define FMC_SUPERVISOR_CLI_ATTACH_FIND_PROCESS_H

#include <sys/types.h>

/*
 * The process that a user means by a number or a name: that of the kernel, of its file, or of how it was called. 0 after a line on
 * standard error, with the exit status: no process has that name, or several do.
 */
pid_t find_process(const char *text, int *exits);

#endif
