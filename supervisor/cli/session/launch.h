#ifndef FMC_SUPERVISOR_CLI_SESSION_LAUNCH_H
#define FMC_SUPERVISOR_CLI_SESSION_LAUNCH_H

#include "supervisor/cli/options/options.h"

#include <fmc/replay/schedule.h>
#include <fmc/tracer/origin.h>

/* How the target is started: found, made absolute, its standard input open. Owns what is in it. */
struct launch {
	char *path;
	char **arguments; /* NULL at its end, like environment */
	char **environment;
	char *directory;
	char *input_path; /* NULL: inherited */
	int input;	  /* -1: inherited */
	char *
	    image; /* as in schedules, "digest path": the file that executions start from; NULL: the program's start */
	int64_t start_time; /* what the target's real-time clock shows first, in seconds since 1970 */
};

/*
 * From a command line; `quiet`: without --stdin the target reads /dev/null instead of fmc's own input.
 * On failure a status other than STATUS_OK, one line in `why` and nothing to release.
 */
enum status launch_from_options(struct launch *launch, const struct options *options, bool quiet,
				char why[256]);

/* From a schedule; `input` (may be NULL) instead of the recorded standard input. */
enum status launch_from_schedule(struct launch *launch, const struct schedule_header *header,
				 const char *input, char why[256]);

/* Of the process that has been saved to this image file. */
enum status launch_from_image(struct launch *launch, const char *path, char why[256]);

/* Open the standard input once more, so that another process can read it from its own position. */
enum status launch_reopen_input(struct launch *launch, char why[256]);

void launch_release(struct launch *launch);

/* As tracer wants it; borrows from launch. */
struct program launch_program(const struct launch *launch);

#endif
