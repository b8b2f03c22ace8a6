#ifndef FMC_BREAKPOINTS_LEADS_H
#define FMC_BREAKPOINTS_LEADS_H

#include <fmc/breakpoints/call.h>

/* What is at an entry point, for whoever is led to from there. */
struct entry_lead {
	uint8_t kind;	 /* enum op_kind */
	uint8_t untimed; /* the kind if the time-out is NULL */
	uint8_t shape;	 /* of the arguments */
	int8_t timeout;	 /* which argument is the time-out, -1: none */
	bool c11;
	bool takes_object; /* its first argument is the object */
	uint64_t stop;	   /* as call.entry */
	uint64_t copy;	   /* where the real function can be run */
};

/*
 * From now on the doors of this target lead to an address of its own, in place of traps: with the entry's number in r11d, which is an
 * index into `leads`, and all else as the caller left it. Entry points without doors keep their traps. Returns how many entry points
 * there are; 0: there are more than `room`, or they can't be written to, and nothing may be run there.
 */
size_t entries_lead(const struct entries *entries, struct target *target, uint64_t address,
		    struct entry_lead leads[], size_t room);

#endif
