#ifndef FMC_BREAKPOINTS_UNWIND_VET_H
#define FMC_BREAKPOINTS_UNWIND_VET_H

#include "breakpoints/unwind/description.h"

/*
 * Will libunwind (1.6.2) read these rules as they are meant? It skips those that it doesn't know without a word, takes the frame's
 * place for the stack pointer whatever the rule for that is, ends a stack where rbp is said to be lost, believes numbers of
 * registers beyond the end of its arrays, and evaluates every expression, also one that never ends. So what it gets is no more
 * than what compilers and libc write; libdwfl does the rest.
 */
bool unwind_vet(const struct unwind_description *description);

#endif
