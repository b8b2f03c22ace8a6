#ifndef FMC_SUPERVISOR_TREE_ESTIMATE_H
#define FMC_SUPERVISOR_TREE_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How many executions a systematic search has in all, guessed from those that it has run. Pure: knows of the search
 * tree only what it is told.
 *
 *     struct estimate *estimate = estimate_new(ESTIMATE_FIXED);
 *     after each execution: estimate_add(estimate, path, length);
 *     when asked:           estimate_guess(estimate, &guess);
 *
 * The path lists the nodes from the root to the execution's end. A depth-first search puts there the alternatives of
 * each transition that it means to try, and the one taken. A search by bounds has a tree for each bound, the root of
 * which branches into the items of the bound; the executions of earlier bounds are added to its guess.
 */
struct estimate;

enum estimate_tree {
	/* How often a node branches is known when it is first met. Executions come in any order. */
	ESTIMATE_FIXED,
	/*
	 * It may grow while executions below the node come, as in reductions, where races ask for more branches.
	 * Executions come depth first: the one that leaves a node behind says that it is done. Branches are numbered from
	 * 0 as they are begun, and how many there are is what is known after the execution has been looked at. From
	 * one that comes back to a node that was left on, nothing is guessed.
	 */
	ESTIMATE_GROWING,
};

struct estimate_branch {
	uint32_t degree; /* branches of this node, those not yet tried among them; at least 1 */
	uint32_t taken;	 /* the one on the path: a number that no other branch of the node has */
};

struct estimate_guess {
	double executions; /* 0: nothing can be said */
	/*
	 * It is between these in nine of ten trees; the guess itself is within a factor of two of the truth in half of
	 * them when a tenth has been run (earlier it is too low for trees that grow), in two thirds when a third has
	 * been (tests/unit/test_estimate.c). That is no confidence in the sense of statistics, for a search is no
	 * random sample. Both 0 where too little has been seen: fewer than 100 executions, or nothing finished
	 * near the top of the tree.
	 */
	double low, high;
};

struct estimate *estimate_new(enum estimate_tree kind); /* NULL without memory */
void estimate_free(struct estimate *estimate);

/* Forget all executions. */
void estimate_clear(struct estimate *estimate);

/* Guess nothing any more, until cleared: executions were run that the estimate hasn't seen. */
void estimate_stop(struct estimate *estimate);

/*
 * One more execution, none twice. Only nodes with unfinished branches take memory; without memory nothing is guessed from
 * then on.
 */
void estimate_add(struct estimate *estimate, const struct estimate_branch *path, size_t length);

/*
 * The executions of the whole tree, by Knuth's rule (Estimating the Efficiency of Backtrack Programs, 1975) weighted by
 * the part of each subtree that has been run (Kilby et al., Estimating Search Tree Size, AAAI 2006): branches that have
 * not been tried are as large as those that have, on average. The interval comes from how much finished branches
 * of one node differ in size, at the same level of the tree or, where none are finished there, a little below.
 */
void estimate_guess(struct estimate *estimate, struct estimate_guess *guess);

#endif
