#ifndef FMC_TRACER_FDINFO_H
#define FMC_TRACER_FDINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* What /proc/PID/fdinfo/N tells of an open file, proc_pid_fdinfo(5): lines of a name, a colon and a value. */

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

/* What open(2) and fcntl(2) call file status flags, and O_CLOEXEC; *flags is as it was if false. */
bool fdinfo_flags(pid_t pid, int descriptor, unsigned *flags);

#endif
