#ifndef FMC_SUPERVISOR_CLI_EXPLORE_PORTFOLIO_H
#define FMC_SUPERVISOR_CLI_EXPLORE_PORTFOLIO_H

#include "supervisor/cli/options/options.h"

/* One strategy of several that are tried in turn. */
struct phase {
	struct search_options search;
	uint64_t executions; /* at most; 0: no bound */
	double share;	     /* of the time budget that may have been used up when it ends */
	double part;	     /* of the time budget that it may use itself; 0: no bound */
	bool gives_up;	     /* it ends when there are far more executions than it has the time for */
	bool small; /* it is for programs without many executions, and the same follows without that bound */
};

#define PORTFOLIO_ROOM 32

/* Transitions after which the first executions are cut of a program that comes to no end. */
#define PORTFOLIO_SHORTEST 400

/* What is known of the program. */
struct portfolio_program {
	bool
	    repeatable; /* else only random strategies serve: the others build on what earlier executions did */
	bool
	    timeouts; /* it has some: the first phases of auto let them fire in order only, unless the user has said how they are to */
	uint64_t lead; /* transitions before a client begins */
	bool unending; /* it comes to no end: most executions of auto are cut early */
};

/*
 * What to search with: one phase for a strategy that the user named, several for auto. Returns how many; the last *again of them are
 * gone through again and again, each time with other seeds.
 */
size_t portfolio_make(const struct options *options, const struct portfolio_program *program,
		      struct phase phases[PORTFOLIO_ROOM], size_t *again);

/*
 * Is it a phase whose time-outs fire in order, or whose executions are cut early, though the user didn't say so? What it shows of all
 * executions is true of none but its own.
 */
bool portfolio_begins(const struct options *options, const struct phase *phase);

/*
 * When auto has run one execution of each class: a short try to run them all, which makes the verdict hold for threads
 * that share memory as they like. `used`: the part of the time budget that is gone.
 */
struct phase portfolio_whole(const struct options *options, double used);

/*
 * The same without fairness, for what it left out; one execution for each class if that was enough (`reduced`) with fairness.
 * `length`: transitions of the longest execution so far; one that has far more will have any number of them.
 */
struct phase portfolio_unfair(const struct options *options, bool reduced, uint64_t length, double used);

#endif
