#ifndef FMC_SUPERVISOR_TEMPORAL_COMPONENTS_H
#define FMC_SUPERVISOR_TEMPORAL_COMPONENTS_H

#include <stdbool.h>
#include <stdint.h>

/* A graph that is known by its successors only. */
struct graph {
	uint32_t nodes; /* 0 to nodes - 1 */
	void *context;
	/* Successor number i of a node: GRAPH_SKIP, there is none of this number; GRAPH_END, nor of any greater. */
	uint32_t (*successor)(void *context, uint32_t node, uint32_t i);
};

#define GRAPH_END  UINT32_MAX
#define GRAPH_SKIP (UINT32_MAX - 1)

/*
 * The strongly connected components of what is reached from these nodes (R. Tarjan, Depth-First Search and Linear Graph Algorithms, SIAM
 * J. Comput. 1972): of each node the number of its component, from 1 on, 0: it isn't reached. A component's number is greater than those
 * of components that are reached from it. False without memory.
 */
bool graph_components(const struct graph *graph, const uint32_t roots[], uint32_t length,
		      uint32_t component[], uint32_t *count);

/* Is there an edge within the component of this node that begins at it? Then it is on a cycle. */
bool graph_on_cycle(const struct graph *graph, const uint32_t component[], uint32_t node);

#endif
