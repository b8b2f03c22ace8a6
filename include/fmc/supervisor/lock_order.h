#ifndef FMC_SUPERVISOR_LOCK_ORDER_H
#define FMC_SUPERVISOR_LOCK_ORDER_H

#include <fmc/supervisor/trace.h>

/*
 * What an execution that went well shows of others that might not: warnings, not findings. Pure.
 */

/*
 * One thread takes b while it holds a, another one takes a while it holds b, without a common lock around, and neither of
 * the two must come before the other because threads are created, joined, signalled, or meet.
 */
struct lock_inversion {
	size_t takes[2];  /* transitions: of b, then of a */
	uint32_t held[2]; /* objects: a, then b */
};

/*
 * The first inversion of a trace; false if it has none or there is no memory. Mutexes, rwlocks for writing and
 * spinlocks; locks that are only tried can't wait.
 */
bool lock_order_find(const struct trace *trace, struct lock_inversion *inversion);

/* The first thread that nobody has joined or detached when the process has exited; NO_THREAD if there is none. */
uint32_t leaked_thread(const struct trace *trace);

#endif
