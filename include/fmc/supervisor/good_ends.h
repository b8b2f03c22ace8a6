#ifndef FMC_SUPERVISOR_GOOD_ENDS_H
#define FMC_SUPERVISOR_GOOD_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The ends of a process that count as good: exit statuses, 0 always among them, and signals. Zeroed memory is a set with
 * 0 alone.
 */
struct good_ends {
	uint64_t statuses[4]; /* bits */
	uint64_t signals;     /* bit s - 1 */
};

struct trace;

/* Add a list: "1,3,SIGTERM". False if it is none; then nothing of it may be believed. */
bool good_ends_parse(struct good_ends *ends, const char *list);

void good_ends_add(struct good_ends *ends, int status);
void good_ends_remove(struct good_ends *ends, int status);

/* Does the trace end in one of these? */
bool good_ends_expect(const struct good_ends *ends, const struct trace *trace);

/* "SIGTERM": its number; 0 if there is none of that name. */
int signal_by_name(const char *text, size_t length);

#define GOOD_ENDS_TEXT 2048

/* As good_ends_parse() takes it, without the 0; empty for a set with 0 alone. */
void good_ends_text(const struct good_ends *ends, char text[GOOD_ENDS_TEXT]);

#endif
