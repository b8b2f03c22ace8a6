#ifndef FMC_SUPERVISOR_TEMPORAL_FORMULA_H
#define FMC_SUPERVISOR_TEMPORAL_FORMULA_H

#include <fmc/breakpoints/expression.h>

/*
 * Formulas of linear temporal logic (Pnueli 1977) over propositions 0 to 63, in negation normal form, each there once: equal ones have
 * equal numbers, and parts lower ones than what they are part of.
 *
 * A program's execution is one word: a finite one that stays in its last state for ever, or a stem and a loop, on which a formula is evaluated
 * by its definition. While the word grows the formula is progressed through it (Bacchus and Kabanza 2000): what has to hold of the
 * rest, which may come to be nothing or impossible. How far a formula that isn't decided yet has got is the business of automaton.h.
 */
enum formula_kind {
	FORMULA_TRUE,
	FORMULA_FALSE,
	FORMULA_HOLDS, /* proposition a */
	FORMULA_FAILS, /* its negation */
	FORMULA_AND,
	FORMULA_OR,
	FORMULA_NEXT,	 /* X a */
	FORMULA_UNTIL,	 /* a U b */
	FORMULA_RELEASE, /* a R b */
};

/* These two are always there. */
#define FORMULA_ALWAYS 0u /* true */
#define FORMULA_NEVER  1u /* false */
#define NO_FORMULA     UINT32_MAX

struct formula {
	enum formula_kind kind;
	uint32_t a, b;
};

struct formulas {
	struct formula *at;
	uint32_t length, room;
	uint32_t *slots; /* hash table of numbers plus 1 */
	uint32_t slots_room;
};

bool formulas_init(struct formulas *formulas); /* false without memory */
void formulas_release(struct formulas *formulas);

/* NO_FORMULA without memory, and where a part is that. */
uint32_t formula_make(struct formulas *formulas, enum formula_kind kind, uint32_t a, uint32_t b);
uint32_t formula_negate(struct formulas *formulas, uint32_t formula);

/* What has to hold from the next state on if `formula` holds from this one on, in which the propositions of these bits hold. */
uint32_t formula_progress(struct formulas *formulas, uint32_t formula, uint64_t state);

/* Mark the formula and all parts of it by their numbers: of parts[0] to parts[formula]. */
void formula_parts(const struct formulas *formulas, uint32_t formula, bool parts[]);

/* Does X stand in it? Then it tells words apart that differ in how often a state is repeated. */
bool formula_counts(const struct formulas *formulas, uint32_t formula);

/*
 * Does the word fulfil it whose states are those, and after the last one from states[loop] on again and again? `length` > `loop`. *failed:
 * no memory.
 */
bool formula_fulfilled(const struct formulas *formulas, uint32_t formula, const uint64_t states[],
		       size_t length, size_t loop, bool *failed);

/* What a proposition in a text is: its number, or -1 after *problem has been filled. `quoted`: an expression, not a name. */
struct proposition_finder {
	void *context;
	int (*find)(void *context, const char *text, size_t length, bool quoted, size_t at,
		    struct expression_problem *problem);
};

/*
 *     ! X F G   then U R W, to the right   then && || -> <->
 *
 * [] and <> are G and F. NO_FORMULA: what is in *problem.
 */
uint32_t formula_parse(struct formulas *formulas, const char *text, const struct proposition_finder *finder,
		       struct expression_problem *problem);

#endif
