/*
 * The table of system calls. What stops do to them: signal(7), and the kernel's own sources.
 */
#include <fmc/tracer/call_traits.h>

#include <linux/futex.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif
#ifndef SYS_futex_wait
#define SYS_futex_wait 455
#endif
#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif

/* clang-format off */
#define CALL(name, ...) {.number = SYS_##name, .options = NO_ARGUMENT, .reads = NO_ARGUMENT, .writes = NO_ARGUMENT, .time = NO_ARGUMENT, __VA_ARGS__}
#define WAITS .waits = true
#define CUT .cut = true
#define RESTARTS(how) .restart = RESTART_##how
#define HALVED(when) .halving = HALVED_##when
#define OPTIONS(argument) .options = (argument)
#define IN .transfer = TRANSFER_IN
#define OUT .transfer = TRANSFER_OUT
#define READS(argument) .reads = (argument)
#define WRITES(argument) .writes = (argument)
#define TIME(argument, what) .time = (argument), .form = TIME_##what

/* CALL() says NO_ARGUMENT first of what a row then says otherwise. */
#pragma GCC diagnostic ignored "-Woverride-init"
#ifdef __clang__
#pragma clang diagnostic ignored "-Winitializer-overrides"
#endif

/* In the order of their numbers, which call_traits() relies on. */
static const struct call_traits table[] = {
	CALL(read, WAITS, CUT, RESTARTS(READ), IN, READS(0)),
	CALL(write, WAITS, CUT, HALVED(ALWAYS), OUT, WRITES(0)),
	CALL(poll, WAITS, RESTARTS(ALWAYS), TIME(2, MILLISECONDS)),
	CALL(ioctl, OUT),
	CALL(pread64, IN, READS(0)),
	CALL(pwrite64, HALVED(ALWAYS), OUT, WRITES(0)),
	CALL(readv, WAITS, CUT, RESTARTS(READ), IN, READS(0)),
	CALL(writev, WAITS, CUT, HALVED(ALWAYS), OUT, WRITES(0)),
	CALL(select, WAITS, RESTARTS(ALWAYS), TIME(4, TIMEVAL)),
	CALL(sched_yield, WAITS),
	CALL(pause, WAITS, RESTARTS(ALWAYS)),
	CALL(nanosleep, WAITS, RESTARTS(ALWAYS)),
	CALL(sendfile, WAITS, CUT, HALVED(ALWAYS), OUT, WRITES(0)),
	CALL(connect, WAITS, CUT, RESTARTS(SOCKET), OUT, WRITES(0)),
	CALL(accept, WAITS, CUT, RESTARTS(SOCKET), IN, READS(0)),
	CALL(sendto, WAITS, CUT, HALVED(ALWAYS), OUT, WRITES(0)),
	CALL(recvfrom, WAITS, CUT, RESTARTS(RECEIVE), HALVED(RECEIVING), OPTIONS(3), IN, READS(0)),
	CALL(sendmsg, WAITS, CUT, HALVED(ALWAYS), OUT, WRITES(0)),
	CALL(recvmsg, WAITS, CUT, RESTARTS(RECEIVE), HALVED(RECEIVING), OPTIONS(2), IN, READS(0)),
	CALL(vfork, WAITS),
	CALL(wait4, WAITS, RESTARTS(ALWAYS)),
	CALL(semop, WAITS, CUT),
	CALL(msgsnd, WAITS, RESTARTS(ALWAYS)),
	CALL(msgrcv, WAITS, RESTARTS(ALWAYS)),
	CALL(fcntl, WAITS, RESTARTS(LOCK)),
	CALL(flock, WAITS, RESTARTS(ALWAYS)),
	CALL(fsync, OUT),
	CALL(fdatasync, OUT),
	CALL(ftruncate, OUT),
	CALL(rt_sigtimedwait, WAITS, CUT, TIME(2, TIMESPEC)),
	CALL(rt_sigsuspend, WAITS, RESTARTS(ALWAYS)),
	CALL(futex, WAITS, RESTARTS(FUTEX)),
	CALL(io_getevents, WAITS, CUT, TIME(4, TIMESPEC)),
	CALL(getdents64, IN),
	CALL(restart_syscall, WAITS, RESTARTS(ALWAYS)),
	CALL(semtimedop, WAITS, CUT, TIME(3, TIMESPEC)),
	CALL(clock_nanosleep, WAITS, RESTARTS(ALWAYS)),
	CALL(epoll_wait, WAITS, CUT, READS(0), TIME(3, MILLISECONDS)),
	CALL(mq_timedsend, WAITS, RESTARTS(ALWAYS), WRITES(0), TIME(4, TIMESPEC)),
	CALL(mq_timedreceive, WAITS, RESTARTS(ALWAYS), READS(0), TIME(4, TIMESPEC)),
	CALL(waitid, WAITS, RESTARTS(ALWAYS)),
	CALL(pselect6, WAITS, RESTARTS(ALWAYS), TIME(4, TIMESPEC)),
	CALL(ppoll, WAITS, RESTARTS(ALWAYS), TIME(2, TIMESPEC)),
	CALL(splice, WAITS, CUT, HALVED(ALWAYS), IN, READS(0), WRITES(2)),
	CALL(tee, WAITS, HALVED(ALWAYS), IN, READS(0), WRITES(1)),
	CALL(vmsplice, WAITS, HALVED(ALWAYS), OUT, WRITES(0)),
	CALL(epoll_pwait, WAITS, CUT, READS(0), TIME(3, MILLISECONDS)),
	CALL(fallocate, CUT, OUT),
	CALL(accept4, WAITS, CUT, RESTARTS(SOCKET), IN, READS(0)),
	CALL(preadv, IN, READS(0)),
	CALL(pwritev, HALVED(ALWAYS), OUT, WRITES(0)),
	CALL(recvmmsg, WAITS, CUT, HALVED(ALWAYS), IN, READS(0)),
	CALL(sendmmsg, WAITS, CUT, HALVED(ALWAYS), OUT, WRITES(0)),
	CALL(copy_file_range, WAITS, HALVED(ALWAYS)),
	CALL(preadv2, WAITS, CUT, IN, READS(0)),
	CALL(pwritev2, WAITS, CUT, HALVED(ALWAYS), OUT, WRITES(0)),
	CALL(io_pgetevents, WAITS, CUT, TIME(4, TIMESPEC)),
	CALL(io_uring_enter, WAITS, CUT, HALVED(SUBMITTING)),
	CALL(epoll_pwait2, WAITS, CUT, READS(0), TIME(3, TIMESPEC)),
	CALL(futex_waitv, WAITS, RESTARTS(ALWAYS)),
	CALL(futex_wait, WAITS, RESTARTS(ALWAYS)),
};
/* clang-format on */

