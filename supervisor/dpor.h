#ifndef FMC_SUPERVISOR_DPOR_H
#define FMC_SUPERVISOR_DPOR_H

#include "wakeup_tree.h"

/*
 * The path of a depth-first search by dynamic partial-order reduction: a node for each transition of the
 * present execution, with the sequences that are still to be run from the state before it and the steps that
 * need not be (the sleep set). After each execution its reversible races add sequences.
 *
 * Source-DPOR and optimal DPOR (Abdulla et al., POPL 2014; JACM 2017) differ in one thing: of a sequence the
 * first inserts a single initial, and so may find only at the end of an execution that it was redundant; the
 * second inserts all of it, after which every execution is a new Mazurkiewicz trace.
 */
struct dpor_node {
	struct step step;	      /* taken now */
	struct op op;		      /* valid once the node has been run, as is the footprint */
	struct footprint footprint;   /* of the transition */
	struct wakeup_tree *children; /* still to be run; the one being run isn't among them */
	struct sleeper *sleepers;     /* in the state before the transition */
	size_t sleepers_length, sleepers_room;
	size_t own; /* the last so many of them have been run here, their memory is the node's */
};

struct dpor_path {
	bool whole; /* insert whole sequences: optimal */
	bool fair;  /* the priorities count, with fair_k */
	uint32_t fair_k;
	struct dpor_node *nodes;
	struct step *steps; /* those of the nodes: the plan's prefix */
	size_t length, room;
	size_t prefix_length; /* of the plan that is out */
	size_t branch;	      /* from here on the plan is another than the last one */
	struct races *races;
	bool fresh; /* nothing has been fed yet */
};

bool dpor_path_init(struct dpor_path *path, bool whole); /* false without memory */
void dpor_path_release(struct dpor_path *path);

/* Start over; fair_k 0: no priorities. */
void dpor_path_start(struct dpor_path *path, uint32_t fair_k);

/* The next plan: prefix and sleepers. False: nothing is left. */
bool dpor_path_next(struct dpor_path *path, struct plan *plan);

/*
 * The trace of that plan. STATUS_DIVERGED: it doesn't follow it. STATUS_UNSUPPORTED: the model of the trace
 * can't be rebuilt, so that no race can be judged.
 */
enum status dpor_path_feed(struct dpor_path *path, const struct trace *trace);

#endif
