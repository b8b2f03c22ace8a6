#include "tracer/live_private.h"

#include <sys/socket.h>
#include <sys/syscall.h>

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
