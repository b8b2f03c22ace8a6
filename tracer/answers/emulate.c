#include "tracer/answers/answers.h"
#include "tracer/answers/clocks.h"
#include "tracer/tracee/processors.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>

/*
 * The system calls that fmc answers itself, so that every execution sees the same world: clocks (virtual
 * time) and what was used of them, random bytes, the processors that the target could use if fmc hadn't put it on one, how
 * busy the machine is, and who the program is.
 */

/* As an answer: the kernel gives it, and nobody else need know of the call. */
#define LET_RUN INT64_MIN

/* What times(2) counts in. */
#define TICK_NS (NS_PER_SECOND / 100)

static int64_t answer_write(struct target *target, uint64_t address, const void *data, size_t size)
{
	if (!address)
		return 0;
	return target_write(target, address, data, size) == STATUS_OK ? 0 : -EFAULT;
}

static struct timespec as_timespec(int64_t ns)
{
	return (struct timespec){.tv_sec = ns / NS_PER_SECOND, .tv_nsec = ns % NS_PER_SECOND};
}

static struct timeval as_timeval(int64_t ns)
{
	return (struct timeval){.tv_sec = ns / NS_PER_SECOND, .tv_usec = ns % NS_PER_SECOND / 1000};
}

/* The clocks of drivers are left to the kernel: anything may be behind them. */
static int64_t answer_clock(struct tracee *tracee, clockid_t clock, uint64_t address)
{
	int64_t ns, result = clocks_read(tracee, clock, &ns);
	if (result == CLOCK_OF_KERNEL)
		return LET_RUN;
	const struct timespec time = as_timespec(result ? 0 : ns);
	return result ? result : answer_write(tracee->target, address, &time, sizeof time);
}

/* How fine a clock is doesn't change while a machine runs; but the kernel knows others' numbers of threads. */
static int64_t answer_resolution(struct tracee *tracee, clockid_t clock, uint64_t address)
{
	const struct timespec finest = {.tv_nsec = 1};
	int64_t result = clocks_find(tracee, clock);
	if (clock >= 0 || result == CLOCK_OF_KERNEL)
		return LET_RUN;
	return result ? result : answer_write(tracee->target, address, &finest, sizeof finest);
}

static int64_t answer_timeofday(struct tracee *tracee, uint64_t address, uint64_t zone)
{
	int64_t ns = 0;
	clocks_read(tracee, CLOCK_REALTIME, &ns);
	const struct timeval time = as_timeval(ns);
	struct timezone utc = {0, 0};
	int64_t result = answer_write(tracee->target, address, &time, sizeof time);
	return result ? result : answer_write(tracee->target, zone, &utc, sizeof utc);
}

static int64_t answer_time(struct tracee *tracee, uint64_t address)
{
	int64_t ns = 0;
	clocks_read(tracee, CLOCK_REALTIME, &ns);
	const int64_t seconds = ns / NS_PER_SECOND;
	int64_t result = answer_write(tracee->target, address, &seconds, sizeof seconds);
	return result ? result : seconds;
}

static int64_t answer_times(struct tracee *tracee, uint64_t address)
{
	int64_t ns = 0;
	clocks_read(tracee, CLOCK_MONOTONIC, &ns);
	const struct tms used = {.tms_utime = clocks_process_time(tracee->target) / TICK_NS};
	int64_t result = answer_write(tracee->target, address, &used, sizeof used);
	return result ? result : ns / TICK_NS;
}

/* Of memory, faults and switches nothing is told: they differ from run to run. Nor is what child processes used. */
static int64_t answer_usage(struct tracee *tracee, int who, uint64_t address)
{
	struct rusage usage = {.ru_utime = {0}};
	int64_t unused;
	if (who != RUSAGE_SELF && who != RUSAGE_CHILDREN && who != RUSAGE_THREAD)
		return -EINVAL;
	clocks_read(tracee, CLOCK_THREAD_CPUTIME_ID, &unused);
	if (who != RUSAGE_CHILDREN)
		usage.ru_utime = as_timeval(who == RUSAGE_THREAD ? clocks_thread_time(tracee)
								 : clocks_process_time(tracee->target));
	return target_write(tracee->target, address, &usage, sizeof usage) == STATUS_OK ? 0 : -EFAULT;
}

/* A machine as big as this one, and half empty. */
static int64_t answer_sysinfo(struct tracee *tracee, uint64_t address)
{
	struct sysinfo now, info = {.procs = 1};
	if (sysinfo(&now) != 0)
		return -errno;
	info.uptime = target_clock(tracee->target, CLOCK_BOOTTIME) / NS_PER_SECOND;
	info.totalram = now.totalram;
	info.freeram = now.totalram / 2;
	info.totalswap = info.freeswap = now.totalswap;
	info.mem_unit = now.mem_unit;
	return target_write(tracee->target, address, &info, sizeof info) == STATUS_OK ? 0 : -EFAULT;
}

