#ifndef FMC_SUPERVISOR_CLI_SESSION_CONFIRM_H
#define FMC_SUPERVISOR_CLI_SESSION_CONFIRM_H

#include "supervisor/cli/session/session.h"
#include <fmc/tracer/must_check.h>

/* How a replay of a finding went. */
enum FMC_MUST_CHECK confirmation {
	CONFIRMED,	     /* twice the same execution; the finding is filled */
	CONFIRM_DIFFERENT,   /* it didn't reproduce */
	CONFIRM_INTERRUPTED, /* no time for it */
	CONFIRM_FAILED,	     /* no memory */
};

/*
 * Replay the execution that failed twice in full, and make a finding (initialised by the caller) of it; what goes on for ever without fulfilling
 * a formula is gone round once more besides.
 */
enum confirmation confirm_finding(struct session *session, const struct trace *failed,
				  const struct policy *policy, struct finding *finding);

/*
 * The first transition at which two executions differ in thread, choice, operation, object or result, their
 * places left aside; SIZE_MAX if none does and they end in the same way.
 */
size_t confirm_difference(const struct trace *a, const struct trace *b);

/* A transition in few words: "T2 mutex_lock". */
void confirm_describe(const struct trace *trace, size_t i, char text[80]);

/* The steps of a trace as a plan's prefix, to be freed; NULL without memory. */
struct step *confirm_steps(const struct trace *trace);

#endif
