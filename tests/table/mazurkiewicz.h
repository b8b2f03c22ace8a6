#ifndef FMC_TESTS_MAZURKIEWICZ_H
#define FMC_TESTS_MAZURKIEWICZ_H

#include "brute.h"

/*
 * The Mazurkiewicz traces of a toy program by enumeration of its prefixes, those merged that differ only in
 * the order of independent transitions. Which are is decided here once more, by the results of operations and
 * by who was woken, and a trace is written down as the history of every object: nothing of model/dependence.c or
 * order/happens_before.c is used.
 */
struct mazurkiewicz {
	/* What to do. */
	const struct table_program *program;
	uint32_t fair_k;
	size_t limit; /* prefixes after which to give up */
	uint32_t max_depth;
	/* What came of it. */
	bool gave_up;
	bool yields_twice;	  /* some thread, in some execution */
	bool crashes;		  /* an operation ended the process that isn't there for it */
	bool spurious;		  /* some wakeup without a reason was open */
	uint64_t deadlocks;	  /* traces that end in one */
	struct hash_set traces;	  /* digests of the maximal ones */
	struct hash_set finals;	  /* state_digest() at their ends */
	struct hash_set prefixes; /* digests of all */
};

void mazurkiewicz_run(struct mazurkiewicz *all);
void mazurkiewicz_release(struct mazurkiewicz *all);

/* The digest of the trace of this execution, and of its final state. */
uint64_t mazurkiewicz_digest(const struct table_program *program, const struct step *steps, size_t length,
			     uint64_t *final);

#endif
