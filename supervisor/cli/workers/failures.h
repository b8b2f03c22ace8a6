#ifndef FMC_SUPERVISOR_CLI_WORKERS_FAILURES_H
#define FMC_SUPERVISOR_CLI_WORKERS_FAILURES_H

#include "supervisor/cli/verdict/verdict.h"

/*
 * Which failures are the same. The signature of a finding says so, but it takes two more executions and a look
 * at stacks: so an execution that ends just as a known one did, by its trace, is only counted.
 */
struct failures {
	struct failure {
		uint64_t digest; /* of how the trace ends */
		size_t reported; /* in verdict.reported */
	} * known;
	size_t length;
};

void failures_release(struct failures *failures);

/* Executions that end like this are counted with that one; false without memory. */
bool failures_know(struct failures *failures, uint64_t digest, size_t reported);

/* How an execution has ended: others that end like it have the same number. */
uint64_t failures_digest(const struct trace *trace);

/* Is a failure known that ends like that? */
bool failures_known(const struct failures *failures, uint64_t digest);

/* So many more executions, or fewer, have ended like that; none is counted if no failure is known that does. */
void failures_count_more(const struct failures *failures, struct verdict *verdict, uint64_t digest,
			 int64_t executions);

/* Count an execution that failed; false if nothing like it is known. */
bool failures_count(struct failures *failures, struct verdict *verdict, const struct trace *trace);

/*
 * A confirmed failure of this trace: report it, or count it with the reported one of the same signature, whose finding it becomes if more
 * was known than there, unless that is written. Takes how->finding; false without memory, then it remains the caller's.
 */
bool failures_add(struct failures *failures, struct verdict *verdict, const struct trace *trace,
		  const struct reported *how, const char *phase);

#endif
