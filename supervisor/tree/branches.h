#ifndef FMC_SUPERVISOR_TREE_BRANCHES_H
#define FMC_SUPERVISOR_TREE_BRANCHES_H

#include <fmc/supervisor/happens_before.h>
#include <fmc/supervisor/saved.h>

#include "supervisor/tree/split.h"

/*
 * The tree of a search over executions, as far as it is still needed: the branches that were seen and not yet
 * run, and how each is come to.
 *
 * A branch is one step after those of its parents. It is open until it is taken as a plan; the plan's trace
 * shows what comes after it, and which of that is to be open is for the strategy to say. The branch that was
 * opened last is taken first: so a search goes depth first, and its tree stays small. Any number of plans may
 * be out, their traces come back in any order.
 *
 * Each branch weighs as much as its parent divided by the number of branches there: the weights of all
 * executions of a tree sum up to 1 (Knuth 1975, summed over the part explored as in Kilby et al., AAAI 2006).
 */
struct branch {
	uint32_t parent;     /* NO_BRANCH: its step is the first one */
	uint32_t references; /* branches after it; and one while it is open or its plan is out */
	struct step step;
	uint64_t digest; /* of the alternatives that it was one of; 0: not known */
	double weight;
	struct trace_hash state; /* branch_mark.state */
	uint32_t number;	 /* while it is being saved; else 0 */
};

#define NO_BRANCH UINT32_MAX

/* What a strategy says about an alternative. */
struct branch_mark {
	bool wanted;
	struct trace_hash state; /* for the strategy: what it knows the state after it by */
};

struct branch_plan {
	uint64_t ticket;
	uint32_t branch;    /* NO_BRANCH: the plan has no steps */
	bool forgotten;	    /* by branches_clear(): what comes of it doesn't matter */
	struct step *steps; /* NULL: it is a part, of this and others of the same ticket */
	size_t length;
};

struct branches {
	struct branch *at;
	uint32_t length, room;
	uint32_t spare; /* the first that is free, the others follow as its parents */
	uint32_t *open; /* in the order in which they were opened */
	size_t open_length, open_room;
	struct branch_plan *out;
	size_t out_length, out_room;
	uint64_t max_depth; /* steps at or after it don't branch; 0: none */
	double done;	    /* the weight of all executions so far */
};

void branches_init(struct branches *branches, uint64_t max_depth);
void branches_release(struct branches *branches);

/* Open a tree of its own, of weight 1, below these steps, which may be none; false without memory. */
bool branches_plant(struct branches *branches, const struct step *steps, size_t length,
		    struct trace_hash state);

/* Forget everything; the plans that are out stay valid, but their traces will not be looked at. */
void branches_clear(struct branches *branches);

/* Make the branch opened last, of which there has to be one, the prefix of this plan; false without memory. */
bool branches_take(struct branches *branches, struct plan *plan);

/* The branch that would be taken next; NULL if there is none, or it has no steps. */
const struct branch *branches_latest(const struct branches *branches);

/* Take it as run. */
void branches_skip(struct branches *branches);

/*
 * Of a search that is divided, while all shards run the same and no plan is out: see to it that the branch below which most is to be expected
 * is taken next. Returns whether what comes of it is another shard's. Or deal them out, if there are enough, so that those of
 * this shard alone are open.
 */
bool branches_divide(struct branches *branches, struct split *split);

/*
 * Is this the trace of the plan with this ticket? STATUS_OK: its transitions from *first up to *end, after which
 * nothing branches, are new (none of a plan that was forgotten), and branches_grow() has to be called.
 * STATUS_DIVERGED: it doesn't follow the plan, or the alternatives on the way have changed; the plan is over.
 */
enum status branches_follow(struct branches *branches, uint64_t ticket, const struct trace *trace,
			    size_t *first, size_t *end);

/*
 * Open the alternatives of those new transitions that are wanted: there is a mark for each of trace->alternatives,
 * of which those that were taken are not looked at. NULL: all are wanted. The plan is over. False without memory.
 */
bool branches_grow(struct branches *branches, uint64_t ticket, const struct trace *trace, size_t first,
		   size_t end, const struct branch_mark *marks);

/*
 * The tree as bytes, plans that are out being open again. To be loaded into one that has just been initialised;
 * false: these can't be the bytes, or no memory.
 */
void branches_save(const struct branches *branches, struct saver *saver);
bool branches_load(struct branches *branches, struct loader *loader);

/*
 * Give some open branches away, of which there has to be one: the one that weighs most, and with it small ones, no more than about one of
 * `wanted` parts of what is open. As bytes, for branches_load(). They are out until they are taken back. False without memory.
 */
bool branches_give(struct branches *branches, uint64_t ticket, size_t wanted, struct saver *part);

/* A part is over: what branches_save() has saved of it is open again, and what has been run below it is done. False: as branches_load(). */
bool branches_take_back(struct branches *branches, uint64_t ticket, struct loader *rest);

/* It is open again as it was given. False without memory. */
bool branches_lose(struct branches *branches, uint64_t ticket);

#endif
