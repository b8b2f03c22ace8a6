#ifndef FMC_BREAKPOINTS_EFFECTS_UNFOLLOWED_H
#define FMC_BREAKPOINTS_EFFECTS_UNFOLLOWED_H

#include "breakpoints/effects/memory_calls.h"

/*
 * Functions of other modules that a module calls, and that may touch memory for it, though it isn't known which: those that are
 * neither in memory_calls.h nor known to touch none. What an execution does to memory isn't seen as a whole where it calls one.
 */
struct unfollowed_function;

struct unfollowed {
	struct unfollowed_function **at; /* in the order of their names */
	size_t length;
	bool failed; /* there was no memory for all of them */
};

/*
 * One that may be called, by which sites know it (memory_call_unknown()) until it is released; NULL: it is known what it touches, or
 * there is no memory.
 */
const struct memory_call *unfollowed_add(struct unfollowed *unfollowed, const char *name);

/* The same whatever is known of it: it has been called in a way of which nothing is. */
const struct memory_call *unfollowed_note(struct unfollowed *unfollowed, const char *name);

/* That it is called may be missed: it counts as called. */
void unfollowed_may_be_missed(struct unfollowed *unfollowed, const char *name);

/* A module whose own code is watched has it. */
void unfollowed_is_watched(struct unfollowed *unfollowed, const char *name);
/* Is a call of this one worth to be seen? Not of what is watched. */
bool unfollowed_matters(const struct memory_call *call);

/* Add those whose calls may be missed to these. */
void unfollowed_add_missed(const struct unfollowed *from, struct unfollowed *unfollowed);

/* "functions that aren't followed: strfry, wordexp and 3 more"; empty: there are none. */
void unfollowed_text(const struct unfollowed *unfollowed, char *text, size_t room);

void unfollowed_release(struct unfollowed *unfollowed);

#endif
