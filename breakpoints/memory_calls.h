#ifndef FMC_BREAKPOINTS_MEMORY_CALLS_H
#define FMC_BREAKPOINTS_MEMORY_CALLS_H

#include <fmc/sampling.h>

/* Functions of the C and C++ libraries that touch memory for their caller, or let the kernel do so: memcpy, strlen, read. */
struct memory_call;

/* NULL: it is none of these. */
const struct memory_call *memory_calls_find(const char *name);

/* What a call with the arguments in these registers is about to touch; how many ranges. */
size_t memory_call_touched(const struct memory_call *call, const struct target *target,
			   const struct user_regs_struct *regs, struct touched at[TOUCHED_MOST]);

#endif
