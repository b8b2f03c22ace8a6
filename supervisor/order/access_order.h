#ifndef FMC_SUPERVISOR_ORDER_ACCESS_ORDER_H
#define FMC_SUPERVISOR_ORDER_ACCESS_ORDER_H

#include <fmc/supervisor/happens_before.h>
#include <fmc/supervisor/sharing.h>

/* Happens-before of accesses, by that of the operations between which they are made. */

/* The operations of a thread. */
struct own {
	uint32_t *at; /* transitions */
	/*
	 * Under total store order, of each: the stores of the thread's that it had begun before its operation of this number are in
	 * memory by then; and the operation by which its own store is.
	 */
	uint32_t *drained, *flushed;
	uint32_t length;
	size_t joined; /* the first transition of another thread that comes after its end; SIZE_MAX: none */
};

/* What has been asked before of accesses that are no operations: by their threads and transitions, the latter plus 1; 0: nothing. */
struct known_order {
	uint64_t first, second;
	bool ordered;
};
#define KNOWN_ORDERS 1024

struct access_order {
	const struct trace *trace; /* borrowed */
	struct happens_before *happened;
	struct own *threads;
	uint32_t threads_length;
	uint32_t *transitions; /* what threads[].at point into */
	uint32_t *drained, *flushed;
	bool buffers;	 /* stores have waited in buffers */
	bool operations; /* some operations are accesses */
	struct known_order *known;
};

/* False without memory; to be released in any case. */
bool access_order_init(struct access_order *order, const struct trace *trace);
void access_order_release(struct access_order *order);

/* Must the first come before the second, whatever the schedule of these operations? Of threads that the trace has. */
bool access_ordered(const struct access_order *order, const struct memory_access *first,
		    const struct memory_access *second);

/* Did the first one's thread end before the second, or did the second one's begin after the first? */
bool access_lives_apart(const struct access_order *order, const struct memory_access *first,
			const struct memory_access *second);

/* Is it what the operation does, or what the program announces by it, fmc_point() for one? */
bool access_is_operation(const struct access_order *order, const struct memory_access *access);

#endif
