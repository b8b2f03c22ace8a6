#ifndef FMC_SUPERVISOR_PRESENT_ORDER_H
#define FMC_SUPERVISOR_PRESENT_ORDER_H

#include <fmc/supervisor/trace.h>

/*
 * Happens-before while an execution runs: has what a thread did earlier come before what the present transition does, whatever is
 * still to come? Clocks by footprints, as in happens_before.h, of which only each thread's and each key's last ones are kept.
 */
struct present_order;

struct present_order *present_order_new(void); /* NULL without memory */
void present_order_free(struct present_order *order);

/* An execution begins. */
void present_order_begin(struct present_order *order);

/*
 * Thread `first` made an access in transition `earlier` of the trace, which was its own; the trace's last transition is number `present`,
 * being performed, and touches these, as far as that is known. Is the access ordered before those that the present transition's thread
 * makes in it, as sharing_find() will find when the trace is whole? Not under total store order. False as well where it isn't certain, and without
 * memory.
 */
bool present_ordered(struct present_order *order, const struct trace *trace, struct accesses touched,
		     uint32_t first, size_t earlier, size_t present);

#endif
