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

/*
 * How far CLOCK_REALTIME and CLOCK_MONOTONIC are ahead of the kernel's CLOCK_MONOTONIC where they follow real time, nanoseconds below a second; it
 * is at GADGET_CLOCKS, ahead of the code that adds it. tell: write it there.
 */
struct clocks_ahead {
	int64_t real_seconds, real_ns, monotonic_seconds, monotonic_ns;
};
enum status clocks_tell(struct target *target);

/* Is there such a clock? As clocks_read(), and no time passes. */
int64_t clocks_find(struct tracee *tracee, clockid_t clock);

/*
 * timers.c: if timer_settime() or timerfd_settime() is about to be executed with these registers, to a moment of the program's
 * clocks, give the kernel that moment on its own. False: they are left as they are.
 */
bool timers_name_real_moment(struct tracee *tracee, struct user_regs_struct *regs);

/*
 * clock_code.c: the thread is about to read a clock by a call that goes on there. at_exec: the process is another program now.
 */
void clock_code_meet(struct tracee *tracee, uint64_t after);
void clock_code_at_exec(struct target *target, pid_t pid);

/* Processor time of the process and of one of its threads. */
int64_t clocks_process_time(const struct target *target);
int64_t clocks_thread_time(const struct tracee *tracee);

#endif
