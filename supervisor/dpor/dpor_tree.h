#ifndef FMC_SUPERVISOR_DPOR_DPOR_TREE_H
#define FMC_SUPERVISOR_DPOR_DPOR_TREE_H

#include "supervisor/dpor/wakeup_tree.h"

/*
 * The part of a search by dynamic partial-order reduction that isn't done with: a tree of states, each a node with
 * the sequences that are still to be run from there and the steps that need not be (the sleep set).
 *
 * Of one node's children several may be worked on at once, each claimed when it is begun. For those claimed later a
 * claimed step counts as explored, since it will be; a later one is claimed only when the step has been run, so that
 * its footprint is what it really touched. Each therefore explores what starts with none of those before it, which
 * is all, as if they came one after the other.
 *
 * Optimal DPOR relies on one thing more of an order one after the other: what is found below a child is inserted below
 * those after it before they are begun. Here they may have been begun, or be done already. So a node where a wakeup
 * tree goes on (`internal`) stays until nothing can come any more from those before it: until it is sealed. Where a
 * wakeup tree ends everything is explored that follows, and nothing need be inserted.
 */
struct dpor_node {
	struct dpor_node *parent;	   /* NULL: the initial state */
	struct dpor_node *first, *last;	   /* children, in the order in which they were claimed */
	struct dpor_node *previous, *next; /* siblings */
	struct step step;		   /* that leads here */
	uint32_t depth;			   /* steps from the initial state */
	uint32_t number;		   /* among its siblings, those that are gone included */
	uint32_t claimed;		   /* children so far */
	uint32_t unfinished;		   /* of the children, and plans that end here */
	struct accesses footprint;	   /* of the step, the node's until it sleeps */
	struct wakeup_tree *planned;	   /* the step as it was planned, alone; NULL if it wasn't */
	struct wakeup_tree *children;	   /* still to be claimed */
	struct sleeper *sleep_set; /* when the next child is claimed: those from above, then children */
	uint32_t sleep_set_length, sleep_set_room;
	uint32_t own;	     /* how many of them are children: their memory is the node's */
	bool run;	     /* the step has been: the footprint is what it touched */
	bool asleep;	     /* it is in the parent's sleep set */
	bool internal;	     /* of a wakeup tree: all children were planned */
	bool sealed;	     /* nothing comes from those before it any more */
	bool finished;	     /* nothing is left to be run */
	bool open;	     /* in the tree's list */
	bool elsewhere;	     /* what is open below it is another shard's */
	unsigned char *rest; /* what is still to be run below it is there, as bytes; NULL: it isn't */
	size_t rest_length;
	struct dpor_node *before, *after; /* there; before: also of those that are free for use */
};

struct dpor_tree {
	struct dpor_node **open; /* of each depth: nodes of which a child can be claimed */
	size_t open_room;
	size_t deepest;		/* no open node is deeper */
	struct dpor_node *root; /* NULL: all is done, or nothing has begun */
	struct dpor_node *unused;
	bool failed; /* no memory: something has been left out */
};

void dpor_tree_release(struct dpor_tree *tree); /* when no node is left */

/* Begin with a tree of one node; the plans of the one before may still be out. NULL without memory. */
struct dpor_node *dpor_tree_plant(struct dpor_tree *tree);

/* Below a parent, as the last of its children; NULL without memory. */
struct dpor_node *dpor_tree_node(struct dpor_tree *tree, struct dpor_node *parent, const struct step *step);

/* A plan that ended here doesn't any more. What is finished goes, but for what has to stay. */
void dpor_tree_drop(struct dpor_tree *tree, struct dpor_node *node);

/* Nothing is to be run from here any more but what has been claimed. */
void dpor_tree_close(struct dpor_tree *tree, struct dpor_node *node);

/* The same for all open nodes, of which those go that nothing is being run below. */
void dpor_tree_close_all(struct dpor_tree *tree);

/* Something was added to the node's children or became known of the last one claimed. */
void dpor_tree_update(struct dpor_tree *tree, struct dpor_node *node);

/* Of a tree that was put together: which nodes are finished, and which are open. Those that are finished go. */
void dpor_tree_loaded(struct dpor_tree *tree, struct dpor_node *const *nodes, size_t length);

/* The deepest open node; NULL if none is. */
struct dpor_node *dpor_tree_deepest(struct dpor_tree *tree);

/* The least deep one, of several the one that was opened last; NULL if none is. */
struct dpor_node *dpor_tree_shallowest(const struct dpor_tree *tree);

/*
 * While no plan is out: the next node of this depth after `head` (NULL: the first) below which something is open, the children
 * of each node in their order. NULL: there are no more.
 */
struct dpor_node *dpor_tree_head(const struct dpor_tree *tree, const struct dpor_node *head, size_t depth);

/*
 * While no plan is out and no open node is less deep: nothing that is open at this depth or below is to be run from here where the node
 * of this depth is marked as being elsewhere. It counts as explored. What is inserted there later is to be run.
 */
void dpor_tree_leave(struct dpor_tree *tree, size_t depth);

/*
 * Claim the first child of an open node, and its first descendants after it. Returns the last of them, where a plan
 * ends now; NULL without memory.
 */
struct dpor_node *dpor_tree_claim(struct dpor_tree *tree, struct dpor_node *node);

/* What the step that leads here touched: it has been run. */
void dpor_tree_run(struct dpor_tree *tree, struct dpor_node *node, struct accesses footprint);

/* A step from this node that isn't to be run again; the footprint's memory becomes the node's. */
void dpor_tree_sleep(struct dpor_tree *tree, struct dpor_node *node, const struct sleeper *sleeper);

/* Of those that slept in the node's parent when it was claimed, those that the node's step doesn't wake. */
void dpor_tree_hand_on(struct dpor_tree *tree, struct dpor_node *node, struct accesses footprint, bool fair);

/* A step that sleeps in the node as it did in its parent; the memory of the footprint is another node's. */
void dpor_tree_inherit(struct dpor_tree *tree, struct dpor_node *node, const struct sleeper *sleeper);

/* The child claimed last, if its step isn't in the sleep set yet. */
struct dpor_node *dpor_tree_latest(const struct dpor_node *node);

/* The child with this step; NULL: it is gone. */
struct dpor_node *dpor_tree_child(const struct dpor_node *node, const struct step *step);

#endif
