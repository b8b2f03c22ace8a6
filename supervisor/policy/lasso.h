#ifndef FMC_SUPERVISOR_POLICY_LASSO_H
#define FMC_SUPERVISOR_POLICY_LASSO_H

#include <fmc/supervisor/machine.h>

/*
 * Proof of a divergence: a state that repeats exactly. Past the depth bound an execution
 * is watched for a state equal to an earlier one; the transitions between the two can then be repeated for
 * ever.
 *
 * Brent's cycle finding (BIT 20, 1980): one state is kept as the base and replaced at distances that double,
 * so that a cycle is found however long its way in is, at the price of one digest of the machine each time
 * the model looks like the base's.
 *
 * The fair scheduler's sets need not repeat: the program's state alone says that the loop can go on.
 */
struct lasso {
	bool active;
	size_t base;	/* transition before which the base state was */
	size_t renewal; /* distance from the base at which a new one is taken */
	size_t depth;	/* trace length at which to begin; 0: never */
	size_t limit;	/* at which to give up: the depth itself without fairness */
	size_t longer;	/* at which to give up for good; 0: at the limit */
	bool blind;	/* no cycle is looked for */
	bool early;	/* this is only the beginning: it is to start again at `later` */
	size_t later;	/* as depth */
	uint64_t model;
	uint64_t machine[2];
};

/*
 * Watch a new execution from policy->max_depth transitions on; 0 never. Where no loop is seen it goes on unwatched up to policy->longer.
 * Where it isn't to be watched, as without fairness, it ends there: loops are mostly the scheduler's own then, and searches up to a depth
 * are what [FAIR] compares with. With policy->early the beginning is watched, too.
 */
void lasso_start(struct lasso *lasso, const struct policy *policy);

/* After the start: somebody else looks for cycles. It ends at the same depth. */
void lasso_only_cut(struct lasso *lasso);

/* The cycle that has been seen is none: look for others from here on. */
void lasso_again(struct lasso *lasso);

/* The same, `now`: that cycle, of so many transitions, is to be seen once more, though that may take longer than it is watched for otherwise. */
void lasso_longer(struct lasso *lasso, size_t now, size_t cycle);

/* So many transitions from here on come to states that lasso_ends() doesn't look at, but the last of them. */
size_t lasso_unwatched(const struct lasso *lasso, size_t length);

/*
 * To be asked at each state before the next choice. True: the execution ends here, and trace->end
 * (END_LIVELOCK, END_NO_YIELD, END_GOES_ON, END_DEPTH), loop_start and end_thread are filled in.
 */
bool lasso_ends(struct lasso *lasso, struct machine *machine, const struct model *model, struct trace *trace);

#endif
