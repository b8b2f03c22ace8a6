#ifndef FMC_SUPERVISOR_CLI_EXPLORE_PARTING_H
#define FMC_SUPERVISOR_CLI_EXPLORE_PARTING_H

#include "supervisor/cli/session/session.h"
#include "supervisor/cli/verdict/outcomes.h"

/* An execution and what it came to. */
struct parting_end {
	const struct step *steps;
	size_t length;
	uint64_t digest; /* of its outcome */
};

/*
 * Where do two executions part? Between them are others that begin as the second and go on as the first; two of those that differ in the
 * order of two neighbouring transitions alone, and in what they come to, are looked for by halving, with some executions as long as these.
 * False: none were found before the session's deadline.
 */
bool parting_find(struct session *session, const struct parting_end *one, const struct parting_end *other,
		  const struct policy *policy, struct outcome_race *race);

#endif
