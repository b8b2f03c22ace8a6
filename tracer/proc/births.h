#ifndef FMC_TRACER_PROC_BIRTHS_H
#define FMC_TRACER_PROC_BIRTHS_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * In which order a process has made its threads. Their numbers alone don't say it: at the highest one the kernel begins anew
 * with the lowest that is free.
 */
struct birth {
	pid_t tid;
	uint64_t started; /* in clock ticks since the system was started; 0: not known */
	size_t index;	  /* the caller's */
};

/*
 * The main thread first, then by age. Of those of one tick the numbers tell the order, with the largest gap between them as the
 * place where they begin; of those of which nothing is known, too, beginning after the main thread's. range: how many numbers
 * there are.
 */
void births_order(struct birth *births, size_t length, pid_t main, pid_t range);

/* How many numbers this system gives to threads before it begins anew. */
pid_t births_range(void);

#endif
