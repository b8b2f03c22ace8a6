#ifndef FMC_SUPERVISOR_CLI_VERDICT_WARNINGS_H
#define FMC_SUPERVISOR_CLI_VERDICT_WARNINGS_H

#include "supervisor/cli/session/session.h"
#include "supervisor/cli/verdict/verdict.h"

/*
 * Look at an execution that went well for what is worth a warning: locks taken in both orders, threads that
 * nobody joins. Each kind is told once, in verdict->warnings. To name things and to show stacks the execution is
 * run again; what doesn't replay isn't told.
 */
void warnings_look(struct session *session, const struct policy *policy, const struct trace *trace,
		   struct verdict *verdict);

/* The same of an execution that can't be run again, with the places that its finding has instead of stacks. */
void warnings_tell(const struct finding *finding, struct verdict *verdict);

/* Of functions that the plug-in describes and the program doesn't have. */
void warnings_missing(const struct session *session, struct verdict *verdict);

/* Is there anything to tell of this execution? */
bool warnings_in(const struct trace *trace);

/* "lock-order", "leak": as in JSON. */
const char *warning_name(enum warning_kind kind);

/* The warning and its threads; nothing if it is none. */
void warning_print(const struct warning *warning, bool colours, FILE *stream);
void warning_release(struct warning *warning); /* and makes it empty */

#endif
