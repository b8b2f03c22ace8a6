#include "breakpoints/waits/inspector.h"
#include <fcntl.h>
#include <fmc/tracer/call_traits.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

/* What a thread waits for that is in a system call. */

#define F_OFD_SETLKW_NUMBER 38

static void sleep_for(struct inspector *inspector, const struct snapshot_thread *thread, long number,
		      struct wait *wait)
{
	struct timespec time;
	uint64_t address = thread->arguments[call_traits(number)->time];
	bool absolute = number == SYS_clock_nanosleep && (thread->arguments[1] & TIMER_ABSTIME);
	wait->kind = WAIT_SLEEP;
	wait->timed = true;
	if (inspector_read(inspector, address, &time, sizeof(time)) && !absolute && time.tv_nsec < 1000000000)
		wait_say(wait, "%.6g s in all", (double)time.tv_sec + (double)time.tv_nsec / 1e9);
	else if (absolute)
		wait_say(wait, "until a moment on a clock");
}

static void futex_of(struct inspector *inspector, uint32_t thread, struct wait *wait)
{
	const uint64_t *arguments = snapshot_thread(inspector->snapshot, thread)->arguments;
	struct futex futex = {.thread = thread,
			      .address = arguments[0],
			      .expected = (uint32_t)arguments[2],
			      .command = (int)arguments[1] & FUTEX_CMD_MASK,
			      .shared = !(arguments[1] & FUTEX_PRIVATE_FLAG),
			      .timed = arguments[3] != 0};
	bool waits = futex.command == FUTEX_WAIT || futex.command == FUTEX_WAIT_BITSET ||
		     futex.command == FUTEX_LOCK_PI || futex.command == FUTEX_LOCK_PI2 ||
		     futex.command == FUTEX_WAIT_REQUEUE_PI;
	futex.readable = inspector_read(inspector, futex.address, &futex.value, sizeof(futex.value));
	if (waits)
		wait_on_futex(inspector, &futex, wait);
}

static void wait_in_call(struct inspector *inspector, uint32_t thread, long number, struct wait *wait)
{
	const struct snapshot_thread *standing = snapshot_thread(inspector->snapshot, thread);
	wait->kind = WAIT_SYSCALL;
	wait->timed = call_has_time_out(number, standing->arguments);
	switch ((enum call_awaits)call_traits(number)->awaits) {
	case AWAITS_WORD:
		wait->kind = WAIT_NOTHING; /* waking others */
		futex_of(inspector, thread, wait);
		break;
	case AWAITS_TIME:
		sleep_for(inspector, standing, number, wait);
		break;
	case AWAITS_POLLED:
	case AWAITS_SELECTED:
		wait_on_several(inspector, thread, wait);
		break;
	case AWAITS_SET:
		wait_on_epoll(inspector, thread, wait);
		break;
	case AWAITS_CHILD:
		wait->kind = WAIT_CHILD;
		break;
	case AWAITS_SIGNAL:
		wait->kind = WAIT_SIGNAL;
		break;
	case AWAITS_TURN:
		wait->kind = WAIT_NOTHING;
		break;
	case AWAITS_LOCK:
		if (number != SYS_fcntl || standing->arguments[1] == F_SETLKW ||
		    standing->arguments[1] == F_OFD_SETLKW_NUMBER)
			wait_on_file_lock(inspector, thread, wait);
		break;
	case AWAITS_ANYTHING:
	case AWAITS_NOTHING:
		wait->writes = call_traits(number)->transfer == TRANSFER_OUT;
		if (call_traits(number)->transfer != TRANSFER_NONE)
			wait_on_descriptor(inspector, thread, wait);
		else if (number == SYS_open || number == SYS_openat)
			wait_on_opening(inspector, thread, wait);
	}
}

/* A thread that runs, or is about to. */
static void runs(struct inspector *inspector, uint32_t thread, struct wait *wait)
{
	const char *call = NULL;
	const struct snapshot_thread *standing = snapshot_thread(inspector->snapshot, thread);
	if (standing->syscall != NO_SYSCALL || standing->partial ||
	    stack_says(inspector, thread, &call) != WAIT_SPIN)
		return;
	wait->kind = WAIT_SPIN;
	wait->call = call;
	wait->object = standing->regs.rdi;
	const struct snapshot_mapping *mapping = mapping_of(inspector, wait->object);
	wait->certain = mapping && !mapping->shared;
}

void wait_find(struct inspector *inspector, uint32_t thread, struct wait *wait)
{
	const struct snapshot_thread *standing = snapshot_thread(inspector->snapshot, thread);
	long number = call_number(inspector, thread);
	*wait = (struct wait){.descriptor = -1};
	if (number != NO_SYSCALL)
		wait->call = syscall_name(number);
	if (standing->state == 'T')
		wait->kind = WAIT_STOPPED;
	else if (number == NO_SYSCALL || standing->state == 'R')
		runs(inspector, thread, wait);
	else
		wait_in_call(inspector, thread, number, wait);
}
