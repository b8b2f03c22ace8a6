#ifndef FMC_TRACER_TRACEE_CUT_CALL_H
#define FMC_TRACER_TRACEE_CUT_CALL_H

#include <fmc/tracer/target.h>

/* What is left of a transfer, as a call of its own. */
struct rest {
	long number;
	uint64_t arguments[6];
	uint64_t
	    size; /* what its result would be if it did all of that; 0: nothing is left, or it can't be said */
	bool
	    within; /* of the last of the messages that have been counted: its result is no count of messages */
};

/* What the call in these registers would have gone on with, had it not been cut after `done`. */
struct rest cut_call_rest(const struct tracee *tracee, const struct user_regs_struct *regs, uint64_t done);

#endif
