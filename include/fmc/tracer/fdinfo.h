#ifndef FMC_TRACER_FDINFO_H
#define FMC_TRACER_FDINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* What /proc tells of a descriptor: fdinfo/N, proc_pid_fdinfo(5), lines of a name, a colon and a value; and fd/N, where it leads to. */

/* A number that is looked for. */
struct fdinfo_number {
	const char *name; /* of its line, without the colon */
	int base;
	bool found;
	uint64_t value; /* negative numbers as in two's complement; as it was if it isn't found */
};

/* All its lines, to be closed by the caller; NULL and errno: the process or the descriptor is gone, or hidden. */
FILE *fdinfo_open(pid_t pid, int descriptor);

/* The first line of each name. False: some aren't there, or nothing can be read. */
bool fdinfo_numbers(pid_t pid, int descriptor, struct fdinfo_number *numbers, size_t length);

/* One of them; *value is as it was if false. */
bool fdinfo_number(pid_t pid, int descriptor, const char *name, int base, uint64_t *value);

/* Does the link /proc/PID/fd/N say just that ("anon_inode:[eventpoll]")? */
bool fdinfo_leads_to(pid_t pid, int descriptor, const char *what);

/* What open(2) and fcntl(2) call file status flags, and O_CLOEXEC; *flags is as it was if false. */
bool fdinfo_flags(pid_t pid, int descriptor, unsigned *flags);

#endif
