#ifndef FMC_CLI_SAY_H
#define FMC_CLI_SAY_H

#include <fmc/status.h>

/* One line on standard error: "fmc: ...". */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The exit status for a failure that isn't the user's: 69 where the target or the system refuses, else 70. */
int say_exit(enum status status);

#endif
