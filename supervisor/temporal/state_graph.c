#include "supervisor/temporal/state_graph.h"

#include <fmc/supervisor/model.h>
#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

#define STATES_MOST  (UINT32_C(1) << 22)
#define THREADS_MOST 64
#define NONE	     UINT32_MAX

struct state {
	uint64_t key[4]; /* its digest; and 0, or of an end 1 and what holds in it */
	uint64_t letter, enabled;
	uint32_t steps; /* the first of them, NONE: there is none */
	uint32_t length;
};

/* A step that is open in a state. */
struct state_step {
	struct step step;
	uint32_t to;   /* NONE: it hasn't been taken yet */
	uint32_t next; /* of the same state */
};

struct state_graph {
	struct state *at;
	uint32_t length;
	size_t room;
	struct state_step *steps;
	size_t steps_length, steps_room;
	uint32_t *slots; /* hash table of states, numbers plus 1 */
	size_t slots_room;
	bool failed;   /* no memory, too large, or not what it is to be: */
	bool given_up; /* for good */
};

struct state_graph *state_graph_new(void)
{
	return calloc(1, sizeof(struct state_graph));
}

void state_graph_free(struct state_graph *graph)
{
	if (!graph)
		return;
	free(graph->at);
	free(graph->steps);
	free(graph->slots);
	free(graph);
}

void state_graph_clear(struct state_graph *graph)
{
	if (graph->length > 0)
		memset(graph->slots, 0, graph->slots_room * sizeof *graph->slots);
	graph->length = 0;
	graph->steps_length = 0;
	graph->failed = graph->given_up;
}

void state_graph_give_up(struct state_graph *graph)
{
	graph->failed = graph->given_up = true;
}

static uint32_t *slot_of(const struct state_graph *graph, const uint64_t key[4])
{
	const size_t mask = graph->slots_room - 1;
	size_t i = (key[0] ^ key[1] ^ key[2]) & mask;
	while (graph->slots[i] && memcmp(graph->at[graph->slots[i] - 1].key, key, 4 * sizeof *key) != 0)
		i = (i + 1) & mask;
	return &graph->slots[i];
}

static bool make_room(struct state_graph *graph)
{
	if (graph->length == STATES_MOST || !ARRAY_GROW(graph->at, graph->length, graph->room))
		return false;
	if (2 * graph->room <= graph->slots_room)
		return true;
	uint32_t *slots = calloc(2 * graph->room, sizeof *slots);
	if (!slots)
		return false;
	free(graph->slots);
	graph->slots = slots;
	graph->slots_room = 2 * graph->room;
	for (uint32_t i = 0; i < graph->length; i++)
		*slot_of(graph, graph->at[i].key) = i + 1;
	return true;
}

/* The state of this key, new or known; NONE: the graph has failed. */
static uint32_t enter(struct state_graph *graph, const uint64_t key[4], uint64_t letter)
{
	if (graph->failed || !make_room(graph)) {
		graph->failed = true;
		return NONE;
	}
	uint32_t *slot = slot_of(graph, key);
	if (!*slot) {
		struct state *state = &graph->at[graph->length++];
		*slot = graph->length;
		*state = (struct state){.letter = letter, .steps = NONE};
		memcpy(state->key, key, sizeof state->key);
	}
	graph->failed |= graph->at[*slot - 1].letter != letter;
	return *slot - 1;
}

static struct state_step *find_step(struct state_graph *graph, uint32_t state, struct step step)
{
	for (uint32_t i = graph->at[state].steps; i != NONE; i = graph->steps[i].next)
		if (graph->steps[i].step.thread == step.thread && graph->steps[i].step.choice == step.choice)
			return &graph->steps[i];
	return NULL;
}

static bool open_step(struct state_graph *graph, uint32_t state, struct step step)
{
	if (find_step(graph, state, step))
		return true;
	if (graph->steps_length >= NONE || !ARRAY_GROW(graph->steps, graph->steps_length, graph->steps_room))
		return false;
	graph->steps[graph->steps_length] = (struct state_step){step, NONE, graph->at[state].steps};
	graph->at[state].steps = (uint32_t)graph->steps_length++;
	graph->at[state].length++;
	return true;
}

