#ifndef FMC_BREAKPOINTS_CODE_SITES_H
#define FMC_BREAKPOINTS_CODE_SITES_H

#include "breakpoints/code/instruction.h"
#include "breakpoints/symbols/modules.h"

struct memory_call;

/* Instructions that may touch memory which threads share. */
struct site {
	uint64_t address;
	uint8_t first; /* byte of the instruction, as in the file */
	bool stack;    /* its address is the stack pointer and a constant */
	bool planted;  /* a trap is there */
	const struct memory_call
	    *call;	  /* it leads to this function of a library; NULL: it touches memory itself */
	bool jumps;	  /* there: whoever has called it is on the stack */
	uint32_t counted; /* for the sampler: its tally plus 1, 0: none */
};

struct sites {
	struct site *at; /* in ascending order within each module */
	size_t length;
	char left_out[256]; /* modules, as sampler_left_out() says */
};

/*
 * Add those of the module: all that are certainly instructions (sweep.h), but for what is thread-local, read-only, or the jump of
 * a linkage table to what isn't one of memory_calls.h, and for atomic instructions, which are operations or told of elsewhere. STATUS_NO_MEMORY: not all of them.
 */
enum status sites_add(struct sites *sites, const struct module *module);
void sites_release(struct sites *sites);

/* A module isn't looked at. */
void sites_leave_out(struct sites *sites, const struct module *module, const char *why);

#endif
