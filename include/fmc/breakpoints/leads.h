#ifndef FMC_BREAKPOINTS_LEADS_H
#define FMC_BREAKPOINTS_LEADS_H

#include <fmc/breakpoints/atomic.h>

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
 * index into `leads`, and all else as the caller left it. Entry points without doors keep their traps, but for the loader's: what may be loaded is left
 * to the address's owner (entries_plain_later()). Returns how many entry points
 * there are; 0: there are more than `room`, or they can't be written to, and nothing may be run there.
 */
size_t entries_lead(const struct entries *entries, struct target *target, uint64_t address,
		    struct entry_lead leads[], size_t room);

/*
 * Jumps ahead of system calls, in targets whose doors lead elsewhere: where a thread has come to one, the next that comes there goes to
 * an address of the target's own and not into the kernel, with the call's number in r11, where it would go on in rcx, and all else
 * as it was. What is jumped from is one whole instruction, so that it doesn't matter who else jumps to where.
 */
struct call_leads;
struct call_leads *call_leads_new(const struct entries *entries); /* which outlive it; NULL without memory */
void call_leads_free(struct call_leads *leads);			  /* NULL is allowed */

/* After entries_lead() of a target, which is the present one from now on and has no such jumps. */
void call_leads_begin(struct call_leads *leads, struct target *target);

/*
 * Make one for the system call that a thread goes on from at `after`. No thread stands between the jump and there but by signals.
 * False: there is no instruction that it could take the place of, no room, or the target is gone; all is as it was.
 */
bool call_leads_add(struct call_leads *leads, uint64_t after, uint64_t address);

/*
 * The same in a target whose doors lead nowhere else, ahead of each of these calls for which there can be one. Returns how many. All threads are stopped.
 */
size_t entries_lead_calls(const struct entries *entries, struct target *target, const uint64_t after[],
			  size_t length, uint64_t address);

/*
 * In a target whose threads needn't stop to read clocks (target_clock_code()): make one ahead of each call that has been found to read one, unless
 * there can't be any. All threads are stopped.
 */
void entries_lead_clocks(const struct entries *entries, struct target *target);

/*
 * And in place of traps at instructions that are operations: from there, and from a copy of the instruction once that has been performed, threads go
 * to addresses of the target's own, with all else as it was.
 */
struct instruction_lead {
	struct atomic atomic;
	uint64_t copy; /* where it is performed */
};

/*
 * Make that for the instruction whose trap a thread has met. One that is too short for a jump keeps its trap, but has its copy. False: it is no
 * such operation, it can't be copied, there is no room, or the target is gone; all is as it was.
 */
bool instruction_leads_add(struct call_leads *leads, uint64_t trap, uint64_t before, uint64_t after,
			   struct instruction_lead *lead);

#endif
