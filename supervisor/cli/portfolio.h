#ifndef FMC_CLI_PORTFOLIO_H
#define FMC_CLI_PORTFOLIO_H

#include "options.h"

/* One strategy of several that are tried in turn. */
struct phase {
	struct search_options search;
	uint64_t executions; /* at most; 0: no bound */
	double share;	     /* of the time budget that may have been used up when it ends */
	double part;	     /* of the time budget that it may use itself; 0: no bound */
	bool gives_up;	     /* it ends when there are far more executions than it has the time for */
};

#define PORTFOLIO_ROOM 12

/*
 * What to search with: one phase for a strategy that the user named, several for auto. Only random ones when
 * the program isn't repeatable: the others build on what earlier executions did. Returns how many; the last
 * *again of them are gone through again and again, each time with other seeds.
 */
size_t portfolio_make(const struct options *options, bool repeatable, struct phase phases[PORTFOLIO_ROOM],
		      size_t *again);

/*
 * When auto has run one execution of each class: a short try to run them all, which makes the verdict hold for threads
 * that share memory as they like. `used`: the part of the time budget that is gone.
 */
struct phase portfolio_whole(const struct options *options, double used);

/*
 * The same without fairness, for what it left out; one execution for each class if that was enough (`reduced`) with fairness.
 * `length`: transitions of the longest execution so far; who has far more will have any number of them.
 */
struct phase portfolio_unfair(const struct options *options, bool reduced, uint64_t length, double used);

#endif
