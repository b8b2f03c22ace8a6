#ifndef FMC_SUPERVISOR_DPOR_DPOR_H
#define FMC_SUPERVISOR_DPOR_DPOR_H

#include "supervisor/dpor/dpor_tree.h"
#include "supervisor/tree/estimate.h"
#include "supervisor/tree/split.h"

#include <fmc/supervisor/search.h>

/*
 * A depth-first search by dynamic partial-order reduction, several plans of which may be out. After each execution
 * its reversible races add sequences to the nodes that it went through.
 *
 * Source-DPOR and optimal DPOR (Abdulla et al., POPL 2014; JACM 2017) differ in one thing: of a sequence the
 * first inserts a single initial, and so may find only at the end of an execution that it was redundant; the
 * second inserts all of it, after which every execution is a new Mazurkiewicz trace.
 */
struct dpor_plan {
	uint64_t ticket;
	struct step *steps;
	size_t length, room;
	size_t branch;		/* from here on the plan is another than those before it */
	struct dpor_node *leaf; /* where it ends */
	bool stale;		/* of a search that was given up since */
	bool part;		/* all that follows it is run elsewhere */
};

/* Of a part that nobody works at. */
struct dpor_left {
	struct dpor_node *leaf; /* with what is still to be run below it; without, nothing has been yet, */
	size_t branch;		/* and its plan is another than those before it from here on */
};

struct dpor {
	bool whole; /* insert whole sequences: optimal */
	bool fair;  /* the priorities count, with fair_k */
	uint32_t fair_k;
	bool begun; /* the first plan has been handed out */
	bool wide;  /* the next one is to be of the least deep open node, not of the deepest */
	struct dpor_tree tree;
	struct dpor_plan *out; /* after those that are out: memory to use again */
	size_t out_length, out_room;
	struct dpor_node **path;	  /* of the trace at hand, from the initial state */
	struct estimate_branch *branches; /* the same for the estimate */
	size_t path_room;
	struct estimate *estimate; /* since it was started */
	struct reversible_races *races;
	struct dpor_left *left;
	size_t left_length, left_room;
	/* Of a part that is searched here: its leaf, and its depth. What is to be inserted above isn't. */
	const struct dpor_node *top;
	size_t base, end; /* nor what is at `end` or below, while a trace of a part is heard */
	bool fresh;	  /* it has been given as a plan, which hasn't been run yet */
	bool tells;	  /* the last trace had something to be inserted there, */
	size_t from;	  /* from this transition on */
	struct dpor_told *told;
};

bool dpor_init(struct dpor *dpor, bool whole); /* false without memory */
void dpor_release(struct dpor *dpor);

/*
 * Start over, with or without whole sequences; fair_k 0: no priorities. Plans that are out stay valid, what comes of
 * them has no effect.
 */
void dpor_start(struct dpor *dpor, bool whole, uint32_t fair_k);

/* The next plan: prefix and sleep set. */
enum search_answer dpor_next(struct dpor *dpor, struct plan *plan);

/*
 * Of a search that is divided, while all shards run the same and no plan is out: the next plan is to be one that leads off as
 * near to the beginning as any. Returns whether it is another shard's. Or deal out what is open, if there is enough, so that what
 * is this shard's alone is to be run.
 */
bool dpor_divide(struct dpor *dpor, struct split *split);

/* Is this one of its plans that were out when it started over? */
bool dpor_is_stale(const struct dpor *dpor, uint64_t ticket);

/* Is this one of its plans or parts that are out? */
bool dpor_has(const struct dpor *dpor, uint64_t ticket);

/* Nothing is to come of this plan, which is out. */
void dpor_forget(struct dpor *dpor, uint64_t ticket);

/*
 * The trace of a plan that isn't stale. STATUS_DIVERGED: it doesn't follow it. STATUS_UNSUPPORTED: the model of the
 * trace can't be rebuilt, so that no race can be judged.
 */
enum status dpor_feed(struct dpor *dpor, uint64_t ticket, const struct trace *trace);

/*
 * dpor_parts.c: what is below one leaf of the tree, for another process (strategy_parts_ops). Nothing is ever inserted there from outside: what was
 * planned ends at a leaf. Who works at it finds races whose reversals lead off above the leaf; these are heard.
 */
enum search_answer dpor_give(struct dpor *dpor, uint64_t ticket, struct saver *part);
bool dpor_begin(struct dpor *dpor, struct loader *part);
void dpor_save_part(const struct dpor *dpor, struct saver *rest);
enum status dpor_hear(struct dpor *dpor, uint64_t ticket, size_t from, const struct trace *trace);
bool dpor_take_back(struct dpor *dpor, uint64_t ticket, size_t wanted, struct loader *rest);
bool dpor_lose(struct dpor *dpor, uint64_t ticket);

/* The same trace has been told before, or one with the same reversal; else it is noted. */
struct dpor_told *dpor_told_new(void); /* NULL without memory */
void dpor_told_free(struct dpor_told *told);
bool dpor_told_note(struct dpor_told *told, const struct reversal *reversal);

/* What is below a leaf that was left becomes a part of the tree. False without memory, or for bytes that are none. */
bool dpor_graft(struct dpor *dpor, struct dpor_node *leaf, struct loader *rest);

/* As strategy_ops.save and .load, the latter into one that has just been initialised. */
void dpor_save(const struct dpor *dpor, struct saver *saver);
bool dpor_load(struct dpor *dpor, struct loader *loader);

#endif
