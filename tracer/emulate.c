#include "tracer/private.h"

#include <errno.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>

/*
 * The system calls that fmc answers itself, so that every execution sees the same world: clocks (virtual
 * time), random bytes, the processors that the target could use if fmc hadn't put it on one, and who it is.
 */

#define NS_PER_SECOND INT64_C(1000000000)
/* A clock advances by this with each reading: a program that waits for time to pass by reading it gets there.
 */
#define READING_NS 1000

static cpu_set_t native_affinity;
static bool native_affinity_known;

void emulate_affinity_init(void)
{
	if (!native_affinity_known)
		native_affinity_known = sched_getaffinity(0, sizeof native_affinity, &native_affinity) == 0;
}

void target_advance_clock(struct target *target, int64_t nanoseconds)
{
	if (nanoseconds > 0 && target->world.elapsed_ns < INT64_MAX / 4)
		target->world.elapsed_ns += nanoseconds < INT64_MAX / 4 ? nanoseconds : INT64_MAX / 4;
}

int64_t target_clock(const struct target *target, clockid_t clock)
{
	switch (clock) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_TAI:
		return target->world.start_ns + target->world.elapsed_ns;
	default:
		/* An uptime of a day, so that differences to "an hour ago" stay positive. */
		return (target->world.uptime_ns ? target->world.uptime_ns : 86400 * NS_PER_SECOND) +
		       target->world.elapsed_ns;
	}
}

static int64_t read_clock(struct target *target, clockid_t clock)
{
	target->world.elapsed_ns += READING_NS;
	return target_clock(target, clock);
}

static int64_t answer_write(struct target *target, uint64_t address, const void *data, size_t size)
{
	if (!address)
		return 0;
	return target_write(target, address, data, size) == STATUS_OK ? 0 : -EFAULT;
}

static uint64_t next_random(uint64_t *state)
{
	/* splitmix64: Steele, Lea, Flood, OOPSLA 2014. */
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static int64_t answer_random(struct target *target, uint64_t address, uint64_t size)
{
	uint64_t done = 0;
	if (size > INT32_MAX)
		size = INT32_MAX;
	while (done < size) {
		uint64_t bytes = next_random(&target->world.random);
		size_t part = size - done < sizeof bytes ? size - done : sizeof bytes;
		if (target_write(target, address + done, &bytes, part) != STATUS_OK)
			return done ? (int64_t)done : -EFAULT;
		done += part;
	}
	return (int64_t)size;
}

static int64_t answer_affinity(struct target *target, uint64_t size, uint64_t address)
{
	size_t part = sizeof native_affinity;
	if (size % sizeof(long) || size < sizeof(long))
		return -EINVAL;
	/* The kernel copies no more than it has processors for; 8 bytes are 64 of them. */
	if (part > size)
		part = size;
	if (part > 128)
		part = 128;
	return target_write(target, address, &native_affinity, part) == STATUS_OK ? (int64_t)part : -EFAULT;
}

static int64_t answer_clock(struct target *target, clockid_t clock, uint64_t address)
{
	int64_t ns = read_clock(target, clock);
	struct timespec time = {.tv_sec = ns / NS_PER_SECOND, .tv_nsec = ns % NS_PER_SECOND};
	return answer_write(target, address, &time, sizeof time);
}

static int64_t answer_timeofday(struct target *target, uint64_t address, uint64_t zone)
{
	int64_t ns = read_clock(target, CLOCK_REALTIME);
	struct timeval time = {.tv_sec = ns / NS_PER_SECOND, .tv_usec = ns % NS_PER_SECOND / 1000};
	struct timezone utc = {0, 0};
	int64_t result = answer_write(target, address, &time, sizeof time);
	return result ? result : answer_write(target, zone, &utc, sizeof utc);
}

bool emulate_syscall(struct tracee *tracee)
{
	struct user_regs_struct *regs = tracee_regs(tracee);
	struct target *target = tracee->target;
	int64_t result;
	if (!regs)
		return false;
	switch ((long)regs->orig_rax) {
	case SYS_clock_gettime:
		/* Clocks of devices are left to the kernel. */
		if ((int)regs->rdi > CLOCK_TAI)
			return true;
		result = answer_clock(target, (clockid_t)regs->rdi, regs->rsi);
		break;
	case SYS_gettimeofday:
		result = answer_timeofday(target, regs->rdi, regs->rsi);
		break;
	case SYS_time: {
		int64_t seconds = read_clock(target, CLOCK_REALTIME) / NS_PER_SECOND;
		result = answer_write(target, regs->rdi, &seconds, sizeof seconds);
		if (!result)
			result = seconds;
		break;
	}
	case SYS_getrandom:
		result = answer_random(target, regs->rdi, regs->rsi);
		break;
	case SYS_sched_getaffinity:
		result = answer_affinity(target, regs->rsi, regs->rdx);
		break;
	case SYS_sched_setaffinity:
		result = 0;
		break;
	case SYS_gettid:
		result = tracee_number(tracee);
		break;
	case SYS_getpid:
		result = tracee_number(target_tracee(target, 0));
		break;
	case SYS_set_tid_address:
		tracee->clear_tid = regs->rdi;
		return true;
	case SYS_sigaltstack:
	case SYS_sched_setparam:
	case SYS_sched_getparam:
	case SYS_sched_setscheduler:
	case SYS_sched_getscheduler:
		return true;
	case SYS_setitimer:
	case SYS_alarm:
	case SYS_timer_create:
		target->world.has_timers = true;
		return false;
	default:
		return false;
	}
	tracee_skip_syscall(tracee, result);
	return true;
}
