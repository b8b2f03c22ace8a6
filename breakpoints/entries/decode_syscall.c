#include "breakpoints/entries/entries_state.h"
#include <fcntl.h>
#include <fmc/tracer/call_traits.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdio.h>
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
static int64_t read_time(const struct target *target, uint64_t address, int64_t unit)
{
	int64_t parts[2];
	if (target_read(target, address, parts, sizeof(parts)) != STATUS_OK)
		return -1;
	return nanoseconds(parts[0], parts[1], unit);
}

static void decode_wake_op(const struct user_regs_struct *regs, struct call *call)
{
	call->op.kind = OP_FUTEX_WAKE_OP;
	call->object2 = regs->r8;
	call->op.arg = (int32_t)regs->rdx;
	call->op.arg2 = (int32_t)regs->r10;
	call->op.arg3 = (uint32_t)regs->r9;
}

static void decode_requeue(const struct user_regs_struct *regs, bool compare, struct call *call)
{
	call->op.kind = OP_FUTEX_REQUEUE;
	call->op.flags |= compare ? OP_COMPARE : 0;
	call->object2 = regs->r8;
	call->op.arg = (int32_t)regs->rdx;
	call->op.arg2 = (int32_t)regs->r10;
	call->op.arg3 = compare ? (uint32_t)regs->r9 : 0;
}

/* futex(2). What isn't modelled (the PI commands) stays OP_NONE. */
static void decode_futex(const struct user_regs_struct *regs, struct call *call)
{
	int command = (int)regs->rsi & FUTEX_CMD_MASK;
	bool has_bits = command == FUTEX_WAIT_BITSET || command == FUTEX_WAKE_BITSET;
	switch (command) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		call->op.kind = OP_FUTEX_WAIT;
		call->op.arg3 = (int64_t)regs->rdi;
		call->op.flags |= regs->r10 ? OP_TIMED : 0;
		call->op.arg = (uint32_t)regs->rdx;
		call->op.arg2 = has_bits ? (uint32_t)regs->r9 : FUTEX_BITSET_MATCH_ANY;
		break;
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
		call->op.kind = OP_FUTEX_WAKE;
		call->op.arg = (int32_t)regs->rdx;
		call->op.arg2 = has_bits ? (uint32_t)regs->r9 : FUTEX_BITSET_MATCH_ANY;
		break;
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
		decode_requeue(regs, command == FUTEX_CMP_REQUEUE, call);
		break;
	case FUTEX_WAKE_OP:
		decode_wake_op(regs, call);
		break;
	default:
		return;
	}
	call->object = regs->rdi;
}

/* A sleep that the kernel would refuse is left to it: OP_NONE. */
static void decode_sleep(const struct target *target, const struct user_regs_struct *regs, long number,
			 struct call *call)
{
	const uint64_t arguments[] = {regs->rdi, regs->rsi, regs->rdx};
	const bool absolute = number == SYS_clock_nanosleep && (regs->rsi & TIMER_ABSTIME);
	int64_t time = read_time(target, arguments[call_traits(number)->time], 1);
	if (time < 0)
		return;
	call->op.kind = OP_SLEEP;
	call->op.arg = time;
	call->op.arg2 = absolute;
	call->op.arg3 = absolute ? (int32_t)regs->rdi : 0;
}

static int64_t milliseconds(uint64_t argument)
{
	return (int32_t)argument * (SECOND / 1000);
}

/* A wait for descriptors. Of a time that the kernel would refuse it is left to it: OP_NONE. */
static void decode_poll(const struct target *target, const struct user_regs_struct *regs, long number,
			struct call *call)
{
	const struct call_traits *traits = call_traits(number);
	const uint64_t arguments[] = {regs->rdi, regs->rsi, regs->rdx, regs->r10, regs->r8, regs->r9};
	const uint64_t time = arguments[traits->time];
	if (!call_has_time_out(number, arguments)) {
		call->op.kind = OP_POLL;
		return;
	}
	const int64_t ns = traits->form == TIME_MILLISECONDS
			       ? milliseconds(time)
			       : read_time(target, time, traits->form == TIME_TIMEVAL ? 1000 : 1);
	if (ns < 0)
		return;
	call->op.kind = OP_POLL;
	call->op.flags |= OP_TIMED;
	call->op.arg = ns;
}

static void decode_wait(long number, bool timed, struct call *call)
{
	call->op.kind = OP_SYSCALL;
	call->op.flags |= timed ? OP_TIMED : 0;
	call->op.arg = number;
}

static bool is_blocking(const struct target *target, int descriptor)
{
	char path[64], line[128];
	unsigned flags = O_NONBLOCK;
	snprintf(path, sizeof path, "/proc/%d/fdinfo/%d", target_pid(target), descriptor);
	FILE *file = fopen(path, "re");
	while (file && fgets(line, sizeof line, file))
		if (sscanf(line, "flags: %o", &flags) == 1)
			break;
	if (file)
		fclose(file);
	return !(flags & O_NONBLOCK);
}

/* The kernel would compare the moment with its own clock. */
static void decode_queue(const struct target *target, const struct user_regs_struct *regs, long number,
			 struct call *call)
{
	if (regs->r8 && is_blocking(target, (int)regs->rdi))
		decode_wait(number, true, call);
}

enum status decode_syscall(const struct target *target, const struct user_regs_struct *regs, long number,
			   struct call *call)
{
	const uint64_t arguments[] = {regs->rdi, regs->rsi, regs->rdx, regs->r10, regs->r8, regs->r9};
	switch ((enum call_awaits)call_traits(number)->awaits) {
	case AWAITS_WORD:
		decode_futex(regs, call);
		break;
	case AWAITS_TIME:
		decode_sleep(target, regs, number, call);
		break;
	case AWAITS_TURN:
		call->op.kind = OP_YIELD;
		break;
	case AWAITS_POLLED:
	case AWAITS_SELECTED:
	case AWAITS_SET:
		decode_poll(target, regs, number, call);
		break;
	case AWAITS_CHILD:
		if (number != SYS_vfork && !(arguments[number == SYS_waitid ? 3 : 2] & WNOHANG))
			decode_wait(number, false, call);
		break;
	case AWAITS_SIGNAL:
		decode_wait(number, call_has_time_out(number, arguments), call);
		break;
	case AWAITS_LOCK:
	case AWAITS_ANYTHING:
	case AWAITS_NOTHING:
		if (number == SYS_mq_timedsend || number == SYS_mq_timedreceive) {
			decode_queue(target, regs, number, call);
		} else if (number == SYS_exit_group) {
			call->op.kind = OP_PROCESS_EXIT;
			call->op.arg = regs->rdi & 0xff;
		}
		break;
	}
	return STATUS_OK;
}
