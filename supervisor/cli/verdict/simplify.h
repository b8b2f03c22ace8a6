#ifndef FMC_SUPERVISOR_CLI_VERDICT_SIMPLIFY_H
#define FMC_SUPERVISOR_CLI_VERDICT_SIMPLIFY_H

#include "supervisor/cli/options/options.h"
#include "supervisor/cli/session/session.h"
#include "supervisor/cli/verdict/verdict.h"

#include <fmc/replay/minimize.h>

/* A failure after minimising, with what is to be said about it. */
struct simplified {
	struct minimized result;
	struct finding
	    passing; /* the nearest execution that ends well; kind FINDING_NONE, no trace if there is none */
	bool replaced; /* the reported finding is the minimised one */
	double seconds;
};

struct simplify_budget {
	double seconds;	     /* 0: no bound */
	uint64_t executions; /* 0: no bound */
	uint64_t seed;
	uint32_t proven;	 /* as in struct minimize_options, */
	bool depth, sees_memory; /* as are these */
	uint64_t last;		 /* by clock_now(): replays of what was found end then, too; 0: no limit */
};

/*
 * Minimise a reported failure: its finding and policy are replaced by those of the minimised schedule when that
 * one replays twice, and reported->simplified is set. Without memory or time the report stays as it is.
 */
void simplify(struct session *session, struct reported *reported, const struct simplify_budget *budget);

/*
 * Leave a failure as it is, and look for the transition from which on it can't be avoided and for the nearest execution that
 * ends well: into *result, which is initialised by the caller.
 */
void simplify_criticize(struct session *session, const struct finding *failed, const struct policy *policy,
			const struct simplify_budget *budget, struct minimized *result);

/* Run the passing execution of a result once more, for a finding (initialised) with names and places. False if it differs. */
bool simplify_pass(struct session *session, const struct minimized *result, struct finding *passing);

void simplified_free(struct simplified *simplified); /* NULL is allowed */

/* What minimising came to: sizes before and after, the critical transition, the passing execution beside it. */
void simplified_print(const struct reported *reported, const struct options *options, FILE *stream);

#endif
