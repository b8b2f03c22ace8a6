#ifndef FMC_SUPERVISOR_TREE_ESTIMATE_TREE_H
#define FMC_SUPERVISOR_TREE_ESTIMATE_TREE_H

#include "supervisor/tree/estimate.h"

/*
 * What estimate.c and estimate_guess.c share: the nodes that have executions below them and aren't finished. A
 * branch that is finished goes into the sums of its node.
 */
struct estimate_node {
	struct estimate_node *parent, *child, *next; /* child: the first open branch */
	uint32_t level;				     /* nodes above */
	uint32_t taken;				     /* which branch of the parent */
	uint32_t degree, closed, open;		     /* branches: known, finished, with a node of their own */
	double sum, squares;			     /* of the sizes of finished branches */
	double ranked;				     /* of size times how many were finished before */
	/* Of the guess: executions below, how far off that may be, the part that has been run. */
	double size, deviation, share;
};

/* What the finished nodes of one level have shown. */
struct estimate_level {
	double groups; /* nodes with two branches or more */
	double spread; /* summed over them: variance of the branches' sizes over the square of their mean */
	double
	    slope; /* summed over them: how much a branch is larger than the one before it, over the mean */
};

struct estimate {
	enum estimate_tree kind;
	struct estimate_node *root; /* NULL before the first execution, and when all is finished */
	struct estimate_level *levels;
	size_t levels_length;
	uint64_t executions;
	bool broken; /* an execution was lost */
};

/* The spread among the finished branches of a node, of which there are two or more. */
double estimate_spread(const struct estimate_node *node);

#endif
