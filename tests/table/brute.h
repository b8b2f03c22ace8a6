#ifndef FMC_TESTS_BRUTE_H
#define FMC_TESTS_BRUTE_H

#include "table.h"

/*
 * Every execution of a toy program by plain recursion over copies of its state: no plans, no traces, no
 * policy/fair.c, none of the search. What the search must agree with.
 *
 * An execution is known by a digest of its steps, cut at max_depth.
 */
#define BRUTE_COSTS 32

struct hash_set {
	uint64_t *slots; /* 0 is free */
	size_t room, count;
};

void hash_set_init(struct hash_set *set);
void hash_set_release(struct hash_set *set);
bool hash_set_add(struct hash_set *set, uint64_t member); /* false: it was there */
bool hash_set_has(const struct hash_set *set, uint64_t member);
bool hash_set_subset(const struct hash_set *a, const struct hash_set *b);

/* To be folded over the steps of an execution, from 1. */
uint64_t step_digest(uint64_t digest, uint32_t thread, int32_t choice);

/* Of the program's whole state. */
uint64_t state_digest(const struct model *model, const struct table_state *state);

struct brute {
	/* What to do. */
	const struct table_program *program;
	uint32_t fair_k; /* 0: every enabled thread is schedulable */
	bool ordered; /* a time-out or a sleep waits for all that needs none, and for those that end sooner */
	uint32_t max_depth;
	uint64_t limit; /* executions after which to give up */
	/* What came of it. */
	bool gave_up;
	uint64_t executions;
	uint64_t cut;		       /* of those, stopped at max_depth */
	uint64_t deadlocks;	       /* of those, ended in a deadlock */
	uint64_t by_cost[BRUTE_COSTS]; /* executions by their number of preemptions */
	struct hash_set sequences;
	struct hash_set finals; /* states at the end of executions that were not cut */
	struct hash_set states; /* all states come by */
};

void brute_run(struct brute *brute);
void brute_release(struct brute *brute);

/* The states that can be reached without a yield (yield count zero). False: more than `limit`. */
bool brute_yield_free(const struct table_program *program, size_t limit, struct hash_set *states);

#endif
