#ifndef FMC_BREAKPOINTS_UNWIND_UNWINDER_H
#define FMC_BREAKPOINTS_UNWIND_UNWINDER_H

#include "breakpoints/unwind/frame.h"
#include "breakpoints/unwind/table.h"
#include <fmc/tracer/must_check.h>

/*
 * libunwind, a frame at a time. It keeps the rules for the last 128 places in the code that it was asked for, so each set of
 * modules has its own.
 */
struct unwinder;
struct unwinder *unwinder_new(void); /* NULL: no memory */
void unwinder_free(struct unwinder *unwinder);

/* A stack is going to be walked: its memory may be read once and kept until this is called again. */
void unwinder_begin(struct unwinder *unwinder, const struct unwinding *unwinding);

enum FMC_MUST_CHECK unwind_step {
	UNWIND_CALLER,	  /* *caller is the frame that called, or was interrupted */
	UNWIND_OUTERMOST, /* nobody did: it is the first function of its thread */
	UNWIND_UNKNOWN,	  /* libunwind can't tell */
};

/* *frame stands in the module that the table is of. */
enum unwind_step unwinder_step(struct unwinder *unwinder, const struct unwind_table *table,
			       const struct unwind_frame *frame, struct unwind_frame *caller);

#endif
