#ifndef FMC_TARGETS_SLEEPERS_H
#define FMC_TARGETS_SLEEPERS_H

/* What `sleepers` tells its test, in memory that both map. */
enum sleeper {
	SLEEPER_EPOLL_TIMED,
	SLEEPER_EPOLL,
	SLEEPER_SIGNAL_TIMED,
	SLEEPER_SIGNAL,
	SLEEPER_SEMOP_TIMED,
	SLEEPER_SEMOP,
	SLEEPER_RECV_TIMED,
	SLEEPER_RECV,
	SLEEPER_ACCEPT,
	SLEEPER_READ,
	SLEEPER_EVENT,
	SLEEPER_NANOSLEEP,
	SLEEPER_POLL_TIMED,
	SLEEPER_SELECT_TIMED,
	SLEEPER_COND_TIMED,
	SLEEPER_SEM,
	SLEEPER_MESSAGE,
	SLEEPER_WRITE,
	SLEEPERS
};

struct sleepers {
	_Atomic int stop;
	_Atomic int drain; /* let SLEEPER_WRITE, which is in the middle of its writing, get on */
	_Atomic int quiet; /* it just sleeps */
	_Atomic int semaphores, messages; /* what outlives it if it is killed */
	struct {
		_Atomic long rounds;
		_Atomic long cut;   /* ended by EINTR */
		_Atomic long wrong; /* ended too early, or otherwise than it had to */
		_Atomic int tid;
	} at[SLEEPERS];
};

#endif
