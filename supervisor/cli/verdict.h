#ifndef FMC_CLI_VERDICT_H
#define FMC_CLI_VERDICT_H

#include <fmc/finding.h>

#include <stdio.h>

#define VERDICT_REASONS 24

struct simplified;

/* A failure, or an execution that is to be kept. */
struct reported {
	struct finding finding;
	char *schedule;	    /* file written; NULL if none */
	uint64_t count;	    /* executions that ended like this */
	uint64_t execution; /* number of the first of them */
	double seconds;	    /* when it was found */
	char phase[32];	    /* by which strategy */
	struct policy policy;
	/* No fair execution with fewer preemptions than this fails like this: the search has shown it */
	uint32_t least_preemptions;
	struct simplified *simplified; /* what minimising came to; NULL if it wasn't tried */
};

enum warning { WARNING_LOCK_ORDER, WARNING_LEAK, WARNINGS };

/* What came of a command, to be said honestly: to people, as JSON, as an exit status. */
struct verdict {
	char strategy[64];
	uint64_t executions, transitions;
	uint64_t unmodelled; /* operations, in all executions */
	bool atomics;	     /* threads were switched at atomic instructions of the program, too */
	bool reduced;	     /* complete but for executions that are equivalent to others */
	uint64_t classes;    /* executions that differ in more than the order of independent operations */
	double saturation;   /* the share of the last executions that were of classes seen before */
	double estimate;     /* of the executions there are in all; 0: none can be given */
	double estimate_low; /* with 95 % confidence, if below estimate_high */
	double estimate_high;
	double seconds;
	bool complete;			/* nothing was left out; only without reasons */
	bool alone;			/* the program never started a second thread */
	char *because[VERDICT_REASONS]; /* why the search isn't complete */
	size_t reasons;
	char *warnings[WARNINGS]; /* NULL: none of this kind */
	struct reported *reported;
	size_t reported_length;
};

void verdict_init(struct verdict *verdict);
void verdict_release(struct verdict *verdict);

/*
 * One more to report, its finding initialised; valid until the next call. NULL without memory. Where its
 * finding keeps the kind FINDING_NONE it is no failure.
 */
struct reported *verdict_report(struct verdict *verdict);

size_t verdict_failures(const struct verdict *verdict);

/* Add a reason why nothing can be said about all executions. The same text is kept once. */
void verdict_because(struct verdict *verdict, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Add a warning; the first of each kind is kept. */
void verdict_warn(struct verdict *verdict, enum warning kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void verdict_print_warnings(const struct verdict *verdict, FILE *stream);

/* What a search has shown, and what it hasn't. `conditions`: "fairness k = 1, ...". */
void verdict_print(const struct verdict *verdict, const char *conditions, FILE *stream);

#endif
