#ifndef FMC_SUPERVISOR_WAKING_H
#define FMC_SUPERVISOR_WAKING_H

#include <fmc/breakpoints/op.h>

/*
 * Rules of who gets what several threads wait for, as text: `mutex=fifo,queue.lock=lifo,spurious=2`. A rule is
 * for all objects of a class, or for one by its name; later ones count. `spurious=N` is how often a condition
 * variable may wake somebody without a signal.
 */

/* NULL if this is one rule as in the text above; else why not, as the end of a sentence. */
const char *waking_refusal(const char *rule);

/*
 * Apply the rules to an object of state->class. `name` may be NULL: then only rules for classes count. Returns which
 * ones were for it, of those for one object also by a longer name (namer_name()) that ends with this one: bit i is the i-th, those after the 64th have none.
 */
uint64_t waking_apply(const char *rules, const char *name, struct object_state *state);

#define WAKING_NAME 128

/* The first rule that names an object and isn't among `used`: that name. False if there is none. */
bool waking_idle(const char *rules, uint64_t used, char name[WAKING_NAME]);

/* Does a rule name an object, so that names are needed? */
bool waking_wants_names(const char *rules);

#endif
