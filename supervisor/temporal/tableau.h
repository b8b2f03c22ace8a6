#ifndef FMC_SUPERVISOR_TEMPORAL_TABLEAU_H
#define FMC_SUPERVISOR_TEMPORAL_TABLEAU_H

#include "supervisor/temporal/formula.h"

/*
 * The generalised Büchi automaton of a formula, whose nodes are what has to hold of a word from some position on: of its state there, and of
 * what comes after it (R. Gerth, D. Peled, M. Vardi, P. Wolper, Simple On-the-Fly Automatic Verification of Linear Temporal Logic, PSTV 1995).
 *
 * A node is left to one of the nodes that its `next` is covered by. A word is accepted by a run in which, for each a U b of the formula, nodes that
 * don't put b off come again and again: these are the bits of `kept`.
 */
struct tableau_node {
	uint64_t holds, fails; /* propositions that do in its state */
	uint64_t kept;
	uint32_t next; /* a set */
};

/* A set of parts that have to hold, and the nodes that it is covered by: any word that fulfils all of it begins with one of them. */
struct tableau_set {
	uint32_t first, length; /* into members */
};

struct tableau {
	const struct formulas *formulas;
	uint32_t *parts; /* of the formula, by ascending number; what sets consist of */
	uint32_t parts_length, words;
	uint32_t untils[64]; /* parts */
	uint32_t untils_length;
	struct tableau_node *nodes;
	uint32_t nodes_length, nodes_room;
	struct tableau_set *sets; /* the first has the formula itself */
	uint64_t *bits;		  /* of each set */
	uint32_t sets_length, sets_room, bits_room;
	uint32_t *members;
	uint32_t members_length, members_room;
	bool failed; /* no memory */
	bool large;  /* it has more than TABLEAU_MOST nodes or sets */
};

#define TABLEAU_MOST 2048u

/* False: failed or large. To be released in any case. */
bool tableau_make(struct tableau *tableau, const struct formulas *formulas, uint32_t formula);
void tableau_release(struct tableau *tableau);

#endif
