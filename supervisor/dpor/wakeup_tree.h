#ifndef FMC_SUPERVISOR_DPOR_WAKEUP_TREE_H
#define FMC_SUPERVISOR_DPOR_WAKEUP_TREE_H

#include "supervisor/order/reversible_race.h"

#include <fmc/supervisor/saved.h>

/*
 * Wakeup trees (Abdulla, Aronis, Jonsson, Sagonas, POPL 2014, section 5): the sequences that are still to be
 * run after a state, merged where they begin alike. Children are in the order in which they came and are run
 * in that order.
 *
 * Transitions are known across executions by thread, choice and their place in the thread. Objects may have
 * other numbers in another execution, so that what a planned transition touches is looked up again in the
 * trace at hand.
 */
struct wakeup_tree {
	struct step step;
	struct op op;
	struct footprint footprint;
	struct wakeup_tree *child, *sibling;
};

/* Frees it with its children and siblings; NULL is one without any. */
void wakeup_tree_free(struct wakeup_tree *tree);

/* What is to be run after a state. */
struct sequence {
	const struct event *events;
	size_t length;
	const struct model *after; /* the state after all of them, but without `beside` */
	struct accesses beside;	   /* of transitions that precede them and weren't planned with them */
	bool fair;
};

/*
 * Is `step` with this footprint a weak initial of the sequence: could it, with it, begin with it? *at gets its
 * place there, the sequence's length if it isn't part of it.
 */
bool is_weak_initial(const struct sequence *sequence, const struct step *step, struct accesses footprint,
		     size_t *at);

/* A sequence on its way down a tree: from the state before transition `i` of a trace, less what it has met. */
struct wakeup_walk {
	const struct model_replay *replay;
	const struct trace *trace;
	size_t i;
	struct sequence left;
	struct event *events; /* of what is left */
	uint32_t *walked;     /* transitions of each thread between the state before i and here */
	struct access *beside;
	struct footprint renamed;
	bool failed; /* no memory */
};

/* Begin with a whole sequence; false without memory. To be released in any case. */
bool wakeup_walk_start(struct wakeup_walk *walk, const struct sequence *sequence, size_t i,
		       const struct model_replay *replay, const struct trace *trace);
void wakeup_walk_release(struct wakeup_walk *walk);

/* Could the sequence begin with this planned step? Then go there: it is taken out of the sequence. */
bool wakeup_walk_take(struct wakeup_walk *walk, const struct wakeup_tree *planned);

/*
 * Make sure that what is left of the sequence, or one that it is a part of up to the order of independent
 * transitions, is among those below *children, the children of the state where the walk is. False without memory.
 */
bool wakeup_walk_insert(struct wakeup_walk *walk, struct wakeup_tree **children);

/*
 * As bytes: each node, alone, with its level, before those below it. Children are saved at a level of at least 1, and
 * wakeup_tree_save_end() ends a tree. False for bytes that are none, or without memory: then nothing is loaded.
 */
void wakeup_tree_save_node(const struct wakeup_tree *node, uint64_t level, struct saver *saver);
void wakeup_tree_save(const struct wakeup_tree *children, uint64_t level, struct saver *saver);
void wakeup_tree_save_end(struct saver *saver);
bool wakeup_tree_load(struct wakeup_tree **children, struct loader *loader);

/* A new leaf after the other children. */
bool wakeup_tree_append(struct wakeup_tree **children, const struct event *event);

#endif
