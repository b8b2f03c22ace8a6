#ifndef FMC_BREAKPOINTS_INSTRUCTIONS_FUNCTIONS_H
#define FMC_BREAKPOINTS_INSTRUCTIONS_FUNCTIONS_H

#include "breakpoints/symbols/modules.h"

/*
 * Where the functions of a module begin and end: from symbols, the call frame information (.eh_frame, which stripped programs
 * keep), and the ELF entry point. Addresses are those in the process.
 */
struct function {
	uint64_t low, high; /* the end of its last instruction; low again: not known */
	bool landing_pads;  /* it may be entered in the middle by an exception */
};

struct functions {
	struct function *at; /* in ascending order of low, each range once; they may overlap */
	size_t length;
};

/* STATUS_OK, STATUS_NOT_FOUND if the file can't be read, STATUS_NO_MEMORY. Ends with functions_release() in any case. */
enum status functions_find(struct functions *functions, const struct module *module);
void functions_release(struct functions *functions);

#endif
