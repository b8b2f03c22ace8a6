/* Runs of an automaton on a word, all of them at once. */
#include "supervisor/temporal/automaton.h"
#include "supervisor/temporal/components.h"

#include <stdlib.h>

void automaton_begin(const struct automaton *automaton, uint64_t states[])
{
	bitset_clear(states, automaton_words(automaton));
	bitset_add(states, 0);
}

void automaton_step(const struct automaton *automaton, const uint64_t from[], uint64_t letter, uint64_t to[])
{
	uint32_t s;
	bitset_clear(to, automaton_words(automaton));
	BITSET_EACH(s, from, automaton_words(automaton))
	{
		const struct automaton_state *state = &automaton->at[s];
		for (uint32_t i = 0; i < state->successors; i++) {
			const uint32_t next = automaton->edges[state->first + i];
			if (automaton_admits(automaton, next, letter))
				bitset_add(to, next);
		}
	}
}

/* Nodes are states at positions of the loop: position * states + state, the state being entered by the letter before. */
struct product {
	const struct automaton *automaton;
	const uint64_t *letters;
	uint32_t length;
};

static uint32_t successor(void *context, uint32_t node, uint32_t i)
{
	const struct product *product = context;
	const struct automaton *automaton = product->automaton;
	const uint32_t position = node / automaton->length;
	const struct automaton_state *state = &automaton->at[node % automaton->length];
	if (i >= state->successors)
		return GRAPH_END;
	const uint32_t next = automaton->edges[state->first + i];
	if (!automaton_admits(automaton, next, product->letters[position]))
		return GRAPH_SKIP;
	return (position + 1) % product->length * automaton->length + next;
}

static bool accepts(const struct product *product, const uint64_t from[], bool *failed)
{
	const struct automaton *automaton = product->automaton;
	const struct graph graph = {product->length * automaton->length, (void *)product, successor};
	uint32_t *component = calloc((size_t)graph.nodes, sizeof *component);
	uint32_t *roots = calloc(automaton->length, sizeof *roots), length = 0, s, count;
	bool found = false;
	BITSET_EACH(s, from, automaton_words(automaton))
	if (roots)
		roots[length++] = s;
	*failed = !component || !roots || !graph_components(&graph, roots, length, component, &count);
	for (uint32_t node = 0; node < graph.nodes && !found && !*failed; node++)
		found = component[node] && automaton->at[node % automaton->length].accepting &&
			graph_on_cycle(&graph, component, node);
	free(component);
	free(roots);
	return found;
}

bool automaton_accepts_loop(const struct automaton *automaton, const uint64_t from[],
			    const uint64_t letters[], size_t length, bool *failed)
{
	const struct product product = {automaton, letters, (uint32_t)length};
	*failed = length > GRAPH_SKIP / automaton->length;
	if (*failed || bitset_empty(from, automaton_words(automaton)))
		return false;
	return accepts(&product, from, failed);
}
