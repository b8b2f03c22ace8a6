#ifndef FMC_TRACER_CALL_TRAITS_H
#define FMC_TRACER_CALL_TRAITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What fmc knows of system calls, in one table: before which of them a thread is stopped, which wait, for what and how long, what a
 * stop does to them, what they do with descriptors. A call that isn't there has none of these traits.
 */

/* Does the filter of system calls stop a thread before it? */
enum call_stops {
	STOPS_NEVER,
	STOPS_ALWAYS,
	STOPS_TRANSFERS, /* where transfers are watched: target_watch_transfers() */
};

/* What it may wait for. */
enum call_awaits {
	AWAITS_NOTHING,
	AWAITS_ANYTHING, /* a descriptor (see reads, writes), or what the kernel alone knows of */
	AWAITS_WORD,	 /* a futex's, by its command */
	AWAITS_TIME,	 /* it sleeps */
	AWAITS_POLLED,	 /* one of the descriptors in an array of struct pollfd */
	AWAITS_SELECTED, /* or in three sets */
	AWAITS_SET,	 /* or in an epoll set */
	AWAITS_CHILD,
	AWAITS_SIGNAL,
	AWAITS_LOCK, /* of a file */
	AWAITS_TURN, /* it lets others run */
};

/* How a call goes on that a stop has taken out of its sleep: as if nothing had been, so that a process needn't notice. */
enum call_restart {
	RESTART_NONE,	/* it returns EINTR or a part of what was wanted, or that isn't known */
	RESTART_ALWAYS, /* it sleeps again, up to the same time */
	RESTART_FUTEX,	/* by its command, and if its word is unchanged */
	RESTART_LOCK,	/* fcntl: waiting for a lock */
	RESTART_READ,	/* if the descriptor is one that gives all or nothing */
	RESTART_RECEIVE, /* a socket without options that forbid it, unless it wants all (MSG_WAITALL in argument `options`) */
	RESTART_SOCKET, /* a socket without such options */
};

/* When it returns with a part done: of the bytes written, of the messages. */
enum call_halving {
	HALVED_NEVER,
	HALVED_ALWAYS,
	HALVED_RECEIVING, /* where it wants all: MSG_WAITALL in argument `options` */
	HALVED_SUBMITTING /* io_uring_enter, where some are submitted before it waits */
};

enum call_transfer { TRANSFER_NONE, TRANSFER_IN, TRANSFER_OUT };

/* What it transfers, and how much: the call that goes on with the rest follows from that. */
enum call_buffer {
	BUFFER_NONE,
	BUFFER_BYTES,	 /* arguments 1 and 2: address and size */
	BUFFER_VECTOR,	 /* ... of an array of struct iovec, and its length */
	BUFFER_MESSAGE,	 /* argument 1: the address of a struct msghdr */
	BUFFER_MESSAGES, /* arguments 1 and 2: an array of struct mmsghdr, and its length */
	BUFFER_FILE,	 /* from one descriptor to another: argument `size` */
	BUFFER_RING,	 /* argument 1: so many entries that were submitted before */
};

enum call_time {
	TIME_NONE,
	TIME_MILLISECONDS, /* an int, negative: for ever */
	TIME_TIMESPEC,	   /* the address of a struct timespec, 0: for ever */
	TIME_TIMEVAL,	   /* the same of a struct timeval */
	TIME_MOMENT,	   /* of a struct timespec that CLOCK_REALTIME is to show */
	TIME_SLEEP	   /* of a struct timespec: no time-out, but what it waits for */
};

/* System calls that the headers may not know yet. */
enum {
	CALL_FUTEX_WAITV = 449,
	CALL_FCHMODAT2 = 452,
	CALL_MAP_SHADOW_STACK = 453,
	CALL_FUTEX_WAKE = 454,
	CALL_FUTEX_WAIT = 455,
	CALL_FUTEX_REQUEUE = 456,
};

#define NO_ARGUMENT (-1)

struct call_traits {
	uint16_t number;
	uint8_t stops; /* enum call_stops */
	bool harmless; /* what it does concerns nobody outside of the process: a confined one isn't stopped */
	uint8_t awaits;		  /* enum call_awaits */
	bool cut;		  /* a stop just after it has begun makes it fail with EINTR */
	uint8_t restart, halving; /* enum call_restart, enum call_halving */
	uint8_t buffer;		  /* enum call_buffer */
	int8_t size;
	int8_t options;	  /* which argument has the MSG_* bits that these two ask for */
	uint8_t transfer; /* enum call_transfer: it works on the descriptor that is its first argument */
	/* Which arguments are the descriptors that it waits to read from, to write to. */
	int8_t reads, writes;
	/*
	 * Which arguments are descriptors whose contents it takes or changes; it `moves` where it reads or writes the position that the
	 * descriptor has.
	 */
	int8_t from, into;
	bool moves;
	bool makes;	 /* descriptors by which threads may wait for each other */
	uint8_t opens;	 /* so many descriptors, by the lowest numbers that are free */
	bool maps;	 /* it changes what is mapped where, or what may be done there */
	uint8_t numbers; /* which of the first two arguments are numbers of threads or processes, as bits */
	/* Which argument is its time-out, in which form (enum call_time). Futexes are known to those who look at them. */
	int8_t time;
	uint8_t form;
};

/* Those of the call with this number; never NULL. */
const struct call_traits *call_traits(long number);

/* The whole table, in the order of numbers. For tests. */
const struct call_traits *call_traits_table(size_t *length);

/* May it wait, with these arguments? */
bool call_may_wait(long number, const uint64_t arguments[6]);

/* Would it return with a part done? */
bool call_is_halved(long number, const uint64_t arguments[6]);

/* Is there an end to its wait? False for futexes and sleeps. */
bool call_has_time_out(long number, const uint64_t arguments[6]);

#endif
