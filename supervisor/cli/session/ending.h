#ifndef FMC_SUPERVISOR_CLI_SESSION_ENDING_H
#define FMC_SUPERVISOR_CLI_SESSION_ENDING_H

#include "supervisor/cli/options/options.h"

#include <fmc/supervisor/finding.h>
#include <fmc/supervisor/process.h>

#include <regex.h>

/*
 * How executions end as a person sees it: what the program has written to standard output, and its exit status, signal or failure. What
 * goes to standard errors is for people and programs' logs, and doesn't count.
 */
struct ending {
	uint64_t digest; /* of all that counts; never 0 */
	char *text; /* the part of the output that counts, zero-terminated; cut after ENDING_MOST bytes */
	size_t length;
	bool matched; /* the output has such a part */
	bool cut;
};

#define ENDING_MOST 65536

/* What counts, and which ending is expected: zeroed memory is for a session in which nobody asks. */
struct ending_rule {
	bool on;
	const char *part; /* an expression, borrowed; NULL: all of the output */
	regex_t compiled;
	uint64_t expected;   /* a digest; 0: nothing is expected */
	char *expected_text; /* the same as schedules have it: digest and text */
};

/* From the options; of the expression it is known that it can be compiled. */
void ending_rule_make(struct ending_rule *rule, const struct options *options);
void ending_rule_release(struct ending_rule *rule);

/* From now on executions that end well have to end like this one; false without memory. */
bool ending_expect(struct ending_rule *rule, const struct trace *trace, const struct ending *ending);

/* Has the execution come to an end that counts? Not one that was cut. */
bool ending_is_one(const struct trace *trace);

/* Look at an execution that is at such an end. Filled, to be released; false without memory. */
bool ending_see(const struct ending_rule *rule, const struct process *process, const struct trace *trace,
		struct ending *ending);
void ending_release(struct ending *ending);

/* Has it ended otherwise than is expected? */
bool ending_is_other(const struct ending_rule *rule, const struct trace *trace);

/* Say so in a finding that was collected from it; false without memory. */
bool ending_explain(const struct ending_rule *rule, const struct ending *ending, struct finding *finding);

#define ENDING_DIGEST 17
void ending_digest(uint64_t digest, char text[ENDING_DIGEST]);

/* "exit status 1", "SIGSEGV", "deadlock". */
#define ENDING_END 32
void ending_end(enum end_reason end, int value, char text[ENDING_END]);

/* The text in quotes on one line, cut to so many columns; "(nothing)", "(no such part)". To be freed; NULL without memory. */
char *ending_quote(const struct ending *ending, size_t columns);

#endif
