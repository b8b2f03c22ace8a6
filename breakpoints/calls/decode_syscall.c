#include "breakpoints/calls/arguments.h"
#include <fmc/tracer/call_traits.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

/* System calls: which of them are operations, and on what. */

#define SECOND 1000000000LL

/* seconds and a fraction as nanoseconds; -1 if the kernel would refuse it. */
static int64_t nanoseconds(int64_t seconds, int64_t fraction, int64_t unit)
{
	if (seconds < 0 || fraction < 0 || fraction * unit >= SECOND)
		return -1;
	return seconds >= INT64_MAX / SECOND - 1 ? INT64_MAX : seconds * SECOND + fraction * unit;
}

/* A struct timespec (unit 1) or timeval (unit 1000) of the target; -1 if it can't be read or is not valid. */
static int64_t read_time(const struct reader *reader, uint64_t address, int64_t unit)
{
	int64_t parts[2];
	if (reader_read(reader, address, parts, sizeof(parts)) != STATUS_OK)
		return -1;
	return nanoseconds(parts[0], parts[1], unit);
}

static void decode_wake_op(const uint64_t at[CALL_ARGUMENTS], struct call *call)
{
	call->op.kind = OP_FUTEX_WAKE_OP;
	call->object2 = at[4];
	call->op.arg = (int32_t)at[2];
	call->op.arg2 = (int32_t)at[3];
	call->op.arg3 = (uint32_t)at[5];
}

static void decode_requeue(const uint64_t at[CALL_ARGUMENTS], bool compare, struct call *call)
{
	call->op.kind = OP_FUTEX_REQUEUE;
	call->op.flags |= compare ? OP_COMPARE : 0;
	call->object2 = at[4];
	call->op.arg = (int32_t)at[2];
	call->op.arg2 = (int32_t)at[3];
	call->op.arg3 = compare ? (uint32_t)at[5] : 0;
}

/* futex(2). What isn't modelled (the PI commands) stays OP_NONE. */
static void decode_futex(const uint64_t at[CALL_ARGUMENTS], struct call *call)
{
	int command = (int)at[1] & FUTEX_CMD_MASK;
	bool has_bits = command == FUTEX_WAIT_BITSET || command == FUTEX_WAKE_BITSET;
	switch (command) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		call->op.kind = OP_FUTEX_WAIT;
		call->op.arg3 = (int64_t)at[0];
		call->op.flags |= at[3] ? OP_TIMED : 0;
		call->op.arg = (uint32_t)at[2];
		call->op.arg2 = has_bits ? (uint32_t)at[5] : FUTEX_BITSET_MATCH_ANY;
		break;
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
		call->op.kind = OP_FUTEX_WAKE;
		call->op.arg = (int32_t)at[2];
		call->op.arg2 = has_bits ? (uint32_t)at[5] : FUTEX_BITSET_MATCH_ANY;
		break;
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
		decode_requeue(at, command == FUTEX_CMP_REQUEUE, call);
		break;
	case FUTEX_WAKE_OP:
		decode_wake_op(at, call);
		break;
	default:
		return;
	}
	call->object = at[0];
}

/* A sleep that the kernel would refuse is left to it: OP_NONE. */
static void decode_sleep(const struct reader *reader, const uint64_t at[CALL_ARGUMENTS], long number,
			 struct call *call)
{
	const bool absolute = number == SYS_clock_nanosleep && (at[1] & TIMER_ABSTIME);
	int64_t time = read_time(reader, at[call_traits(number)->time], 1);
	if (time < 0)
		return;
	call->op.kind = OP_SLEEP;
	call->op.arg = time;
	call->op.arg2 = absolute;
	call->op.arg3 = absolute ? (int32_t)at[0] : 0;
}

static int64_t milliseconds(uint64_t argument)
{
	return (int32_t)argument * (SECOND / 1000);
}

/* A wait for descriptors. Of a time that the kernel would refuse it is left to it: OP_NONE. */
static void decode_poll(const struct reader *reader, const uint64_t at[CALL_ARGUMENTS], long number,
			struct call *call)
{
	const struct call_traits *traits = call_traits(number);
	const uint64_t time = at[traits->time];
	if (!call_has_time_out(number, at)) {
		call->op.kind = OP_POLL;
		return;
	}
	const int64_t ns = traits->form == TIME_MILLISECONDS
			       ? milliseconds(time)
			       : read_time(reader, time, traits->form == TIME_TIMEVAL ? 1000 : 1);
	if (ns < 0)
		return;
	call->op.kind = OP_POLL;
	call->op.flags |= OP_TIMED;
	call->op.arg = ns;
}

void decode_wait(long number, bool timed, struct call *call)
{
	call->op.kind = OP_SYSCALL;
	call->op.flags |= timed ? OP_TIMED : 0;
	call->op.arg = number;
}

static bool copies_memory(long number, const uint64_t at[CALL_ARGUMENTS])
{
	return number == SYS_fork || (number == SYS_clone && !(at[0] & CLONE_VM));
}

enum status decode_syscall(const struct reader *reader, const uint64_t at[CALL_ARGUMENTS], long number,
			   struct call *call)
{
	switch ((enum call_awaits)call_traits(number)->awaits) {
	case AWAITS_WORD:
		decode_futex(at, call);
		break;
	case AWAITS_TIME:
		decode_sleep(reader, at, number, call);
		break;
	case AWAITS_TURN:
		call->op.kind = OP_YIELD;
		break;
	case AWAITS_POLLED:
	case AWAITS_SELECTED:
	case AWAITS_SET:
		decode_poll(reader, at, number, call);
		break;
	case AWAITS_CHILD:
		if (number != SYS_vfork && !(at[number == SYS_waitid ? 3 : 2] & WNOHANG))
			decode_wait(number, false, call);
		break;
	case AWAITS_SIGNAL:
		decode_wait(number, call_has_time_out(number, at), call);
		break;
	case AWAITS_LOCK:
	case AWAITS_ANYTHING:
	case AWAITS_NOTHING:
		if (number == SYS_exit_group) {
			call->op.kind = OP_PROCESS_EXIT;
			call->op.arg = at[0] & 0xff;
		} else if (copies_memory(number, at)) {
			call->op.kind = OP_PROCESS_FORK;
		}
		break;
	}
	return STATUS_OK;
}
