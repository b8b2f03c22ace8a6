#ifndef FMC_SUPERVISOR_ORDER_GUARDS_H
#define FMC_SUPERVISOR_ORDER_GUARDS_H

#include "supervisor/order/access_order.h"

/*
 * Guards of C++'s static variables (Itanium C++ ABI, 3.3.3). Who finds a variable initialised has read the guard's first byte, without an
 * operation, after the initialising thread has released it: what that had done by then comes before what follows the read.
 */
struct guard {
	uint32_t release; /* the access that tells of it */
	uint32_t *reads;  /* after it, of each thread the first; NONE: it hasn't */
};

struct guards {
	struct guard *at;
	size_t length;
	bool failed; /* no memory */
};

void guards_release(struct guards *guards);

/* The next access in the order in which they were told. True: it is one to a guard, which threads share in order. */
bool guards_take(struct guards *guards, const struct access_order *order,
		 const struct memory_access *accesses, uint32_t index);

/* Do they order these two, of different threads, both taken? */
bool guards_ordered(const struct guards *guards, const struct access_order *order,
		    const struct memory_access *accesses, uint32_t first, uint32_t second);

#endif
