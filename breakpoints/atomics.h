#ifndef FMC_BREAKPOINTS_ATOMICS_H
#define FMC_BREAKPOINTS_ATOMICS_H

#include "breakpoints/modules.h"

/*
 * How many atomic read-modify-write instructions (LOCK prefix, XCHG with memory) the code of a program has, libc's own
 * part of a static one left out. They may be locks of its own, at which fmc doesn't switch threads.
 */
size_t atomics_count(const struct module *module);

#endif
