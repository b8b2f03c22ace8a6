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

/* clang-format off */
#define NONE .size = NO_ARGUMENT, .options = NO_ARGUMENT, .reads = NO_ARGUMENT, .writes = NO_ARGUMENT, .from = NO_ARGUMENT, .into = NO_ARGUMENT, .time = NO_ARGUMENT
#define CALL(name, ...) {.number = SYS_##name, NONE, __VA_ARGS__}
#define NEW_CALL(name, ...) {.number = CALL_##name, NONE, __VA_ARGS__}
#define STOPS .stops = STOPS_ALWAYS
#define STOPS_WATCHED .stops = STOPS_TRANSFERS
#define HARMLESS .harmless = true
#define AWAITS(what) .awaits = AWAITS_##what
#define CUT .cut = true
#define RESTARTS(how) .restart = RESTART_##how
#define HALVED(when) .halving = HALVED_##when
#define BUFFER(what) .buffer = BUFFER_##what
#define SIZE(argument) .size = (argument)
#define OPTIONS(argument) .options = (argument)
#define IN .transfer = TRANSFER_IN
#define OUT .transfer = TRANSFER_OUT
#define READS(argument) .reads = (argument)
#define WRITES(argument) .writes = (argument)
#define FROM(argument) .from = (argument)
#define INTO(argument) .into = (argument)
#define MOVES .moves = true
#define MAKES .makes = true
#define OPENS(count) .opens = (count)
#define MAPS .maps = true
#define NUMBERS(arguments) .numbers = (arguments)
#define TIME(argument, what) .time = (argument), .form = TIME_##what

/* NONE says first what a row then says otherwise. */
#pragma GCC diagnostic ignored "-Woverride-init"
#ifdef __clang__
#pragma clang diagnostic ignored "-Winitializer-overrides"
#endif

