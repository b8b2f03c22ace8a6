#include "supervisor/temporal/fair_paths.h"

#include "supervisor/temporal/components.h"

#include <fmc/supervisor/model.h>

#include <stdlib.h>

#define PAIRS_MOST (UINT32_C(1) << 23)

/* Nodes are pairs of a node and a state that has been entered by its letter; those of `out` are left out. */
struct product {
	const struct labelled_graph *graph;
	const struct automaton *automaton;
	uint32_t pairs;
	bool *out;
	uint32_t *roots, roots_length;
	uint32_t *component, components; /* of those that are reached from the roots */
};

/* What a component has. */
struct contents {
	uint64_t enabled, steps; /* threads */
	bool accepts, turns;
};

static const struct labelled_node *node_of(const struct product *product, uint32_t pair)
{
	return &product->graph->nodes[pair / product->automaton->length];
}

static const struct automaton_state *state_of(const struct product *product, uint32_t pair)
{
	return &product->automaton->at[pair % product->automaton->length];
}

static uint32_t successor(void *context, uint32_t pair, uint32_t i)
{
	const struct product *product = context;
	const struct automaton *automaton = product->automaton;
	const struct labelled_node *node = node_of(product, pair);
	const struct automaton_state *state = state_of(product, pair);
	if (state->successors == 0 || i >= node->length * state->successors)
		return GRAPH_END;
	const uint32_t to = product->graph->edges[node->first + i / state->successors].to;
	const uint32_t next = automaton->edges[state->first + i % state->successors];
	const uint32_t result = to * automaton->length + next;
	return automaton_admits(automaton, next, product->graph->nodes[to].letter) && !product->out[result]
		   ? result
		   : GRAPH_SKIP;
}

static bool find_components(struct product *product)
{
	const struct graph graph = {product->pairs, product, successor};
	return graph_components(&graph, product->roots, product->roots_length, product->component,
				&product->components);
}

static void look(struct product *product, uint32_t pair, struct contents *contents)
{
	const struct labelled_node *node = node_of(product, pair);
	const struct automaton_state *state = state_of(product, pair);
	contents->enabled |= node->enabled;
	contents->accepts |= state->accepting;
	for (uint32_t i = 0; i < node->length * state->successors; i++) {
		const uint32_t next = successor(product, pair, i);
		const uint32_t thread = product->graph->edges[node->first + i / state->successors].thread;
		if (next == GRAPH_SKIP || product->component[next] != product->component[pair])
			continue;
		contents->turns = true;
		if (thread != NO_THREAD)
			contents->steps |= UINT64_C(1) << thread;
	}
}

/* Threads that are enabled in it, and make no step as long as a path stays there. */
static uint64_t starving(const struct contents *contents)
{
	return contents->turns && contents->accepts ? contents->enabled & ~contents->steps : 0;
}

/*
 * A path that stays in a component in which threads starve is fair only if it leaves out, from some moment on, where these are enabled: so do we.
 * *more: there were some.
 */
static enum fair_paths accepted_within(struct product *product, bool *more)
{
	struct contents *found;
	enum fair_paths answer = FAIR_PATHS_NONE;
	*more = false;
	if (!find_components(product) || !(found = calloc((size_t)product->components + 1, sizeof *found)))
		return FAIR_PATHS_UNKNOWN;
	for (uint32_t pair = 0; pair < product->pairs; pair++)
		if (product->component[pair])
			look(product, pair, &found[product->component[pair]]);
	for (uint32_t c = 1; c <= product->components; c++)
		if (found[c].turns && found[c].accepts && !starving(&found[c]))
			answer = FAIR_PATHS_SOME;
	for (uint32_t pair = 0; pair < product->pairs; pair++) {
		if (!product->component[pair] ||
		    !(node_of(product, pair)->enabled & starving(&found[product->component[pair]])))
			continue;
		product->out[pair] = *more = true;
	}
	free(found);
	return answer;
}

/* All that are reached are roots from here on, since what leads to them may be left out. */
static bool begin(struct product *product)
{
	const struct automaton *automaton = product->automaton;
	for (uint32_t i = 0; i < automaton->at[0].successors; i++)
		if (automaton_admits(automaton, automaton->edges[i], product->graph->nodes[0].letter))
			product->roots[product->roots_length++] = automaton->edges[i];
	if (!find_components(product))
		return false;
	product->roots_length = 0;
	for (uint32_t pair = 0; pair < product->pairs; pair++)
		if (product->component[pair])
			product->roots[product->roots_length++] = pair;
	return true;
}

static void drop_roots(struct product *product)
{
	uint32_t left = 0;
	for (uint32_t i = 0; i < product->roots_length; i++)
		if (!product->out[product->roots[i]])
			product->roots[left++] = product->roots[i];
	product->roots_length = left;
}

static enum fair_paths search(struct product *product)
{
	enum fair_paths answer;
	bool more;
	do {
		answer = accepted_within(product, &more);
		drop_roots(product);
	} while (answer == FAIR_PATHS_NONE && more);
	return answer;
}

enum fair_paths fair_paths_accepted(const struct labelled_graph *graph, const struct automaton *automaton)
{
	struct product product = {graph, automaton, .pairs = graph->length * automaton->length};
	if (graph->length == 0 || graph->length > PAIRS_MOST / automaton->length)
		return FAIR_PATHS_UNKNOWN;
	product.out = calloc(product.pairs, sizeof *product.out);
	product.roots = calloc((size_t)product.pairs + automaton->at[0].successors, sizeof *product.roots);
	product.component = calloc(product.pairs, sizeof *product.component);
	const bool begun = product.out && product.roots && product.component && begin(&product);
	const enum fair_paths answer = begun ? search(&product) : FAIR_PATHS_UNKNOWN;
	free(product.out);
	free(product.roots);
	free(product.component);
	return answer;
}
