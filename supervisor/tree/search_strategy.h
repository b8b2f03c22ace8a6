#ifndef FMC_SUPERVISOR_TREE_SEARCH_STRATEGY_H
#define FMC_SUPERVISOR_TREE_SEARCH_STRATEGY_H

#include <fmc/supervisor/saved.h>
#include <fmc/supervisor/search.h>

/*
 * What a strategy is to search/search.c. search/search.c counts executions and depth cuts and fills in the plan's policy; a
 * strategy says what comes next and learns what came of it.
 */
struct strategy_ops {
	const char *name;
	bool random;	/* by chance, for ever */
	bool bounded;	/* options.bound is raised from 0 */
	uint32_t usual; /* options.bound where none is named; 0: the strategy takes none */
	void *(*create)(const struct search_options *options); /* NULL without memory */
	void (*destroy)(void *strategy);
	bool
	    several; /* next() may be called while plans are out; else search/search.c waits for their traces */
	/* Prefix, kind of policy and seed of the next plan, whose ticket is there. */
	enum search_answer (*next)(void *strategy, struct plan *plan);
	/* STATUS_OK, STATUS_DIVERGED, STATUS_NO_MEMORY. */
	enum status (*feed)(void *strategy, uint64_t ticket, const struct trace *trace);
	bool
	    split; /* can be divided among shards: next() fills in plan->elsewhere, of at most one that is out */
	/* bound, complete, bound_met, estimate; `executions` is already there. */
	void (*progress)(const void *strategy, struct search_progress *progress);
	/*
	 * All that next() and feed() go by, plans that are out as still to be run; NULL: can't be saved. load()
	 * gets a strategy that is new, created with the same options; false: the bytes can't be what save()
	 * wrote, or no memory. Then nothing but destroy() follows. Bytes that could be must do no harm: what came
	 * of them may be no prefix that the program follows.
	 */
	void (*save)(const void *strategy, struct saver *saver);
	bool (*load)(void *strategy, struct loader *loader);
	const struct strategy_parts_ops *parts; /* NULL: it isn't given in parts */
};

/* As the calls of search.h that are called alike; search/search.c counts executions and depth cuts of parts, too. */
struct strategy_parts_ops {
	enum search_answer (*give)(void *strategy, uint64_t ticket, size_t wanted, struct saver *part);
	/* Into a strategy that is new: from then on it is that of the part. False: no part, or no memory. */
	bool (*begin)(void *strategy, struct loader *part);
	bool (*tells)(const void *strategy, size_t *from);
	void (*save)(const void *strategy, struct saver *rest);
	enum status (*hear)(void *strategy, uint64_t ticket, size_t from, const struct trace *trace);
	/* `executions`: that the part has come to. False: no rest, or no memory. */
	bool (*take_back)(void *strategy, uint64_t ticket, size_t wanted, uint64_t executions,
			  struct loader *rest);
	bool (*lose)(void *strategy, uint64_t ticket); /* false without memory */
};

extern const struct strategy_ops search_dfs, search_context_bound, search_delay, search_bpor, search_random,
    search_pct, search_pos, search_surw, search_recur, search_source, search_optimal;

#endif
