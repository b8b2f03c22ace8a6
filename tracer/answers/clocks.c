#include "tracer/answers/clocks.h"

#include <errno.h>
#include <fmc/tracer/clock.h>
#include <fmc/tracer/clock_kind.h>
#include <time.h>

/*
 * Virtual time. It passes by what the program sleeps, by what is waited for outside, and a little with each reading; or, for
 * who is told to follow real time, as that does. Of processor time a thread uses nothing but its readings: how long it computes differs from run to run.
 *
 * A clock's number is one of a few constants, or negative and made of a process's or thread's number or of a descriptor,
 * as clock_getcpuclockid(3), pthread_getcpuclockid(3) and drivers of clocks do:
 *
 *     bits 0, 1   which time: 0 and 1 as itimers count it, 2 as the scheduler does; 3 with bit 2 clear: a descriptor's clock
 *     bit 2       of one thread
 *     the rest    the number, complemented; 0: the caller's own
 */

/* What loading and starting the program has taken. */
#define STARTED_NS INT64_C(1000000)

/* An uptime of a day, so that differences to "an hour ago" stay positive. */
#define UPTIME_NS (86400 * NS_PER_SECOND)

#define KIND_MASK      3
#define KIND_SCHEDULER 2
#define OF_THREAD      4

/* What a clock shows, and of whom. */
struct shown {
	enum clock_kind kind;
	const struct tracee *tracee;
};

void target_advance_clock(struct target *target, int64_t nanoseconds)
{
	if (nanoseconds > 0 && target->world.elapsed_ns < INT64_MAX / 4)
		target->world.elapsed_ns += nanoseconds < INT64_MAX / 4 ? nanoseconds : INT64_MAX / 4;
	/* Who doesn't get it is gone. */
	if (target->world.clock_calls.code)
		(void)clocks_tell(target);
}

static int64_t elapsed(const struct virtual_world *world)
{
	return world->elapsed_ns + (world->followed ? (int64_t)(clock_now() - world->followed) : 0);
}

void target_follow_time(struct target *target)
{
	if (!target->world.followed)
		target->world.followed = clock_now();
}

bool target_follows_time(const struct target *target)
{
	return target->world.followed != 0;
}

static int64_t start_of(const struct virtual_world *world, clockid_t clock)
{
	if (clock_kind(clock) == CLOCK_REAL)
		return world->start_ns;
	return world->uptime_ns ? world->uptime_ns : UPTIME_NS;
}

int64_t target_clock(const struct target *target, clockid_t clock)
{
	const struct virtual_world *world = &target->world;
	if (clock_kind(clock) == CLOCK_PROCESS)
		return clocks_process_time(target);
	return start_of(world, clock) + elapsed(world);
}

static void split_ahead(const struct virtual_world *world, clockid_t clock, int64_t *seconds, int64_t *ns)
{
	const int64_t ahead = start_of(world, clock) + world->elapsed_ns - (int64_t)world->followed;
	*seconds = ahead / NS_PER_SECOND - (ahead % NS_PER_SECOND < 0);
	*ns = ahead - *seconds * NS_PER_SECOND;
}

enum status clocks_tell(struct target *target)
{
	struct clocks_ahead ahead;
	split_ahead(&target->world, CLOCK_REALTIME, &ahead.real_seconds, &ahead.real_ns);
	split_ahead(&target->world, CLOCK_MONOTONIC, &ahead.monotonic_seconds, &ahead.monotonic_ns);
	return target_write(target, GADGET_CLOCKS, &ahead, sizeof ahead);
}

/* The kernel's wait, if there was one, is over. */
static void settle_wait(struct target *target)
{
	const struct kernel_wait wait = target->world.wait;
	target->world.wait = (struct kernel_wait){.end = 0};
	if (wait.seen && wait.end && clock_now() >= wait.real)
		target_advance_clock(target, wait.end - target_clock(target, CLOCK_MONOTONIC));
}

