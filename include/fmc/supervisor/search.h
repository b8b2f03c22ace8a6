#ifndef FMC_SUPERVISOR_SEARCH_H
#define FMC_SUPERVISOR_SEARCH_H

#include <fmc/supervisor/trace.h>
#include <fmc/tracer/must_check.h>

/*
 * A search hands out plans and is fed the traces that came of them. It never runs anything.
 *
 *     while (search_next(search, &plan)) { run it; search_feed(search, plan.ticket, &trace); }
 *
 * Several plans may be out at once, their traces fed in any order: what is explored in the end is the same; with
 * search_options.cache up to the order of independent transitions, and in more or fewer executions.
 */
struct search;
struct saver;
struct loader;

enum strategy {
	STRATEGY_DFS,	 /* every fair execution, depth first */
	STRATEGY_CB,	 /* iterative preemption bounding: 0, 1 ... bound preemptions ([CB], PLDI 2007) */
	STRATEGY_DELAY,	 /* the same for delays of a deterministic scheduler (Emmi et al., POPL 2011) */
	STRATEGY_BPOR,	 /* cb by another algorithm, to check it with (Coons et al., OOPSLA 2013) */
	STRATEGY_RANDOM, /* independent random executions, for ever */
	STRATEGY_PCT,	 /* random priorities with `bound` - 1 changes (Burckhardt et al., ASPLOS 2010) */
	STRATEGY_POS,	 /* a random priority for each operation (Yuan et al., CAV 2018) */
	STRATEGY_SURW,	 /* selectively uniform random walks (Zhao et al., ASPLOS 2025) */
	STRATEGY_RECUR,	 /* random choices by the state alone: loops are gone round until they are proven */
	STRATEGY_SOURCE, /* source-DPOR with sleep sets: every Mazurkiewicz trace (Abdulla et al., POPL 2014) */
	STRATEGY_OPTIMAL, /* the same with wakeup trees: and each of them once */
	STRATEGIES
};

struct search_options {
	enum strategy strategy;
	/* STRATEGY_CB, STRATEGY_DELAY: highest number of preemptions or delays, UINT32_MAX: as many as there
	 * are; STRATEGY_PCT: the depth d of failures to aim at, 1 to POLICY_CHANGES + 1. */
	uint32_t bound;
	bool cache; /* bounded strategies: leave out what follows equivalent beginnings */
	/*
	 * Where something is left out: whatever memory the threads share they access under operations that
	 * are seen, futex words included: where atomic instructions are operations. Else a futex call says that they don't.
	 */
	bool sees_memory;
	bool apart; /* optimal: as in struct policy, as long as nothing shows that it isn't worth it */
	uint64_t seed;
	uint32_t fair_k;
	bool ordered; /* time-outs: as in struct policy */
	bool
	    every_round; /* loops that wait go each of their rounds, in vain or not: policy.once_round is never set */
	uint64_t max_depth;
	bool unwatched;		   /* and no loops are looked for there: as in struct policy */
	bool early;		   /* they are from the beginning on: as in struct policy */
	uint64_t max_thread_depth; /* transitions of one thread; 0: no bound */
	/*
	 * Search one part of `shards` alone, the one of number `shard` from 0; 0: all of it. Strategies for which strategy_split()
	 * is true.
	 */
	uint32_t shard, shards;
};

struct search_progress {
	uint64_t executions;
	uint32_t bound;	       /* of bounded strategies: the one being worked on */
	bool complete;	       /* every fair execution has been run (dfs), or all within the bound */
	bool bound_met;	       /* executions beyond the bound exist and were left out */
	uint64_t cut_at_depth; /* executions that max_depth cut: what is after them was not seen */
	bool reduced;	       /* of executions that are equivalent some have been left out */
	uint64_t redundant;    /* executions that turned out to be equivalent to earlier ones in part */
	const char
	    *unreduced;	 /* source, optimal: why no two transitions were taken for independent; else NULL */
	bool countless;	 /* there may be more executions than the estimate could say, which is 0 then */
	double estimate; /* executions in all, a guess after Knuth 1975; 0 if none can be given */
	/*
	 * Of the estimate: with 95 % confidence if it comes from independent samples, as tree/estimate.h says for dfs; both 0
	 * where nothing can be said.
	 */
	double estimate_low, estimate_high;
	/*
	 * Of shards: what the parts were that all have dealt out among themselves. Only shards with equal numbers have run all that there
	 * is. 0: the search was over before that, and each has seen all of it.
	 */
	uint64_t split;
};

