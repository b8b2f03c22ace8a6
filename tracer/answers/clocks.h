#ifndef FMC_TRACER_ANSWERS_CLOCKS_H
#define FMC_TRACER_ANSWERS_CLOCKS_H

#include "tracer/answers/answers.h"

#define NS_PER_SECOND INT64_C(1000000000)

/* The answer is the kernel's: of a clock that fmc knows nothing of, or another process's. */
#define CLOCK_OF_KERNEL 1

/*
 * What this clock shows the tracee, in nanoseconds. Reading it takes a moment, which all clocks show that go on meanwhile.
 * 0; negative errno where there is no such clock; CLOCK_OF_KERNEL.
 */
int64_t clocks_read(struct tracee *tracee, clockid_t clock, int64_t *ns);

/* Is there such a clock? As clocks_read(), and no time passes. */
int64_t clocks_find(struct tracee *tracee, clockid_t clock);

/* Processor time of the process and of one of its threads. */
int64_t clocks_process_time(const struct target *target);
int64_t clocks_thread_time(const struct tracee *tracee);

#endif
