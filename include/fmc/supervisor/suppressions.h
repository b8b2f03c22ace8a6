#ifndef FMC_SUPERVISOR_SUPPRESSIONS_H
#define FMC_SUPERVISOR_SUPPRESSIONS_H

#include <fmc/tracer/status.h>

#include <stdbool.h>
#include <stddef.h>

/*
 * What a user doesn't want to be told, in the form of ThreadSanitizer's suppressions: a line for each, KIND:PATTERN. Empty lines and
 * those that begin with # count for nothing. A pattern is found anywhere in a name, unless it begins with ^ or ends with $; * stands
 * for any characters.
 */
enum suppression_kind {
	SUPPRESSION_RACE,     /* race: any name that a race is told with */
	SUPPRESSION_RACE_TOP, /* race_top: one of the innermost frames of its stacks */
};

struct suppression {
	enum suppression_kind kind;
	char *pattern;
};

struct suppressions {
	struct suppression *at;
	size_t length;
	char *others; /* kinds that aren't about races, each once: "deadlock, thread"; NULL: there are none */
};

#define SUPPRESSIONS_WHY 128

/*
 * Take a file's text apart into an empty structure, which is to be released in any case. STATUS_OK; STATUS_MALFORMED: *why says in
 * which line, and why ("line 3: there is no colon"); STATUS_NO_MEMORY.
 */
enum status suppressions_parse(struct suppressions *suppressions, const char *text, size_t length,
			       char why[SUPPRESSIONS_WHY]);

/* The same from a file. STATUS_SYSTEM: it can't be read, errno says why. */
enum status suppressions_read(struct suppressions *suppressions, const char *path,
			      char why[SUPPRESSIONS_WHY]);
void suppressions_release(struct suppressions *suppressions); /* and makes it empty */

/* Does one of this kind have a pattern for the name? NULL is no name. */
bool suppressions_match(const struct suppressions *suppressions, enum suppression_kind kind,
			const char *name);

#endif