struct search *search_new(const struct search_options *options); /* NULL without memory */
void search_free(struct search *search);

enum FMC_MUST_CHECK search_answer {
	SEARCH_OVER, /* nothing is left to explore */
	SEARCH_PLAN,
	SEARCH_LATER, /* what comes next depends on a plan that is out: never while none is */
};

/* The next plan, valid until its trace is fed or the search is freed. */
enum search_answer search_next(struct search *search, struct plan *plan);

/* What came of the plan with this ticket. STATUS_DIVERGED: the trace doesn't begin with the plan's prefix or its
 * alternatives changed. */
enum status search_feed(struct search *search, uint64_t ticket, const struct trace *trace);

void search_progress(const struct search *search, struct search_progress *progress);

/*
 * The state of the search, plans that are out as still to be run: when it goes on from there, what is explored before
 * and after is what one search without a break explores. False: the strategy can't be saved (bpor).
 */
bool search_save(const struct search *search, struct saver *saver);

/*
 * Into a search that is new, made with the same options. Tickets go on after those that were given out.
 * STATUS_MALFORMED: the bytes are damaged, or of a search with other options; STATUS_NO_MEMORY. Then the search is
 * good for nothing but to be freed. Whoever keeps the bytes sees to it that they are those that were written; others
 * may be accepted here and make the search leave out what it should explore.
 */
enum status search_load(struct search *search, struct loader *loader);

/*
 * Parts of a search for other processes, each of which searches its own by itself (ALGORITHMS 9): what is below one or more prefixes.
 *
 *     search_give() -> bytes -> search_of_part(), search_next(), search_feed() ...
 *     search_hear() <- those of its traces of which search_part_tells() says so
 *     search_take_back() <- bytes <- search_part_save()
 *
 * What comes of it is what one search would have run, whatever has been given to whom, and taken back when. Plans and parts may be out at
 * the same time. A part that is out is saved by search_save() as it was given.
 */

/* Can be given in parts. */
bool strategy_parts(enum strategy strategy);

/*
 * A part as bytes. `wanted`: so many are to be had at a time, so it should be no more than about such a share of what is open. Answers
 * as search_next() does.
 */
enum search_answer search_give(struct search *search, size_t wanted, uint64_t *ticket, struct saver *part);

/* In the other process: the search of that part alone. NULL: the bytes are none, or without memory. */
struct search *search_of_part(struct loader *part);

/*
 * Does the trace that has just been fed to it say something of what isn't in the part, so that who gave it has to hear it? *from: the transition
 * from which on it has anything new.
 */
bool search_part_tells(const struct search *part, size_t *from);

/* What the part has come to so far, and what of it is still to be run, plans that are out as well; what has been told has to be heard before. */
void search_part_save(const struct search *part, struct saver *rest);

/* A trace of the part with this ticket, which its search tells. As search_feed(). */
enum status search_hear(struct search *search, uint64_t ticket, size_t from, const struct trace *trace);

/*
 * The part isn't worked at any more: `rest` is what search_part_save() has saved, all of which is taken. What is still to be run is open again,
 * divided if fewer than `wanted` parts are open without it. STATUS_MALFORMED: these can't be the bytes; then the search is good for nothing
 * but to be freed.
 */
enum status search_take_back(struct search *search, uint64_t ticket, size_t wanted, struct loader *rest);

/* Who worked at it is gone: it is open again as it was given. Nothing must have been heard of it. */
void search_lose(struct search *search, uint64_t ticket);

/* The strategy's name, and the reverse ("dfs", "cb:2", "random"); false for a text that names none. */
const char *strategy_name(enum strategy strategy);
bool strategy_parse(const char *text, struct search_options *options);

/* As strategy_parse() takes it: "dfs", "cb:2". */
void strategy_describe(const struct search_options *options, char text[32]);

/* Works by chance: never complete, never at its end, independent of what came of earlier executions. */
bool strategy_random(enum strategy strategy);

/* search_save() can save it. */
bool strategy_saved(enum strategy strategy);

/* Has a bound that is raised step by step. */
bool strategy_bounded(enum strategy strategy);

/*
 * Can be divided among shards, each of which knows nothing of the others. Random ones: by their numbers. Others: by parts of the
 * tree. With source and optimal a race that one shard finds may lead out of its parts, to what none of those that were dealt out has;
 * it runs that, too, and so may another: an execution that several have run is told by its class.
 */
bool strategy_split(enum strategy strategy);

#endif
