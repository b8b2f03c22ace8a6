#ifndef FMC_SUPERVISOR_DEVIATION_H
#define FMC_SUPERVISOR_DEVIATION_H

#include <fmc/supervisor/trace.h>

/*
 * A schedule as what it does otherwise than POLICY_DEFAULT would.
 *
 * A decision is located by a thread and how many transitions that thread has taken, never by its number in
 * the execution: so the rest still means the same when some of a list is left out. Where what it asks for
 * isn't open, a deviation is passed over.
 */
enum deviation_kind {
	DEVIATION_SWITCH, /* when `thread` ran last and has taken `steps` transitions, `to` goes on */
	DEVIATION_CHOICE, /* when `thread` has taken `steps` transitions, its next one goes the way `choice` */
};

struct deviation {
	uint32_t thread; /* NO_THREAD for the first decision of all */
	enum deviation_kind kind;
	uint64_t steps;
	uint32_t to;
	int32_t choice;
};

/* Lists for POLICY_DEVIATIONS are in this order, which is qsort's kind of comparison, without duplicates. */
int deviation_compare(const void *a, const void *b);

/* Which thread goes on, by the list and else by POLICY_DEFAULT; alternatives as in policy_choose(). */
uint32_t deviation_thread(const struct deviation *list, size_t length, uint32_t previous,
			  uint64_t previous_steps, const struct alternative *alternatives, size_t count);

/* Which alternative of that thread, which has taken `steps` transitions, is taken. */
size_t deviation_alternative(const struct deviation *list, size_t length, uint32_t thread, uint64_t steps,
			     const struct alternative *alternatives, size_t count);

#endif
