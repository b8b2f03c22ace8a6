/* Does a foreign process look as if it were stuck for good? */
#include "supervisor/foreign/foreign_run.h"

#include <linux/futex.h>
#include <sys/syscall.h>

bool foreign_run_may_wait(const struct foreign_event *event)
{
	switch (event->number) {
	case SYS_futex: {
		const int command = (int)event->arguments[1] & FUTEX_CMD_MASK;
		return command == FUTEX_WAIT || command == FUTEX_WAIT_BITSET || command == FUTEX_LOCK_PI ||
		       command == FUTEX_LOCK_PI2 || command == FUTEX_WAIT_REQUEUE_PI;
	}
	case SYS_sched_yield:
	case SYS_restart_syscall:
	case SYS_nanosleep:
	case SYS_clock_nanosleep:
	case SYS_poll:
	case SYS_ppoll:
	case SYS_select:
	case SYS_pselect6:
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
	case SYS_epoll_pwait2:
	case SYS_read:
	case SYS_readv:
	case SYS_write:
	case SYS_writev:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_recvmmsg:
	case SYS_sendto:
	case SYS_sendmsg:
	case SYS_sendmmsg:
	case SYS_accept:
	case SYS_accept4:
	case SYS_connect:
	case SYS_wait4:
	case SYS_waitid:
	case SYS_pause:
	case SYS_rt_sigsuspend:
	case SYS_rt_sigtimedwait:
	case SYS_semop:
	case SYS_semtimedop:
	case SYS_msgrcv:
	case SYS_msgsnd:
	case SYS_mq_timedreceive:
	case SYS_mq_timedsend:
	case SYS_flock:
	case SYS_fcntl:
	case SYS_io_getevents:
	case SYS_io_uring_enter:
	case SYS_vfork:
		return true;
	default:
		return false;
	}
}

/* Sleeps until another thread or process wakes it; the time-out is the fourth argument. */
static bool sleeps_for_ever(const struct foreign_run *run, const struct run_thread *thread)
{
	const struct foreign_event *standing = foreign_standing(run->foreign, thread->tracee);
	return thread->turn == TURN_CALLS && foreign_in_call(run->foreign, thread->tracee) &&
	       standing->number == SYS_futex && foreign_run_may_wait(standing) && standing->arguments[3] == 0;
}

/* Whom it waits for: the holder of the mutex that it has tried to lock last. NULL: that isn't so. */
static const struct run_thread *waits_for(const struct foreign_run *run, const struct run_thread *thread)
{
	struct object_state state;
	pid_t owner;
	if (!sleeps_for_ever(run, thread) || thread->last.kind != OP_MUTEX_LOCK ||
	    thread->last.object >= run->objects_length ||
	    markers_peek(run->markers, foreign_target(run->foreign), CLASS_MUTEX,
			 run->objects[thread->last.object].address, &state, &owner) != STATUS_OK)
		return NULL;
	for (uint32_t i = 0; i < run->threads_length; i++)
		if (run->threads[i].turn != TURN_GONE && run->threads[i].tid == owner)
			return &run->threads[i];
	return NULL;
}

static bool leads_to_cycle(const struct foreign_run *run, const struct run_thread *thread)
{
	for (uint32_t steps = 0; thread && steps <= run->threads_length; steps++)
		thread = waits_for(run, thread);
	return thread != NULL;
}

bool foreign_run_stuck(const struct foreign_run *run)
{
	uint32_t sleeping = 0, present = 0;
	for (uint32_t i = 0; i < run->threads_length; i++) {
		if (run->threads[i].turn == TURN_GONE)
			continue;
		present++;
		sleeping += sleeps_for_ever(run, &run->threads[i]);
		if (leads_to_cycle(run, &run->threads[i]))
			return true;
	}
	return sleeping == present;
}
