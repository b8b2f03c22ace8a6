#include "tracer/proc/call_traits.h"

#include <fmc/tracer/snapshot.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* signal(7), and the kernel's own sources. */

bool call_is_halved(const struct task_call *call)
{
	switch (call->number) {
	case SYS_recvfrom:
		return call->arguments[3] & MSG_WAITALL;
	case SYS_recvmsg:
		return call->arguments[2] & MSG_WAITALL;
	case SYS_recvmmsg:
	case SYS_write:
	case SYS_writev:
	case SYS_pwrite64:
	case SYS_pwritev:
	case SYS_pwritev2:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_sendfile:
	case SYS_splice:
	case SYS_tee:
	case SYS_vmsplice:
	case SYS_copy_file_range:
		return true;
	case SYS_io_uring_enter:
		return call->arguments[1] > 0; /* some are submitted before it waits */
	default:
		return false;
	}
}

bool call_is_cut(long number)
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
	case SYS_read:
	case SYS_readv:
	case SYS_preadv2:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
	case SYS_write:
	case SYS_writev:
	case SYS_pwritev2:
	case SYS_splice:
	case SYS_sendfile:
	case SYS_fallocate:
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
