#ifndef FMC_CLI_WARNINGS_H
#define FMC_CLI_WARNINGS_H

#include "session.h"
#include "verdict.h"

/*
 * Look at an execution that went well for what is worth a warning: locks taken in both orders, threads that
 * nobody joins. Each kind is told once, in verdict->warnings; to name things the execution is run again.
 */
void warnings_look(struct session *session, const struct policy *policy, const struct trace *trace,
		   struct verdict *verdict);

#endif
