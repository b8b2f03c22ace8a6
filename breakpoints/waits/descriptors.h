#ifndef FMC_BREAKPOINTS_WAITS_DESCRIPTORS_H
#define FMC_BREAKPOINTS_WAITS_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What the kernel says of the open files of live processes. */

/* What a process has open under a descriptor: "pipe:[123]", "/dev/null", "anon_inode:[eventfd]"; false if that can't be read. */
bool descriptor_link(pid_t pid, int fd, char link[256]);

/* The inode of a pipe or socket, by its link: kind is "pipe" or "socket". 0: it is none. */
uint64_t descriptor_inode(const char *link, const char *kind);

/*
 * A socket of a process: what it is connected to, for people ("to 127.0.0.1:80", "listening at 0.0.0.0:80", "at /run/x"; empty:
 * not known), and the inode of the socket at the other end of the connection, 0 if that isn't on this machine or not known.
 */
struct connection {
	char text[160];
	uint64_t peer;
	bool under_way; /* what the other end has sent may not have come here yet */
	bool open;	/* others than the other end can send to it, too */
};

void connection_find(pid_t pid, uint64_t inode, struct connection *connection);

/* May a transfer on this socket of a process end by a time-out of the socket's own? True also where that isn't known. */
bool socket_times_out(pid_t pid, int fd, bool writes);

#endif
