#ifndef FMC_SUPERVISOR_CLI_SESSION_RECORD_H
#define FMC_SUPERVISOR_CLI_SESSION_RECORD_H

#include "supervisor/cli/session/session.h"

/*
 * Write the schedule of a finding (or of a run that ended well): to --output as named, else to PROGRAM.sched
 * in the present folder under a number that is free. What isn't the first of its command gets a number too.
 *
 * *written, to be freed, is the file's name; NULL after a line on standard error when it can't be written.
 */
enum status record_schedule(const struct finding *finding, const struct session *session,
			    const struct launch *launch, const struct options *options,
			    const struct policy *policy, const char *strategy, bool first, char **written);

/*
 * What a schedule's header says of a program that was run so, but for what came of it: `strategy` is how it came about, and `knowledge`
 * what its execution went by, of all that the process knows now. The header is initialised and the caller's to release, also where it
 * is false: without memory.
 */
bool record_header(struct schedule_header *header, const struct session *session, const struct launch *launch,
		   const struct options *options, const struct policy *policy, const char *strategy,
		   const struct knowledge *knowledge);

/* As the schedule would be named, with a number before the suffix; to be freed. NULL without memory. */
char *record_name(const struct launch *launch, const struct options *options, unsigned number);

/* "build-id path" of every module of the last execution, the program first. For list_free(); NULL without memory. */
char **record_modules(const struct session *session);

/* The strategy as --strategy takes it: "auto", "cb:2". */
void record_strategy(const struct options *options, char text[32]);

#endif
