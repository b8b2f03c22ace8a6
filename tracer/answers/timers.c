#include "tracer/answers/clocks.h"

#include <fmc/tracer/fdinfo.h>

#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>

/*
 * Timers are the kernel's and run in real time. One that is set to a moment is given the program's, and the kernel has to be told as
 * long from now on its own clock.
 */

static int64_t as_ns(const struct timespec *time)
{
	return time->tv_sec >= INT64_MAX / NS_PER_SECOND ? INT64_MAX
							 : time->tv_sec * NS_PER_SECOND + time->tv_nsec;
}

static int64_t kernel_ns(clockid_t clock)
{
	struct timespec time = {0};
	clock_gettime(clock, &time);
	return as_ns(&time);
}

/* The clock of a timer at a descriptor; else the one whose present moment is nearer: the kernel tells of others only if it is made to. */
static clockid_t clock_of(const struct target *target, long call, int descriptor, int64_t moment)
{
	uint64_t clock;
	if (call == SYS_timerfd_settime && fdinfo_number(target->pid, descriptor, "clockid", 10, &clock))
		return (clockid_t)clock;
	const int64_t real = moment - target_clock(target, CLOCK_REALTIME);
	const int64_t monotonic = moment - target_clock(target, CLOCK_MONOTONIC);
	return llabs(real) < llabs(monotonic) ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

bool timers_name_real_moment(struct tracee *tracee, struct user_regs_struct *regs)
{
	_Static_assert(TFD_TIMER_ABSTIME == TIMER_ABSTIME, "the flag is the same one for both calls");
	struct target *target = tracee->target;
	const long call = (long)regs->orig_rax;
	struct itimerspec value;
	if ((call != SYS_timer_settime && call != SYS_timerfd_settime) || !(regs->rsi & TIMER_ABSTIME) ||
	    target_read(target, regs->rdx, &value, sizeof value) != STATUS_OK)
		return false;
	const int64_t moment = as_ns(&value.it_value);
	/* 0 stops the timer, and what is no time is refused. */
	if (moment <= 0 || moment == INT64_MAX || value.it_value.tv_nsec >= NS_PER_SECOND)
		return false;
	const clockid_t clock = clock_of(target, call, (int)regs->rdi, moment);
	int64_t kernel = moment - target_clock(target, clock) + kernel_ns(clock);
	if (kernel < 1)
		kernel = 1;
	value.it_value = (struct timespec){kernel / NS_PER_SECOND, kernel % NS_PER_SECOND};
	if (target_write(target, GADGET_SCRATCH, &value, sizeof value) != STATUS_OK)
		return false;
	regs->rdx = GADGET_SCRATCH;
	return true;
}
