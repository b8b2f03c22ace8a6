#include "supervisor/temporal/components.h"

#include <stdlib.h>

/* A node on the way, and which of its successors is next. */
struct walk_step {
	uint32_t node, next;
};

struct walk {
	const struct graph *graph;
	uint32_t *component;
	uint32_t *order,
	    *low;	 /* when each was come to, from 1; the first of those on the stack that it reaches */
	uint32_t *stack; /* of those whose component isn't known */
	struct walk_step *path; /* from a root to the present node */
	uint32_t stack_length, path_length, now, count;
};

static void enter(struct walk *walk, uint32_t node)
{
	walk->order[node] = walk->low[node] = ++walk->now;
	walk->stack[walk->stack_length++] = node;
	walk->path[walk->path_length++] = (struct walk_step){node, 0};
}

static void lower(struct walk *walk, uint32_t node, uint32_t to)
{
	if (to < walk->low[node])
		walk->low[node] = to;
}

static void leave(struct walk *walk)
{
	const uint32_t node = walk->path[--walk->path_length].node;
	if (walk->path_length > 0)
		lower(walk, walk->path[walk->path_length - 1].node, walk->low[node]);
	if (walk->low[node] != walk->order[node])
		return;
	walk->count++;
	uint32_t member;
	do {
		member = walk->stack[--walk->stack_length];
		walk->component[member] = walk->count;
	} while (member != node);
}

static void walk_from(struct walk *walk, uint32_t root)
{
	enter(walk, root);
	while (walk->path_length > 0) {
		struct walk_step *here = &walk->path[walk->path_length - 1];
		const uint32_t next = walk->graph->successor(walk->graph->context, here->node, here->next++);
		if (next == GRAPH_END)
			leave(walk);
		else if (next != GRAPH_SKIP && walk->order[next] == 0)
			enter(walk, next);
		else if (next != GRAPH_SKIP && walk->component[next] == 0)
			lower(walk, here->node, walk->order[next]);
	}
}

bool graph_components(const struct graph *graph, const uint32_t roots[], uint32_t length,
		      uint32_t component[], uint32_t *count)
{
	struct walk walk = {.graph = graph, .component = component};
	walk.order = calloc((size_t)graph->nodes + 1, 3 * sizeof *walk.order);
	walk.path = calloc((size_t)graph->nodes + 1, sizeof *walk.path);
	const bool good = walk.order && walk.path;
	walk.low = good ? walk.order + graph->nodes : NULL;
	walk.stack = good ? walk.low + graph->nodes : NULL;
	for (uint32_t i = 0; i < graph->nodes; i++)
		component[i] = 0;
	for (uint32_t i = 0; i < length && good; i++)
		if (walk.order[roots[i]] == 0)
			walk_from(&walk, roots[i]);
	*count = walk.count;
	free(walk.order);
	free(walk.path);
	return good;
}

bool graph_on_cycle(const struct graph *graph, const uint32_t component[], uint32_t node)
{
	uint32_t next, i = 0;
	while ((next = graph->successor(graph->context, node, i++)) != GRAPH_END)
		if (next != GRAPH_SKIP && component[next] == component[node])
			return true;
	return false;
}
