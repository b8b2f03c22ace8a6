#ifndef FMC_SUPERVISOR_ORDER_SYNC_ORDER_H
#define FMC_SUPERVISOR_ORDER_SYNC_ORDER_H

#include <fmc/supervisor/trace.h>

/*
 * The part of happens-before that locks have no share in: what a thread did before it created, was joined, signalled,
 * posted a semaphore that began empty, or came to a barrier, comes before what those do who waited for that. Two
 * transitions that aren't ordered so may well swap under another schedule, those that are hardly ever do.
 *
 * Vector clocks (Fidge 1988, Mattern 1989), brought forward transition by transition.
 */
struct sync_order;

struct sync_order *
sync_order_new(const struct trace *trace); /* before its first transition; NULL without memory */
void sync_order_free(struct sync_order *order);

/* Take in transition i, the next one. */
void sync_order_pass(struct sync_order *order, size_t i);

/* When a thread is: to be kept, and compared later. */
uint32_t sync_order_now(const struct sync_order *order, uint32_t thread);

/* Is what `thread` did at that time ordered before what `later` does now? */
bool sync_order_before(const struct sync_order *order, uint32_t thread, uint32_t when, uint32_t later);

#endif
