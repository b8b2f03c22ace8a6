#ifndef FMC_TRACER_EPOLL_MEMBERS_H
#define FMC_TRACER_EPOLL_MEMBERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* What is in a set, as epoll_ctl() takes it. */
struct channel_member {
	int32_t number;
	uint32_t events;
	uint64_t data;
};

bool epoll_is_set(pid_t pid, int descriptor);

/* May there be a descriptor in the set by which signals are read (signalfd(2))? */
bool epoll_reads_signals(pid_t pid, int set);

/*
 * What is in an epoll set of a process, to be freed. NULL: not to be told for certain, since a descriptor isn't any more what was put
 * into the set under its number; or no memory.
 */
struct channel_member *epoll_members(pid_t pid, int set, uint32_t *length);

#endif
