#ifndef FMC_WAKING_H
#define FMC_WAKING_H

#include <fmc/op.h>

/*
 * Rules of who gets what several threads wait for, as text: `mutex=fifo,queue.lock=lifo,spurious=2`. A rule is
 * for all objects of a class, or for one by its name; later ones count. `spurious=N` is how often a condition
 * variable may wake somebody without a signal.
 */

/* NULL if this is one rule as in the text above; else why not, as the end of a sentence. */
const char *waking_refusal(const char *rule);

/* Apply the rules to an object of state->class. `name` may be NULL: then only rules for classes count. */
void waking_apply(const char *rules, const char *name, struct object_state *state);

/* Does a rule name an object, so that names are needed? */
bool waking_wants_names(const char *rules);

#endif
