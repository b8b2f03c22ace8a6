#include "tracer/live_private.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* System calls that notice that they have been stopped. */

bool live_call_restarts(long number)
{
	switch (number) {
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_rt_sigtimedwait:
	case SYS_io_getevents:
	case SYS_io_pgetevents:
	case SYS_io_uring_enter:
	/* With SO_RCVTIMEO or SO_SNDTIMEO; before any data has been moved. */
	case SYS_read:
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
	case SYS_write:
	case SYS_writev:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_accept:
	case SYS_accept4:
	case SYS_connect:
		return true;
	default:
		return false;
	}
}

bool live_call_transfers(long number, const uint64_t arguments[6])
{
	switch (number) {
	case SYS_write:
	case SYS_writev:
	case SYS_pwrite64:
	case SYS_pwritev:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_recvmmsg:
	case SYS_sendfile:
	case SYS_splice:
	case SYS_tee:
	case SYS_vmsplice:
	case SYS_copy_file_range:
		return true;
	case SYS_recvfrom:
		return arguments[3] & MSG_WAITALL;
	case SYS_recvmsg:
		return arguments[2] & MSG_WAITALL;
	default:
		return false;
	}
}

bool live_asleep(pid_t pid, pid_t tid, long *number, uint64_t arguments[6], uint64_t *rip, uint64_t *rsp)
{
	char path[64], line[256];
	unsigned long long a[6] = {0}, sp, pc;
	snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", pid, tid);
	const int file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	const ssize_t length = read(file, line, sizeof line - 1);
	close(file);
	if (length <= 0)
		return false;
	line[length] = 0;
	if (sscanf(line, "-1 %llx %llx", &sp, &pc) == 2)
		*number = -1;
	else if (sscanf(line, "%ld %llx %llx %llx %llx %llx %llx %llx %llx", number, &a[0], &a[1], &a[2],
			&a[3], &a[4], &a[5], &sp, &pc) != 9)
		return false;
	for (int i = 0; i < 6; i++)
		arguments[i] = a[i];
	*rip = pc;
	*rsp = sp;
	return true;
}
