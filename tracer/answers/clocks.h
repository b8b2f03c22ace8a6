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

/*
 * timers.c: if timer_settime() or timerfd_settime() is about to be executed with these registers, to a moment of the program's
 * clocks, give the kernel that moment on its own. False: they are left as they are.
 */
bool timers_name_real_moment(struct tracee *tracee, struct user_regs_struct *regs);

/* Processor time of the process and of one of its threads. */
int64_t clocks_process_time(const struct target *target);
int64_t clocks_thread_time(const struct tracee *tracee);

#endif
