#ifndef FMC_SUPERVISOR_COMBINATIONS_H
#define FMC_SUPERVISOR_COMBINATIONS_H

#include <fmc/supervisor/search.h>

/*
 * Which ways to search combine, and why others don't. Everything that a user can ask for is a feature; a pair
 * that is refused is a line of the table in search/combinations.c, with the reason.
 */
enum feature {
	FEATURE_AUTO = 1 << 0,		/* a portfolio */
	FEATURE_DFS = 1 << 1,		/* every execution, one after the other */
	FEATURE_PREEMPTIONS = 1 << 2,	/* cb */
	FEATURE_DELAYS = 1 << 3,	/* delay */
	FEATURE_BPOR = 1 << 4,		/* backtrack sets under a bound */
	FEATURE_SLEEP_SETS = 1 << 5,	/* source, optimal */
	FEATURE_RANDOM = 1 << 6,	/* random, pct, pos, surw */
	FEATURE_BOUND = 1 << 7,		/* a number after the strategy's name */
	FEATURE_CACHE = 1 << 8,		/* happens-before caching asked for */
	FEATURE_NO_FAIR = 1 << 9,	/* fairness switched off */
	FEATURE_FAIR_K = 1 << 10,	/* only every k-th yield counts */
	FEATURE_THREAD_DEPTH = 1 << 11, /* threads have budgets */
	FEATURE_SPURIOUS = 1 << 12,	/* condition variables wake without a signal */
	FEATURE_FIRST = 1 << 13,	/* stop at the first failure */
	FEATURE_ALL = 1 << 14,		/* go on after failures */
	FEATURE_JOBS = 1 << 15,		/* several executions at a time */
	FEATURE_RESUME = 1 << 16,	/* the search is kept in a file */
	FEATURE_SHARD = 1 << 17,	/* and divided among several that know nothing of each other */
};

/* The features of a strategy with its options. */
unsigned combination_features(const struct search_options *options);

/*
 * Why these can't be had together: a sentence without its full stop, with what each of the two is called.
 * NULL: they can.
 */
const char *combination_refused(unsigned features, const char **one, const char **other);

/* The table, for those who print it: line i, false past the last. */
bool combination_line(size_t i, const char **one, const char **other, const char **reason);

#endif