static int compare(const void *number, const void *traits)
{
	const long row = ((const struct call_traits *)traits)->number;
	return *(const long *)number < row ? -1 : *(const long *)number > row;
}

const struct call_traits *call_traits(long number)
{
	static const struct call_traits none = {.number = UINT16_MAX,
						.options = NO_ARGUMENT,
						.reads = NO_ARGUMENT,
						.writes = NO_ARGUMENT,
						.time = NO_ARGUMENT};
	const struct call_traits *traits =
	    bsearch(&number, table, sizeof table / sizeof *table, sizeof *table, compare);
	return traits ? traits : &none;
}

const struct call_traits *call_traits_table(size_t *length)
{
	*length = sizeof table / sizeof *table;
	return table;
}

/* Futexes: those commands that wait. */
static bool futex_waits(uint64_t command)
{
	switch (command & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
	case FUTEX_WAIT_REQUEUE_PI:
		return true;
	default:
		return false;
	}
}

bool call_may_wait(long number, const uint64_t arguments[6])
{
	return call_traits(number)->waits && (number != SYS_futex || futex_waits(arguments[1]));
}

bool call_is_halved(long number, const uint64_t arguments[6])
{
	const struct call_traits *traits = call_traits(number);
	switch ((enum call_halving)traits->halving) {
	case HALVED_ALWAYS:
		return true;
	case HALVED_RECEIVING:
		return arguments[traits->options] & MSG_WAITALL;
	case HALVED_SUBMITTING:
		return arguments[1] > 0;
	case HALVED_NEVER:
		break;
	}
	return false;
}

bool call_has_time_out(long number, const uint64_t arguments[6])
{
	const struct call_traits *traits = call_traits(number);
	switch ((enum call_time)traits->form) {
	case TIME_MILLISECONDS:
		return (int)arguments[traits->time] >= 0;
	case TIME_TIMESPEC:
	case TIME_TIMEVAL:
		return arguments[traits->time] != 0;
	case TIME_NONE:
		break;
	}
	return false;
}
