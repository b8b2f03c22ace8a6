#include "tracer/snapshot/attach.h"

#include <fcntl.h>
#include <fmc/tracer/call_traits.h>
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

/* What stopping a thread does to the system call that it sleeps in (signal(7), and the kernel's own sources). */

#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif
/*
 * A wait that is begun again looks at its word again, and returns if that has changed since: a thread that nobody has woken for
 * it sleeps on only if it isn't stopped.
 */
static bool word_is_unchanged(const struct attach *attach, const struct task_call *call)
{
	uint32_t word;
	return pread(attach->snapshot->process.memory, &word, sizeof word, (off_t)call->arguments[0]) ==
		   sizeof word &&
	       word == (uint32_t)call->arguments[2];
}

/* All kinds of waiting but that of FUTEX_WAIT_REQUEUE_PI, which may return early. */
static bool futex_restarts(const struct attach *attach, const struct task_call *call)
{
	switch (call->arguments[1] & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		return word_is_unchanged(attach, call);
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return true;
	default:
		return false;
	}
}

static bool option_is_zero(int socket, int option)
{
	struct timeval time;
	socklen_t length = sizeof time;
	return getsockopt(socket, SOL_SOCKET, option, &time, &length) == 0 && time.tv_sec == 0 &&
	       time.tv_usec == 0;
}

/*
 * With a time-out of its own it would return EINTR; wanting several bytes, those that it has got. The descriptor can't be
 * the last one of a socket in which somebody sleeps.
 */
static bool socket_restarts(const struct attach *attach, uint64_t descriptor)
{
	int wanted = 0;
	socklen_t length = sizeof wanted;
	if (attach->pidfd < 0)
		return false;
	const int socket = (int)syscall(SYS_pidfd_getfd, attach->pidfd, (int)descriptor, 0);
	if (socket < 0)
		return false;
	const bool restarts = option_is_zero(socket, SO_RCVTIMEO) && option_is_zero(socket, SO_SNDTIMEO) &&
			      getsockopt(socket, SOL_SOCKET, SO_RCVLOWAT, &wanted, &length) == 0 &&
			      wanted <= 1;
	close(socket);
	return restarts;
}

/* Reading, from what is known to give all or nothing. */
static bool read_restarts(const struct attach *attach, const struct task_call *call)
{
	static const char *const whole[] = {"pipe:", "anon_inode:[eventfd]", "anon_inode:[timerfd]",
					    "anon_inode:[signalfd]", "anon_inode:inotify"};
	char path[32], link[64];
	snprintf(path, sizeof path, "fd/%d", (int)call->arguments[0]);
	const ssize_t length = readlinkat(attach->folder, path, link, sizeof link - 1);
	if (length < 0)
		return false;
	link[length] = 0;
	for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
		if (strncmp(link, whole[i], strlen(whole[i])) == 0)
			return true;
	return strncmp(link, "socket:", 7) == 0 && socket_restarts(attach, call->arguments[0]);
}

bool attach_call_restarts(const struct attach *attach, const struct task_call *call)
{
	const struct call_traits *traits = call_traits(call->number);
	switch ((enum call_restart)traits->restart) {
	case RESTART_ALWAYS:
		return true;
	case RESTART_FUTEX:
		return futex_restarts(attach, call);
	case RESTART_LOCK:
		return call->arguments[1] == F_SETLKW || call->arguments[1] == F_OFD_SETLKW;
	case RESTART_READ:
		return read_restarts(attach, call);
	case RESTART_RECEIVE:
		return !(call->arguments[traits->options] & MSG_WAITALL) &&
		       socket_restarts(attach, call->arguments[0]);
	case RESTART_SOCKET:
		return socket_restarts(attach, call->arguments[0]);
	case RESTART_NONE:
		break;
	}
	return false;
}
