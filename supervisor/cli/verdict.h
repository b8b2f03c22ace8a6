#ifndef FMC_CLI_VERDICT_H
#define FMC_CLI_VERDICT_H

#include <fmc/finding.h>

#include <stdio.h>

#define VERDICT_REASONS 24

/* What came of a command, to be said honestly: to people, as JSON, as an exit status. */
struct verdict {
	char strategy[64];
	uint64_t executions, transitions;
	uint64_t unmodelled; /* operations, in all executions */
	double seconds;
	bool complete;			/* nothing was left out; only without reasons */
	bool alone;			/* the program never started a second thread */
	char *because[VERDICT_REASONS]; /* why the search isn't complete */
	size_t reasons;
	struct finding finding; /* kind FINDING_NONE: nothing found */
	char *schedule;		/* file written; NULL if none */
};

void verdict_init(struct verdict *verdict);
void verdict_release(struct verdict *verdict);

/* Add a reason why nothing can be said about all executions. The same text is kept once. */
void verdict_because(struct verdict *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What a search without a finding has shown, and what it hasn't. `conditions`: "fairness k = 1, ...". */
void verdict_print(const struct verdict *verdict, const char *conditions, FILE *stream);

#endif
