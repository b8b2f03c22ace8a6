#ifndef FMC_SUPERVISOR_CLI_SESSION_RECORDING_H
#define FMC_SUPERVISOR_CLI_SESSION_RECORDING_H

#include "supervisor/cli/options/options.h"
#include "supervisor/cli/session/launch.h"

#include <fmc/replay/schedule.h>

/* A schedule that is to be played as it was recorded. Owns all but the options. */
struct recording {
	struct schedule schedule;
	struct options options; /* those of the recording, unless the user wants it otherwise */
	bool given_ops;		/* the plug-in isn't the schedule's own word */
	struct launch launch;
	bool ready; /* the launch is there */
};

/* Options with which a schedule is played as it was recorded. They borrow from it. */
struct options recorded_options(const struct options *options, struct schedule *schedule);

/* Read options->file. All four give an exit status; what was wrong has been said. Ends with recording_release(). */
int recording_load(struct recording *recording, const struct options *options);

/* Find its program, and see that this is the one that was recorded (unless --loose). */
int recording_find(struct recording *recording);

/* Say what is about to be run, and ask whether that is wanted if the file is another user's (trust.h). */
int recording_trust(const struct recording *recording);

/* Both, and load its plug-in. */
int recording_prepare(struct recording *recording);

void recording_release(struct recording *recording);

/* "NAME.sched", in whatever folder, as "NAME" with this ending; to be freed. NULL without memory. */
char *recording_beside(const char *file, const char *ending);

#endif