/* What is open before transition i, and who is enabled though nothing of it may be, as fairness has it. */
static bool open_all(struct state_graph *graph, uint32_t state, const struct trace *trace, size_t i)
{
	const struct transition *transition = &trace->at[i];
	const uint64_t *enabled = trace_enabled(trace, i);
	if (!enabled || trace->set_words * BITSET_WORD_BITS > THREADS_MOST)
		return false;
	graph->at[state].enabled |= *enabled;
	for (uint32_t a = 0; a < transition->alternatives; a++)
		if (!open_step(graph, state, trace->alternatives[transition->first_alternative + a].step))
			return false;
	return true;
}

static bool add_step(struct state_graph *graph, const struct trace *trace, uint32_t from, uint32_t to)
{
	const size_t last = trace->length - 1;
	if (!open_all(graph, from, trace, last))
		return false;
	struct state_step *step = find_step(graph, from, transition_step(&trace->at[last]));
	if (!step || (step->to != NONE && step->to != to))
		return false;
	step->to = to;
	return true;
}

void state_graph_add(struct state_graph *graph, const struct trace *trace, const uint64_t from[3],
		     const uint64_t to[3], uint64_t letter)
{
	const uint64_t end[4] = {letter, 0, 0, 1};
	uint64_t key[4] = {0}, before[4] = {0};
	if (to)
		memcpy(key, to, 3 * sizeof *to);
	const uint32_t length = graph->length;
	const uint32_t state = enter(graph, to ? key : end, letter);
	if (state == NONE)
		return;
	/* There is one first state. */
	if (trace->length == 0) {
		graph->failed |= state != 0;
		return;
	}
	memcpy(before, from, 3 * sizeof *from);
	const uint32_t *slot = slot_of(graph, before);
	graph->failed |= length == 0 || !*slot || !add_step(graph, trace, *slot - 1, state);
}

static bool is_closed(const struct state_graph *graph, const struct state *state)
{
	uint64_t steps = 0;
	for (uint32_t i = state->steps; i != NONE; i = graph->steps[i].next) {
		if (graph->steps[i].to == NONE)
			return false;
		steps |= UINT64_C(1) << graph->steps[i].step.thread;
	}
	return !(state->enabled & ~steps) && (steps || state->key[3]);
}

size_t state_graph_whole(const struct state_graph *graph)
{
	for (uint32_t i = 0; i < graph->length && !graph->failed; i++)
		if (!is_closed(graph, &graph->at[i]))
			return 0;
	return graph->failed ? 0 : graph->length;
}

/* One edge for each step, and where all is at an end one that stays there. */
static void make_edges(const struct state_graph *graph, struct labelled_node nodes[],
		       struct labelled_edge edges[])
{
	uint32_t length = 0;
	for (uint32_t s = 0; s < graph->length; s++) {
		const struct state *state = &graph->at[s];
		nodes[s] = (struct labelled_node){state->letter, state->enabled, length, state->length};
		for (uint32_t i = state->steps; i != NONE; i = graph->steps[i].next)
			edges[length++] =
			    (struct labelled_edge){graph->steps[i].to, graph->steps[i].step.thread};
		if (state->length > 0)
			continue;
		edges[length++] = (struct labelled_edge){s, NO_THREAD};
		nodes[s].length = 1;
	}
}

enum fair_paths state_graph_accepted(const struct state_graph *graph, const struct automaton *automaton)
{
	struct labelled_node *nodes = calloc(graph->length + 1, sizeof *nodes);
	struct labelled_edge *edges = calloc(graph->steps_length + graph->length + 1, sizeof *edges);
	enum fair_paths answer = FAIR_PATHS_UNKNOWN;
	if (nodes && edges) {
		make_edges(graph, nodes, edges);
		const struct labelled_graph labelled = {nodes, graph->length, edges};
		answer = fair_paths_accepted(&labelled, automaton);
	}
	free(nodes);
	free(edges);
	return answer;
}
