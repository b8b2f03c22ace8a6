#ifndef FMC_BREAKPOINTS_CODE_UNFOLLOWED_H
#define FMC_BREAKPOINTS_CODE_UNFOLLOWED_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Functions of other modules that a module calls, and that may touch memory for it, though it isn't known which: those that are
 * neither in memory_calls.h nor known to touch none. What executions do to memory isn't seen as a whole where there are such.
 */
struct unfollowed {
	char **names; /* in their order */
	size_t length;
	bool failed; /* there was no memory for all of them */
};

/* One that is called; those that are known, or here already, change nothing. */
void unfollowed_add(struct unfollowed *unfollowed, const char *name);

/* A module whose own code is watched has it. */
void unfollowed_drop(struct unfollowed *unfollowed, const char *name);

/* "functions that aren't followed: strfry, wordexp and 3 more"; empty: there are none. */
void unfollowed_text(const struct unfollowed *unfollowed, char *text, size_t room);

void unfollowed_release(struct unfollowed *unfollowed);

#endif
