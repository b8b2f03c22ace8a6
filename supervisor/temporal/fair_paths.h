#ifndef FMC_SUPERVISOR_TEMPORAL_FAIR_PATHS_H
#define FMC_SUPERVISOR_TEMPORAL_FAIR_PATHS_H

#include "supervisor/temporal/automaton.h"

/* A graph of states: what holds in each, which threads are enabled there, and whose steps lead where. */
struct labelled_edge {
	uint32_t to, thread; /* NO_THREAD: nobody's */
};

struct labelled_node {
	uint64_t letter;	/* propositions that hold */
	uint64_t enabled;	/* threads */
	uint32_t first, length; /* its edges */
};

struct labelled_graph {
	const struct labelled_node *nodes;
	uint32_t length;
	const struct labelled_edge *edges;
};

enum fair_paths {
	FAIR_PATHS_NONE,
	FAIR_PATHS_SOME,
	FAIR_PATHS_UNKNOWN /* no memory, or that is too large */
};

/*
 * Is there a word among the paths from the first node on that the automaton accepts, and on which every thread that is enabled again and
 * again makes steps again and again (strong fairness)? By components of the product (E. Emerson, C.-L. Lei, Modalities for Model Checking, 1987).
 */
enum fair_paths fair_paths_accepted(const struct labelled_graph *graph, const struct automaton *automaton);

#endif