static int64_t answer_getcpu(struct tracee *tracee, uint64_t address, uint64_t node)
{
	const uint32_t cpu = tracee_processor(tracee), first_node = 0;
	int64_t result = answer_write(tracee->target, address, &cpu, sizeof cpu);
	return result ? result : answer_write(tracee->target, node, &first_node, sizeof first_node);
}

/* Calls that only change what fmc knows; the kernel performs them. */
static void note(struct tracee *tracee, const struct user_regs_struct *regs)
{
	switch ((long)regs->orig_rax) {
	case SYS_set_tid_address:
		tracee->clear_tid = regs->rdi;
		break;
	case SYS_setitimer:
	case SYS_alarm:
	case SYS_timer_create:
		tracee->target->world.has_timers = true;
		break;
	default:
		break;
	}
}

/*
 * The kernel's, and stopped only for the numbers of processes and threads or the moments in them, or to be noted. Others have such numbers too,
 * but threads may depend on each other by them: the supervisor is told.
 */
static bool names_numbers(long call)
{
	switch (call) {
	case SYS_set_tid_address:
	case SYS_sigaltstack:
	case SYS_setsid:
	case SYS_setpgid:
	case SYS_sched_rr_get_interval:
	case SYS_pidfd_open:
		return true;
	default:
		return false;
	}
}

/* May the answer be another one the next time, by time or by what becomes of others? */
static bool passes(long number)
{
	switch (number) {
	case SYS_clock_gettime:
	case SYS_gettimeofday:
	case SYS_time:
	case SYS_times:
	case SYS_getrusage:
	case SYS_sysinfo:
	case SYS_getppid:
		return true;
	default:
		return false;
	}
}

/* False: not one of those that are answered. */
static bool answer(struct tracee *tracee, const struct user_regs_struct *regs, int64_t *result)
{
	struct target *target = tracee->target;
	switch ((long)regs->orig_rax) {
	case SYS_clock_gettime:
		if (regs->rdi == CLOCK_REALTIME || regs->rdi == CLOCK_MONOTONIC ||
		    regs->rdi == CLOCK_REALTIME_COARSE || regs->rdi == CLOCK_MONOTONIC_COARSE)
			clock_code_meet(tracee, regs->rip);
		*result = answer_clock(tracee, (clockid_t)regs->rdi, regs->rsi);
		/* What a driver's clock shows differs from run to run, and has to be told. */
		return *result != LET_RUN;
	case SYS_clock_getres:
		*result = answer_resolution(tracee, (clockid_t)regs->rdi, regs->rsi);
		return true;
	case SYS_gettimeofday:
		clock_code_meet(tracee, regs->rip);
		*result = answer_timeofday(tracee, regs->rdi, regs->rsi);
		return true;
	case SYS_time:
		*result = answer_time(tracee, regs->rdi);
		return true;
	case SYS_times:
		*result = answer_times(tracee, regs->rdi);
		return true;
	case SYS_getrusage:
		*result = answer_usage(tracee, (int)regs->rdi, regs->rsi);
		return true;
	case SYS_sysinfo:
		*result = answer_sysinfo(tracee, regs->rdi);
		return true;
	case SYS_getrandom:
		*result = random_answer(target, regs->rdi, regs->rsi);
		return true;
	case SYS_read:
	case SYS_pread64:
	case SYS_readv:
	case SYS_preadv:
		/* All other reads may be somebody's to know of. */
		*result = filters_stop_any_reads(target) ? random_read(tracee, regs) : RANDOM_NOT;
		return *result != RANDOM_NOT;
	case SYS_getcpu:
		*result = answer_getcpu(tracee, regs->rdi, regs->rsi);
		return true;
	case SYS_sched_getaffinity:
		*result = affinity_get(tracee, regs);
		return true;
	case SYS_sched_setaffinity:
		*result = affinity_set(tracee, regs);
		return true;
	case SYS_rt_sigprocmask:
		if (!signal_mask_answer(tracee, regs, result))
			*result = LET_RUN;
		return true;
	case SYS_gettid:
		*result = tracee_number(tracee);
		return true;
	case SYS_getpid:
		*result = tracee_number(target_tracee(target, 0));
		return true;
	case SYS_getppid:
		*result = numbers_parent(target);
		*result = *result ? *result : LET_RUN;
		return true;
	case SYS_getpgrp:
		*result = numbers_group(target, SYS_getpgid, 0);
		return true;
	case SYS_getpgid:
	case SYS_getsid:
		*result = numbers_group(target, (long)regs->orig_rax, regs->rdi);
		return true;
	default:
		*result = LET_RUN;
		return names_numbers((long)regs->orig_rax);
	}
}

bool emulate_syscall(struct tracee *tracee)
{
	const struct user_regs_struct *regs = tracee_regs(tracee);
	int64_t result;
	if (!regs)
		return false;
	note(tracee, regs);
	tracee->target->passing += passes((long)regs->orig_rax);
	if (!answer(tracee, regs, &result))
		return false;
	if (result != LET_RUN)
		tracee_skip_syscall(tracee, result);
	return true;
}
