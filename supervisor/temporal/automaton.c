#include "supervisor/temporal/automaton.h"

#include "supervisor/temporal/components.h"
#include "supervisor/temporal/tableau.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>

/*
 * The states are pairs of a node of the tableau and a level: how many of the sets of nodes that have to come again and again have come, in their
 * order, since all of them last had. With the last of them the state accepts.
 */
struct building {
	const struct tableau *tableau;
	struct automaton *automaton;
	uint32_t *states; /* of each pair, 0: none yet */
	uint32_t *pairs;  /* of each state */
	uint32_t levels;
	bool large, failed;
};

void automaton_release(struct automaton *automaton)
{
	free(automaton->at);
	free(automaton->edges);
	*automaton = (struct automaton){0};
}

static uint32_t state_of(struct building *b, uint32_t node, uint32_t level)
{
	const struct tableau_node *n = &b->tableau->nodes[node];
	const uint32_t last = b->levels - 1;
	level = level == last ? 0 : level;
	while (level < last && n->kept >> level & 1)
		level++;
	const uint32_t pair = node * b->levels + level;
	if (b->states[pair])
		return b->states[pair];
	b->large |= b->automaton->length == AUTOMATON_MOST;
	if (b->large)
		return 0;
	const uint32_t state = b->automaton->length++;
	b->states[pair] = state;
	b->pairs[state] = pair;
	b->automaton->at[state] =
	    (struct automaton_state){.holds = n->holds, .fails = n->fails, .accepting = level == last};
	return state;
}

static void add_edges(struct building *b, uint32_t state, uint32_t set, uint32_t level)
{
	struct automaton *automaton = b->automaton;
	const struct tableau_set *members = &b->tableau->sets[set];
	automaton->at[state].first = automaton->edges_length;
	for (uint32_t m = 0; m < members->length && !b->large && !b->failed; m++) {
		const uint32_t next = state_of(b, b->tableau->members[members->first + m], level);
		b->failed = !ARRAY_GROW(automaton->edges, automaton->edges_length, automaton->edges_room);
		if (!b->failed)
			automaton->edges[automaton->edges_length++] = next;
	}
	automaton->at[state].successors = automaton->edges_length - automaton->at[state].first;
}

/* State after state, as they are come to. */
static void build(struct building *b)
{
	const struct tableau *tableau = b->tableau;
	b->automaton->length = 1;
	b->automaton->at[0] = (struct automaton_state){0};
	add_edges(b, 0, 0, 0);
	for (uint32_t s = 1; s < b->automaton->length && !b->large && !b->failed; s++)
		add_edges(b, s, tableau->nodes[b->pairs[s] / b->levels].next, b->pairs[s] % b->levels);
}

static uint32_t successor(void *context, uint32_t node, uint32_t i)
{
	const struct automaton *automaton = context;
	const struct automaton_state *state = &automaton->at[node];
	return i < state->successors ? automaton->edges[state->first + i] : GRAPH_END;
}

/* From which states does a way lead round an accepting one? Those that do in one step more are, until there are none. */
static bool find_live(struct automaton *automaton, bool live[])
{
	const struct graph graph = {automaton->length, automaton, successor};
	const uint32_t root = 0;
	uint32_t count, *component = calloc(automaton->length, sizeof *component);
	const bool good = component && graph_components(&graph, &root, 1, component, &count);
	bool more = good;
	for (uint32_t s = 0; s < automaton->length && good; s++)
		live[s] = automaton->at[s].accepting && graph_on_cycle(&graph, component, s);
	while (more) {
		more = false;
		for (uint32_t s = automaton->length; s-- > 0;)
			for (uint32_t i = 0; i < automaton->at[s].successors && !live[s]; i++)
				more |= live[s] = live[successor(automaton, s, i)];
	}
	free(component);
	return good;
}

/* Its states get these numbers, ascending, and are as many; those without one (UINT32_MAX) are left out, with what leads to them. */
static void renumber(struct automaton *automaton, const uint32_t number[], uint32_t length)
{
	uint32_t edges = 0, next = 0;
	for (uint32_t s = 0; s < automaton->length; s++) {
		if (number[s] == UINT32_MAX)
			continue;
		struct automaton_state state = automaton->at[s];
		const uint32_t first = edges;
		for (uint32_t i = 0; i < state.successors; i++) {
			const uint32_t to = number[automaton->edges[state.first + i]];
			if (to != UINT32_MAX)
				automaton->edges[edges++] = to;
		}
		state.first = first;
		state.successors = edges - first;
		automaton->at[next++] = state;
	}
	automaton->edges_length = edges;
	automaton->length = length;
}

/* Leave out states from which no word is accepted; the first stays. */
static bool prune(struct automaton *automaton)
{
	bool *live = calloc(automaton->length, sizeof *live);
	uint32_t *number = calloc(automaton->length, sizeof *number), length = 1;
	const bool good = live && number && find_live(automaton, live);
	for (uint32_t s = 1; s < automaton->length && good; s++)
		number[s] = live[s] ? length++ : UINT32_MAX;
	if (good)
		renumber(automaton, number, length);
	free(live);
	free(number);
	return good;
}

enum automaton_result automaton_make(struct automaton *automaton, const struct formulas *formulas,
				     uint32_t formula)
{
	struct tableau tableau;
	struct building b = {.tableau = &tableau, .automaton = automaton};
	*automaton = (struct automaton){0};
	if (tableau_make(&tableau, formulas, formula)) {
		b.levels = tableau.untils_length + 1;
		automaton->at = calloc(AUTOMATON_MOST, sizeof *automaton->at);
		b.states = calloc((size_t)tableau.nodes_length * b.levels + 1, sizeof *b.states);
		b.pairs = calloc(AUTOMATON_MOST, sizeof *b.pairs);
		b.failed = !automaton->at || !b.states || !b.pairs;
		if (!b.failed)
			build(&b);
		free(b.states);
		free(b.pairs);
		b.failed |= !b.large && !b.failed && !prune(automaton);
	}
	b.failed |= tableau.failed;
	b.large |= tableau.large;
	tableau_release(&tableau);
	return b.failed ? AUTOMATON_FAILED : b.large ? AUTOMATON_LARGE : AUTOMATON_MADE;
}