void target_clock_waits(struct target *target, int64_t end)
{
	settle_wait(target);
	const int64_t left = end - target_clock(target, CLOCK_MONOTONIC);
	if (left > 0 && left < INT64_MAX / 4)
		target->world.wait = (struct kernel_wait){.end = end, .real = clock_now() + (uint64_t)left};
}

void target_clock_waited(struct target *target, int64_t nanoseconds)
{
	struct kernel_wait *wait = &target->world.wait;
	if (target->world.followed)
		return;
	const int64_t left = wait->end - target_clock(target, CLOCK_MONOTONIC);
	wait->seen = true;
	target_advance_clock(target, wait->end && left < nanoseconds ? left : nanoseconds);
}

int64_t clocks_process_time(const struct target *target)
{
	return STARTED_NS + target->world.used_ns;
}

int64_t clocks_thread_time(const struct tracee *tracee)
{
	return (tracee->index == 0 ? STARTED_NS : 0) + tracee->used_ns;
}

/* The kernel lets anybody ask for a process's time, and a thread's only for that of its own process. */
static int64_t find_of_number(struct tracee *tracee, clockid_t clock, struct shown *shown)
{
	const struct target *target = tracee->target;
	const pid_t number = ~(clock >> 3);
	const bool of_thread = clock & OF_THREAD;
	const struct tracee *who = number ? numbers_find(target, number) : tracee;
	if ((clock & KIND_MASK) > KIND_SCHEDULER)
		return of_thread ? -EINVAL : CLOCK_OF_KERNEL;
	if (!who)
		return of_thread ? -EINVAL : CLOCK_OF_KERNEL;
	if (!of_thread && who != tracee && who->index != 0)
		return -EINVAL;
	*shown = (struct shown){of_thread ? CLOCK_THREAD : CLOCK_PROCESS, who};
	return 0;
}

/* Some clocks aren't there on every machine: those that can wake it up need a clock in hardware. */
static int64_t find(struct tracee *tracee, clockid_t clock, struct shown *shown)
{
	struct timespec unused;
	if (clock < 0)
		return find_of_number(tracee, clock, shown);
	*shown = (struct shown){clock_kind(clock), tracee};
	if (clock_gettime(clock, &unused) != 0)
		return -errno;
	return shown->kind == CLOCK_NONE ? CLOCK_OF_KERNEL : 0;
}

int64_t clocks_find(struct tracee *tracee, clockid_t clock)
{
	struct shown shown;
	return find(tracee, clock, &shown);
}

static int64_t value(const struct shown *shown, clockid_t clock)
{
	switch (shown->kind) {
	case CLOCK_PROCESS:
		return clocks_process_time(shown->tracee->target);
	case CLOCK_THREAD:
		return clocks_thread_time(shown->tracee);
	default:
		return target_clock(shown->tracee->target, clock);
	}
}

static void take_reading(struct tracee *tracee)
{
	settle_wait(tracee->target);
	if (!tracee->target->world.followed)
		tracee->target->world.elapsed_ns += CLOCK_READING_NS;
	tracee->target->world.used_ns += CLOCK_READING_NS;
	tracee->used_ns += CLOCK_READING_NS;
}

uint64_t target_clock_readings(const struct target *target)
{
	return (uint64_t)target->world.used_ns / CLOCK_READING_NS;
}

int64_t clocks_read(struct tracee *tracee, clockid_t clock, int64_t *ns)
{
	struct shown shown;
	int64_t result = find(tracee, clock, &shown);
	if (result)
		return result;
	take_reading(tracee);
	*ns = value(&shown, clock);
	return 0;
}

uint64_t tracee_read_ticks(struct tracee *tracee)
{
	const struct virtual_world *world = &tracee->target->world;
	take_reading(tracee);
	return (world->ticks ? world->ticks : NS_PER_SECOND) + (uint64_t)elapsed(world);
}

uint64_t *target_answers(struct target *target)
{
	return &target->world.answers;
}
