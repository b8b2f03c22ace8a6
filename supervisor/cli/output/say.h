#ifndef FMC_SUPERVISOR_CLI_OUTPUT_SAY_H
#define FMC_SUPERVISOR_CLI_OUTPUT_SAY_H

#include <fmc/tracer/status.h>

#include <stdint.h>

/* One line on standard error: "fmc: ...". */
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The exit status for a failure that isn't the user's: 69 where the target or the system refuses, else 70. */
int say_exit(enum status status);

/* What is at the end of the name of so many things: "" or "s". */
static inline const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

#endif
