#ifndef FMC_BREAKPOINTS_LEAK_CHECK_H
#define FMC_BREAKPOINTS_LEAK_CHECK_H

#include <stdbool.h>

/*
 * LeakSanitizer, which AddressSanitizer brings along, looks for leaks as the program ends: a task of its own that isn't traced
 * stops the threads with ptrace. It can't do that to threads that are traced already.
 */

/* Has the program in this file a check for leaks, of its own or of a library that it names? Unreadable files have none. */
bool leak_check_in_program(const char *path);

/* Is it a library with one? By its name, as in LD_PRELOAD. */
bool leak_check_in_library(const char *name);

#endif
