/* The program's clocks: as the tracer answers them, by what has passed in this execution. */
#include "supervisor/inside/agent.h"

#include <fmc/supervisor/moments.h>
#include <fmc/tracer/clock_kind.h>

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>

#define NS_PER_SECOND INT64_C(1000000000)

int64_t time_now(void)
{
	return REGION->monotonic + agent.now.elapsed;
}

static int64_t real_now(void)
{
	return REGION->realtime + agent.now.elapsed;
}

void time_reach(int64_t moment)
{
	const int64_t left = moment - time_now();
	if (left > 0 && agent.now.elapsed < INT64_MAX / 4)
		agent.now.elapsed += left < INT64_MAX / 4 ? left : INT64_MAX / 4;
}

int64_t time_end(const struct agent_thread *thread, const struct call *call)
{
	const struct agent_context *context = &thread->context;
	if (!moments_may_end(call))
		return 0;
	const struct moments now = {.monotonic = time_now(), .realtime = real_now(), .reader = &agent_reader};
	const uint64_t arguments[] = {context->rdi, context->rsi, context->rdx,
				      call->entry ? context->rcx : context->r10};
	return moments_end(&now, call, arguments);
}

/* A little passes with each reading. */
static void take_reading(struct agent_thread *thread)
{
	agent.now.elapsed += CLOCK_READING_NS;
	agent.now.used += CLOCK_READING_NS;
	thread->used += CLOCK_READING_NS;
}

static int64_t show(const struct agent_thread *thread, enum clock_kind kind)
{
	switch (kind) {
	case CLOCK_REAL:
		return real_now();
	case CLOCK_PROCESS:
		return REGION->processor_time + agent.now.used;
	case CLOCK_THREAD:
		return (thread == agent.threads ? REGION->processor_time : 0) + thread->used;
	default:
		return time_now();
	}
}

/* Those that are there on every machine. */
static bool is_known(clockid_t clock)
{
	return clock_kind(clock) != CLOCK_NONE && clock != CLOCK_REALTIME_ALARM &&
	       clock != CLOCK_BOOTTIME_ALARM;
}

static bool answer(struct agent_thread *thread, int64_t result)
{
	thread->context.rax = (uint64_t)result;
	return false;
}

static bool read_clock(struct agent_thread *thread)
{
	const clockid_t clock = (clockid_t)thread->context.rdi;
	if (!is_known(clock))
		return agent_refuse(AGENT_BY_CALL, SYS_clock_gettime);
	take_reading(thread);
	const int64_t ns = show(thread, clock_kind(clock));
	const struct timespec time = {.tv_sec = ns / NS_PER_SECOND, .tv_nsec = ns % NS_PER_SECOND};
	if (thread->context.rsi)
		memcpy((void *)thread->context.rsi, &time, sizeof time);
	return answer(thread, 0);
}

static bool read_time_of_day(struct agent_thread *thread)
{
	take_reading(thread);
	const int64_t ns = real_now();
	const struct timeval time = {.tv_sec = ns / NS_PER_SECOND, .tv_usec = ns % NS_PER_SECOND / 1000};
	const struct timezone utc = {0, 0};
	if (thread->context.rdi)
		memcpy((void *)thread->context.rdi, &time, sizeof time);
	if (thread->context.rsi)
		memcpy((void *)thread->context.rsi, &utc, sizeof utc);
	return answer(thread, 0);
}

static bool read_seconds(struct agent_thread *thread)
{
	take_reading(thread);
	const int64_t seconds = real_now() / NS_PER_SECOND;
	if (thread->context.rdi)
		memcpy((void *)thread->context.rdi, &seconds, sizeof seconds);
	return answer(thread, seconds);
}

/* Of memory, faults, switches and child processes nothing is told. */
static bool read_usage(struct agent_thread *thread)
{
	const int who = (int)thread->context.rdi;
	struct rusage usage = {.ru_utime = {0}};
	if (who != RUSAGE_SELF && who != RUSAGE_CHILDREN && who != RUSAGE_THREAD)
		return answer(thread, -EINVAL);
	take_reading(thread);
	const int64_t ns =
	    who == RUSAGE_CHILDREN ? 0 : show(thread, who == RUSAGE_THREAD ? CLOCK_THREAD : CLOCK_PROCESS);
	usage.ru_utime = (struct timeval){.tv_sec = ns / NS_PER_SECOND, .tv_usec = ns % NS_PER_SECOND / 1000};
	memcpy((void *)thread->context.rsi, &usage, sizeof usage);
	return answer(thread, 0);
}

bool time_answer(struct agent_thread *thread, long number)
{
	switch (number) {
	case SYS_clock_gettime:
		return read_clock(thread);
	case SYS_gettimeofday:
		return read_time_of_day(thread);
	case SYS_time:
		return read_seconds(thread);
	case SYS_getrusage:
		return read_usage(thread);
	default:
		return agent_refuse(AGENT_BY_CALL, (uint64_t)number);
	}
}
