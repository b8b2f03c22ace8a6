#ifndef FMC_BREAKPOINTS_PASSES_H
#define FMC_BREAKPOINTS_PASSES_H

#include <fmc/tracer/target.h>

/*
 * Memory of a target in which code of fmc's makes calls without a stop (mutex_leads.h, transfer_leads.h): what may pass is told there, and what has
 * passed is seen by fmc without asking the target. A copy of the process that fork() makes passes nothing.
 */

/* A call on a mutex that has passed. */
struct passed_call {
	uint64_t return_address;
	uint32_t object; /* as mutex_leads_name() calls it */
	uint32_t lead;	 /* enum mutex_lead */
};

/* Calls that the log holds. */
#define LEAD_PASSES 4096

/* Written by the target. */
struct passes {
	uint64_t
	    mutexes; /* so many calls have passed since it was made, the last ones are in the log: number n at n % LEAD_PASSES */
	uint64_t transfers; /* the same of transfer_leads.h, which aren't logged */
	uint64_t reserved[6];
	struct passed_call log[LEAD_PASSES];
};

/* In a target whose first thread is stopped, and which has none. Nothing may pass yet. NULL: it can't be had. To be freed by passes_free(), as late as one likes. */
struct passes *passes_make(struct target *target);
void passes_free(struct passes *passes); /* NULL is allowed */

/* So many calls on mutexes may pass in all, at most LEAD_PASSES more than have been read. */
enum status passes_let_mutexes(struct target *target, uint64_t calls);
/* May those of transfer_leads.h pass? */
enum status passes_let_transfers(struct target *target, bool let);

#endif