/* In the order of their numbers, which call_traits() relies on. */
static const struct call_traits table[] = {
	CALL(read, STOPS_WATCHED, AWAITS(ANYTHING), CUT, RESTARTS(READ), IN, READS(0), FROM(0), MOVES, BUFFER(BYTES)),
	CALL(write, STOPS_WATCHED, AWAITS(ANYTHING), CUT, HALVED(ALWAYS), OUT, WRITES(0), INTO(0), MOVES, BUFFER(BYTES)),
	CALL(open, STOPS, OPENS(1)),
	CALL(close, STOPS_WATCHED),
	CALL(stat, STOPS),
	CALL(fstat, STOPS),
	CALL(lstat, STOPS),
	CALL(poll, STOPS, AWAITS(POLLED), RESTARTS(ALWAYS), TIME(2, MILLISECONDS)),
	CALL(lseek, STOPS_WATCHED, FROM(0), MOVES),
	CALL(mmap, HARMLESS, MAPS),
	CALL(mprotect, HARMLESS, MAPS),
	CALL(munmap, HARMLESS, MAPS),
	CALL(brk, HARMLESS, MAPS),
	CALL(rt_sigaction, STOPS, HARMLESS),
	CALL(rt_sigprocmask, STOPS),
	CALL(rt_sigreturn, HARMLESS),
	CALL(ioctl, STOPS_WATCHED, OUT),
	CALL(pread64, STOPS_WATCHED, IN, READS(0), FROM(0), BUFFER(BYTES)),
	CALL(pwrite64, STOPS_WATCHED, HALVED(ALWAYS), OUT, WRITES(0), INTO(0), BUFFER(BYTES)),
	CALL(readv, STOPS_WATCHED, AWAITS(ANYTHING), CUT, RESTARTS(READ), IN, READS(0), FROM(0), MOVES, BUFFER(VECTOR)),
	CALL(writev, STOPS_WATCHED, AWAITS(ANYTHING), CUT, HALVED(ALWAYS), OUT, WRITES(0), INTO(0), MOVES, BUFFER(VECTOR)),
	CALL(access, STOPS),
	CALL(pipe, STOPS, MAKES, OPENS(2)),
	CALL(select, STOPS, AWAITS(SELECTED), RESTARTS(ALWAYS), TIME(4, TIMEVAL)),
	CALL(sched_yield, STOPS, AWAITS(TURN)),
	CALL(mremap, HARMLESS, MAPS),
	CALL(msync, HARMLESS),
	CALL(mincore, HARMLESS),
	CALL(madvise, HARMLESS),
	CALL(shmget, STOPS),
	CALL(shmat, STOPS, MAPS),
	CALL(dup, STOPS, OPENS(1)),
	CALL(dup2, STOPS),
	CALL(pause, STOPS, AWAITS(SIGNAL), RESTARTS(ALWAYS)),
	CALL(nanosleep, STOPS, AWAITS(TIME), RESTARTS(ALWAYS), TIME(0, SLEEP)),
	CALL(getitimer, STOPS),
	CALL(alarm, STOPS),
	CALL(setitimer, STOPS),
	CALL(getpid, STOPS),
	CALL(sendfile, STOPS_WATCHED, AWAITS(ANYTHING), CUT, HALVED(ALWAYS), OUT, WRITES(0), FROM(1), INTO(0), MOVES, BUFFER(FILE), SIZE(3)),
	CALL(socket, STOPS, MAKES, OPENS(1)),
	CALL(connect, STOPS_WATCHED, AWAITS(ANYTHING), CUT, RESTARTS(SOCKET), OUT, WRITES(0)),
	CALL(accept, STOPS_WATCHED, AWAITS(ANYTHING), CUT, RESTARTS(SOCKET), IN, READS(0), OPENS(1)),
	CALL(sendto, STOPS_WATCHED, AWAITS(ANYTHING), CUT, HALVED(ALWAYS), OUT, WRITES(0), INTO(0), MOVES, BUFFER(BYTES)),
	CALL(recvfrom, STOPS_WATCHED, AWAITS(ANYTHING), CUT, RESTARTS(RECEIVE), HALVED(RECEIVING), OPTIONS(3), IN, READS(0), FROM(0), MOVES, BUFFER(BYTES)),
	CALL(sendmsg, STOPS_WATCHED, AWAITS(ANYTHING), CUT, HALVED(ALWAYS), OUT, WRITES(0), INTO(0), MOVES, BUFFER(MESSAGE)),
	CALL(recvmsg, STOPS_WATCHED, AWAITS(ANYTHING), CUT, RESTARTS(RECEIVE), HALVED(RECEIVING), OPTIONS(2), IN, READS(0), FROM(0), MOVES, BUFFER(MESSAGE), OPENS(1)),
	CALL(shutdown, STOPS_WATCHED),
	CALL(bind, STOPS),
	CALL(listen, STOPS),
	CALL(socketpair, STOPS, MAKES, OPENS(2)),
	CALL(setsockopt, STOPS_WATCHED),
	CALL(getsockopt, STOPS_WATCHED),
	CALL(fork, STOPS),
	CALL(vfork, AWAITS(CHILD)),
	CALL(execve, STOPS),
	CALL(exit, HARMLESS),
	CALL(wait4, STOPS, AWAITS(CHILD), RESTARTS(ALWAYS)),
	CALL(kill, STOPS, NUMBERS(1)),
	CALL(semget, STOPS),
	CALL(semop, STOPS, AWAITS(ANYTHING), CUT),
	CALL(semctl, STOPS),
	CALL(shmdt, MAPS),
	CALL(msgget, STOPS),
	CALL(msgsnd, STOPS, AWAITS(ANYTHING), RESTARTS(ALWAYS)),
	CALL(msgrcv, STOPS, AWAITS(ANYTHING), RESTARTS(ALWAYS)),
	CALL(msgctl, STOPS),
	CALL(fcntl, STOPS_WATCHED, AWAITS(LOCK), RESTARTS(LOCK)),
	CALL(flock, STOPS, AWAITS(LOCK), RESTARTS(ALWAYS)),
	CALL(fsync, OUT),
	CALL(fdatasync, OUT),
	CALL(truncate, STOPS),
	CALL(ftruncate, STOPS_WATCHED, OUT, INTO(0)),
	CALL(getdents, STOPS),
	CALL(getcwd, STOPS),
	CALL(chdir, STOPS),
	CALL(fchdir, STOPS),
	CALL(rename, STOPS),
	CALL(mkdir, STOPS),
	CALL(rmdir, STOPS),
	CALL(creat, STOPS, OPENS(1)),
	CALL(link, STOPS),
	CALL(unlink, STOPS),
	CALL(symlink, STOPS),
	CALL(readlink, STOPS),
	CALL(chmod, STOPS),
	CALL(fchmod, STOPS),
	CALL(chown, STOPS),
	CALL(fchown, STOPS),
	CALL(lchown, STOPS),
	CALL(umask, STOPS),
	CALL(gettimeofday, STOPS),
	CALL(getrlimit, STOPS, HARMLESS),
	CALL(getrusage, STOPS),
	CALL(sysinfo, STOPS),
	CALL(times, STOPS),
	CALL(getuid, STOPS, HARMLESS),
	CALL(getgid, STOPS, HARMLESS),
	CALL(setuid, STOPS),
	CALL(setgid, STOPS),
	CALL(geteuid, STOPS, HARMLESS),
	CALL(getegid, STOPS, HARMLESS),
	CALL(setpgid, STOPS, NUMBERS(3)),
	CALL(getppid, STOPS),
	CALL(getpgrp, STOPS),
	CALL(setsid, STOPS),
	CALL(setreuid, STOPS),
	CALL(setregid, STOPS),
	CALL(getgroups, STOPS),
	CALL(setgroups, STOPS),
	CALL(setresuid, STOPS),
	CALL(getresuid, STOPS),
	CALL(setresgid, STOPS),
	CALL(getresgid, STOPS),
	CALL(getpgid, STOPS),
	CALL(getsid, STOPS),
	CALL(rt_sigpending, STOPS, HARMLESS),
	CALL(rt_sigtimedwait, STOPS, AWAITS(SIGNAL), CUT, TIME(2, TIMESPEC)),
	CALL(rt_sigqueueinfo, STOPS, NUMBERS(1)),
	CALL(rt_sigsuspend, STOPS, AWAITS(SIGNAL), RESTARTS(ALWAYS)),
	CALL(sigaltstack, STOPS),
	CALL(utime, STOPS),
	CALL(mknod, STOPS),
	CALL(personality, STOPS),
	CALL(getpriority, STOPS, NUMBERS(2)),
	CALL(setpriority, STOPS, NUMBERS(2)),
	CALL(sched_setparam, STOPS, NUMBERS(1)),
	CALL(sched_getparam, STOPS, NUMBERS(1)),
	CALL(sched_setscheduler, STOPS, NUMBERS(1)),
	CALL(sched_getscheduler, STOPS, NUMBERS(1)),
	CALL(sched_rr_get_interval, STOPS, NUMBERS(1)),
	CALL(mlock, HARMLESS),
	CALL(munlock, HARMLESS),
	CALL(prctl, STOPS),
	CALL(arch_prctl, HARMLESS),
	CALL(setrlimit, STOPS),
	CALL(chroot, STOPS),
	CALL(gettid, STOPS),
	CALL(setxattr, STOPS),
	CALL(lsetxattr, STOPS),
	CALL(fsetxattr, STOPS),
	CALL(getxattr, STOPS),
	CALL(lgetxattr, STOPS),
	CALL(fgetxattr, STOPS),
	CALL(listxattr, STOPS),
	CALL(llistxattr, STOPS),
	CALL(flistxattr, STOPS),
	CALL(removexattr, STOPS),
	CALL(lremovexattr, STOPS),
	CALL(fremovexattr, STOPS),
	CALL(tkill, STOPS, NUMBERS(1)),
	CALL(time, STOPS),
	CALL(futex, STOPS, AWAITS(WORD), RESTARTS(FUTEX)),
	CALL(sched_setaffinity, STOPS),
	CALL(sched_getaffinity, STOPS),
	CALL(io_setup, STOPS, MAPS),
	CALL(io_destroy, MAPS),
	CALL(io_getevents, AWAITS(ANYTHING), CUT, TIME(4, TIMESPEC)),
	CALL(epoll_create, STOPS, OPENS(1)),
	CALL(remap_file_pages, STOPS, MAPS),
	CALL(getdents64, STOPS, IN),
	CALL(set_tid_address, STOPS),
	CALL(restart_syscall, AWAITS(ANYTHING), RESTARTS(ALWAYS)),
	CALL(semtimedop, STOPS, AWAITS(ANYTHING), CUT, TIME(3, TIMESPEC)),
	CALL(timer_create, STOPS),
	CALL(timer_settime, STOPS),
	CALL(timer_gettime, STOPS),
	CALL(timer_getoverrun, STOPS),
	CALL(timer_delete, STOPS),
	CALL(clock_gettime, STOPS),
	CALL(clock_getres, STOPS),
	CALL(clock_nanosleep, STOPS, AWAITS(TIME), RESTARTS(ALWAYS), TIME(2, SLEEP)),
	CALL(exit_group, STOPS),
	CALL(epoll_wait, STOPS, AWAITS(SET), CUT, READS(0), TIME(3, MILLISECONDS)),
	CALL(epoll_ctl, STOPS_WATCHED),
	CALL(tgkill, STOPS, NUMBERS(3)),
	CALL(utimes, STOPS),
	CALL(mq_open, STOPS, OPENS(1)),
	CALL(mq_timedsend, STOPS, AWAITS(ANYTHING), RESTARTS(ALWAYS), WRITES(0), TIME(4, MOMENT)),
	CALL(mq_timedreceive, STOPS, AWAITS(ANYTHING), RESTARTS(ALWAYS), READS(0), TIME(4, MOMENT)),
	CALL(mq_notify, STOPS),
	CALL(mq_getsetattr, STOPS),
	CALL(waitid, STOPS, AWAITS(CHILD), RESTARTS(ALWAYS)),
	CALL(add_key, STOPS),
	CALL(request_key, STOPS),
	CALL(keyctl, STOPS),
	CALL(ioprio_set, STOPS, NUMBERS(2)),
	CALL(ioprio_get, STOPS, NUMBERS(2)),
	CALL(inotify_init, STOPS, MAKES, OPENS(1)),
	CALL(openat, STOPS, OPENS(1)),
	CALL(mkdirat, STOPS),
	CALL(mknodat, STOPS),
	CALL(fchownat, STOPS),
	CALL(futimesat, STOPS),
	CALL(newfstatat, STOPS),
	CALL(unlinkat, STOPS),
	CALL(renameat, STOPS),
	CALL(linkat, STOPS),
	CALL(symlinkat, STOPS),
	CALL(readlinkat, STOPS),
	CALL(fchmodat, STOPS),
	CALL(faccessat, STOPS),
	CALL(pselect6, STOPS, AWAITS(SELECTED), RESTARTS(ALWAYS), TIME(4, TIMESPEC)),
	CALL(ppoll, STOPS, AWAITS(POLLED), RESTARTS(ALWAYS), TIME(2, TIMESPEC)),
	CALL(set_robust_list, HARMLESS),
	CALL(get_robust_list, HARMLESS),
	CALL(splice, STOPS_WATCHED, AWAITS(ANYTHING), CUT, HALVED(ALWAYS), IN, READS(0), WRITES(2), FROM(0), INTO(2), MOVES),
	CALL(tee, STOPS_WATCHED, AWAITS(ANYTHING), HALVED(ALWAYS), IN, READS(0), WRITES(1), FROM(0), INTO(1)),
	CALL(vmsplice, STOPS_WATCHED, AWAITS(ANYTHING), HALVED(ALWAYS), OUT, WRITES(0), INTO(0), MOVES),
	CALL(utimensat, STOPS),
	CALL(epoll_pwait, STOPS, AWAITS(SET), CUT, READS(0), TIME(3, MILLISECONDS)),
	CALL(signalfd, STOPS, MAKES, OPENS(1)),
	CALL(timerfd_create, STOPS, MAKES, OPENS(1)),
	CALL(eventfd, STOPS, MAKES, OPENS(1)),
	CALL(fallocate, STOPS_WATCHED, CUT, OUT, INTO(0)),
	CALL(timerfd_settime, STOPS),
	CALL(timerfd_gettime, STOPS),
	CALL(accept4, STOPS_WATCHED, AWAITS(ANYTHING), CUT, RESTARTS(SOCKET), IN, READS(0), OPENS(1)),
	CALL(signalfd4, STOPS, MAKES, OPENS(1)),
	CALL(eventfd2, STOPS, MAKES, OPENS(1)),
	CALL(epoll_create1, STOPS, OPENS(1)),
	CALL(dup3, STOPS),
	CALL(pipe2, STOPS, MAKES, OPENS(2)),
	CALL(inotify_init1, STOPS, MAKES, OPENS(1)),
	CALL(preadv, STOPS_WATCHED, IN, READS(0), FROM(0), BUFFER(VECTOR)),
	CALL(pwritev, STOPS_WATCHED, HALVED(ALWAYS), OUT, WRITES(0), INTO(0), BUFFER(VECTOR)),
	CALL(rt_tgsigqueueinfo, STOPS, NUMBERS(3)),
	CALL(recvmmsg, STOPS_WATCHED, AWAITS(ANYTHING), CUT, HALVED(ALWAYS), IN, READS(0), FROM(0), MOVES, BUFFER(MESSAGES), OPENS(1)),
	CALL(fanotify_init, STOPS, OPENS(1)),
	CALL(prlimit64, STOPS, NUMBERS(1)),
	CALL(sendmmsg, STOPS_WATCHED, AWAITS(ANYTHING), CUT, HALVED(ALWAYS), OUT, WRITES(0), INTO(0), MOVES, BUFFER(MESSAGES)),
	CALL(getcpu, STOPS),
	CALL(process_vm_readv, STOPS, NUMBERS(1)),
	CALL(process_vm_writev, STOPS, NUMBERS(1)),
	CALL(sched_setattr, STOPS, NUMBERS(1)),
	CALL(sched_getattr, STOPS, NUMBERS(1)),
	CALL(renameat2, STOPS),
	CALL(getrandom, STOPS),
	CALL(memfd_create, STOPS, OPENS(1)),
	CALL(execveat, STOPS),
	CALL(userfaultfd, STOPS, MAKES, OPENS(1)),
	CALL(membarrier, HARMLESS),
	CALL(copy_file_range, STOPS_WATCHED, AWAITS(ANYTHING), HALVED(ALWAYS), FROM(0), INTO(2), MOVES, BUFFER(FILE), SIZE(4)),
	CALL(preadv2, STOPS_WATCHED, AWAITS(ANYTHING), CUT, IN, READS(0), FROM(0), BUFFER(VECTOR)),
	CALL(pwritev2, STOPS_WATCHED, AWAITS(ANYTHING), CUT, HALVED(ALWAYS), OUT, WRITES(0), INTO(0), BUFFER(VECTOR)),
	CALL(pkey_mprotect, MAPS),
	CALL(statx, STOPS),
	CALL(io_pgetevents, AWAITS(ANYTHING), CUT, TIME(4, TIMESPEC)),
	CALL(pidfd_send_signal, STOPS),
	CALL(io_uring_setup, STOPS, OPENS(1)),
	CALL(io_uring_enter, AWAITS(ANYTHING), CUT, HALVED(SUBMITTING), BUFFER(RING)),
	CALL(pidfd_open, STOPS, NUMBERS(1), OPENS(1)),
	CALL(close_range, STOPS),
	CALL(openat2, STOPS, OPENS(1)),
	CALL(faccessat2, STOPS),
	CALL(epoll_pwait2, STOPS, AWAITS(SET), CUT, READS(0), TIME(3, TIMESPEC)),
	NEW_CALL(FUTEX_WAITV, STOPS, AWAITS(ANYTHING), RESTARTS(ALWAYS)),
	NEW_CALL(FCHMODAT2, STOPS),
	NEW_CALL(MAP_SHADOW_STACK, MAPS),
	NEW_CALL(FUTEX_WAKE, STOPS),
	NEW_CALL(FUTEX_WAIT, STOPS, AWAITS(ANYTHING), RESTARTS(ALWAYS)),
	NEW_CALL(FUTEX_REQUEUE, STOPS),
};
/* clang-format on */

static int compare(const void *number, const void *traits)
{
	const long row = ((const struct call_traits *)traits)->number;
	return *(const long *)number < row ? -1 : *(const long *)number > row;
}

const struct call_traits *call_traits(long number)
{
	static const struct call_traits none = {.number = UINT16_MAX, NONE};
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
	return call_traits(number)->awaits != AWAITS_NOTHING && (number != SYS_futex || futex_waits(arguments[1]));
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
	case TIME_MOMENT:
		return arguments[traits->time] != 0;
	case TIME_SLEEP:
	case TIME_NONE:
		break;
	}
	return false;
}
