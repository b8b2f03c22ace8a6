#ifndef FMC_TRACER_STAT_LINE_H
#define FMC_TRACER_STAT_LINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * The line of a process or a thread in its `stat` file, proc_pid_stat(5). The name in its second field may hold anything,
 * blanks and parentheses included, so the line is read from the last parenthesis on.
 */

/* Fields by the numbers that the manual gives them. */
enum stat_field {
	STAT_PARENT = 4,
	STAT_FLAGS = 9,
	STAT_USER_TICKS = 14,
	STAT_SYSTEM_TICKS = 15,
	STAT_STARTED = 22, /* in clock ticks after the start of the system */
	STAT_START_CODE = 26,
	STAT_END_CODE = 27,
	STAT_START_STACK = 28,
	STAT_START_DATA = 45,
	STAT_END_DATA = 46,
	STAT_START_BRK = 47,
	STAT_ARG_START = 48,
	STAT_ARG_END = 49,
	STAT_ENV_START = 50,
	STAT_ENV_END = 51,
	STAT_FIELDS
};

/* In the field STAT_FLAGS. */
#define STAT_FORKED_ONLY   0x40	      /* it has executed no program of its own since it was made */
#define STAT_KERNEL_THREAD 0x00200000 /* it runs in the kernel alone and has nothing open */

struct stat_line {
	char state;
	uint64_t field
	    [STAT_FIELDS]; /* negative numbers as in two's complement; 0 for what an old kernel doesn't write */
};

/* False: the text is no such line. */
bool stat_line_parse(const char *text, struct stat_line *line);

/* `path` ("stat", "task/7/stat") below an open folder, or an absolute one. False, and errno: it is gone, or hidden. */
bool stat_line_at(int folder, const char *path, struct stat_line *line);

/* Of /proc/PID/stat. */
bool stat_line_of(pid_t pid, struct stat_line *line);

/* It has ended; only somebody that collects its exit status is still missing. */
bool stat_line_ended(const struct stat_line *line);

#endif
