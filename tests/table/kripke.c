#include "kripke.h"

#include "brute.h"

#include "supervisor/temporal/components.h"

#include <fmc/tracer/array.h>

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define OBJECTS 16
#define THREADS 8

void kripke_release(struct kripke *kripke)
{
	free(kripke->edges);
}

void kripke_add_edge(struct kripke *kripke, uint32_t to, uint32_t thread)
{
	bool grown = ARRAY_GROW(kripke->edges, kripke->edges_length, kripke->edges_room);
	assert(grown);
	kripke->edges[kripke->edges_length++] = (struct kripke_edge){to, thread};
	kripke->nodes[kripke->length - 1].edges++;
}

/* The states of the program, of which those from `done` on have no edges yet. */
struct states {
	const struct table_program *program;
	struct {
		struct table_state state;
		struct model_block block;
		uint64_t digest;
		bool ended;
	} at[KRIPKE_MOST];
	uint32_t length;
};

static struct model *copy_model(const struct model *from)
{
	return model_copy(malloc(model_bytes(THREADS, OBJECTS)), THREADS, OBJECTS, from);
}

/* The last state is one: which it is. Then it is known, and doesn't stay. */
static uint32_t number_of_last(struct states *states)
{
	const uint32_t last = states->length - 1;
	states->at[last].digest = states->at[last].ended
				      ? 2 * (uint64_t)last + 1
				      : state_digest(states->at[last].block.model, &states->at[last].state);
	for (uint32_t s = 0; s < last; s++)
		if (states->at[s].digest == states->at[last].digest) {
			model_block_release(&states->at[last].block);
			states->length--;
			return s;
		}
	return last;
}

static uint32_t take(struct states *states, uint32_t from, uint32_t t, int32_t choice)
{
	const uint32_t to = states->length++;
	struct effect effect;
	struct outcome outcome = {.kind = OUTCOME_PENDING};
	states->at[to] = states->at[from];
	states->at[to].block.model = copy_model(states->at[from].block.model);
	struct model_block *block = &states->at[to].block;
	const struct op op = *model_pending(block->model, t);
	model_perform(block->model, t, choice, &(struct observation){0, 0}, &effect);
	if (!effect.asleep) {
		table_perform(states->program, &states->at[to].state, block, t, &op, &effect, &outcome);
		if (outcome.kind == OUTCOME_PENDING)
			model_set_pending(block->model, t, &outcome.next);
		else if (outcome.kind == OUTCOME_EXITED)
			model_thread_exit(block->model, t);
		else
			states->at[to].ended = true;
	}
	return number_of_last(states);
}

static bool add_node(struct kripke *kripke, struct states *states, uint32_t s)
{
	const struct model *model = states->at[s].block.model;
	struct kripke_node *node = &kripke->nodes[kripke->length++];
	*node = (struct kripke_node){.first = kripke->edges_length};
	memcpy(node->variables, states->at[s].state.variables, sizeof node->variables);
	for (uint32_t t = 0; t < model_threads(model) && !states->at[s].ended; t++) {
		if (!model_enabled(model, t))
			continue;
		node->enabled |= UINT64_C(1) << t;
		for (uint32_t i = 0; i < model_choices(model, t); i++) {
			if (states->length == KRIPKE_MOST)
				return false;
			kripke_add_edge(kripke, take(states, s, t, model_choice(model, t, i)), t);
		}
	}
	if (node->edges == 0)
		kripke_add_edge(kripke, s, NO_THREAD);
	return true;
}

bool kripke_of_program(struct kripke *kripke, const struct table_program *program)
{
	struct states *states = calloc(1, sizeof *states);
	struct outcome first;
	bool good = true;
	*kripke = (struct kripke){.length = 0};
	states->program = program;
	states->at[0].block.model = model_init(malloc(model_bytes(THREADS, OBJECTS)), THREADS, OBJECTS);
	table_start(program, &states->at[0].state, &states->at[0].block, &first);
	states->length = 1;
	(void)number_of_last(states);
	for (uint32_t s = 0; s < states->length && good; s++)
		good = add_node(kripke, states, s);
	for (uint32_t s = 0; s < states->length; s++)
		model_block_release(&states->at[s].block);
	free(states);
	return good;
}

/* Nodes are pairs of a node and a state that has been entered by its letter; those of `out` are left out. */
struct product {
	const struct kripke *kripke;
	const struct automaton *automaton;
	bool *out;
};

static uint32_t successor(void *context, uint32_t pair, uint32_t i)
{
	const struct product *product = context;
	const struct automaton *automaton = product->automaton;
	const struct kripke_node *node = &product->kripke->nodes[pair / automaton->length];
	const struct automaton_state *state = &automaton->at[pair % automaton->length];
	if (state->successors == 0 || i >= node->edges * state->successors)
		return GRAPH_END;
	const uint32_t to = product->kripke->edges[node->first + i / state->successors].to;
	const uint32_t next = automaton->edges[state->first + i % state->successors];
	const uint32_t result = to * automaton->length + next;
	return automaton_admits(automaton, next, product->kripke->nodes[to].letter) && !product->out[result]
		   ? result
		   : GRAPH_SKIP;
}

/* What a component has. */
struct found {
	uint64_t enabled, steps; /* threads */
	bool accepts, turns;
};

static void look(const struct product *product, const uint32_t component[], uint32_t pair,
		 struct found *found)
{
	const struct automaton_state *state = &product->automaton->at[pair % product->automaton->length];
	const struct kripke_node *node = &product->kripke->nodes[pair / product->automaton->length];
	found->enabled |= node->enabled;
	found->accepts |= state->accepting;
	for (uint32_t i = 0; i < node->edges * state->successors; i++) {
		const uint32_t next = successor((void *)product, pair, i);
		const uint32_t thread = product->kripke->edges[node->first + i / state->successors].thread;
		if (next == GRAPH_SKIP || component[next] != component[pair])
			continue;
		found->turns = true;
		if (thread != NO_THREAD)
			found->steps |= UINT64_C(1) << thread;
	}
}

/* In components in which some thread is enabled and makes no step no fair path stays but one that leaves where it is; *more: there were some. */
static bool accepted_within(struct product *product, const uint32_t roots[], uint32_t length, bool *more)
{
	const uint32_t pairs = product->kripke->length * product->automaton->length;
	const struct graph graph = {pairs, product, successor};
	uint32_t *component = calloc(pairs, sizeof *component), count;
	bool accepted = false, computed = graph_components(&graph, roots, length, component, &count);
	struct found *found = calloc((size_t)count + 1, sizeof *found);
	assert(computed);
	*more = false;
	for (uint32_t pair = 0; pair < pairs; pair++)
		if (component[pair])
			look(product, component, pair, &found[component[pair]]);
	for (uint32_t c = 1; c <= count; c++)
		accepted |= found[c].turns && found[c].accepts && !(found[c].enabled & ~found[c].steps);
	for (uint32_t pair = 0; pair < pairs && !accepted; pair++) {
		const struct found *f = &found[component[pair]];
		const uint64_t enabled = product->kripke->nodes[pair / product->automaton->length].enabled;
		if (component[pair] && f->turns && f->accepts && (enabled & f->enabled & ~f->steps)) {
			product->out[pair] = true;
			*more = true;
		}
	}
	free(found);
	free(component);
	return accepted;
}

bool kripke_accepted(const struct kripke *kripke, const struct automaton *automaton)
{
	const uint32_t pairs = kripke->length * automaton->length;
	struct product product = {kripke, automaton, calloc(pairs, 1)};
	const struct graph graph = {pairs, &product, successor};
	uint32_t *reached = calloc(pairs, sizeof *reached), *roots = calloc(pairs, sizeof *roots);
	uint32_t length = 0, count;
	bool more = true, accepted = false;
	for (uint32_t i = 0; i < automaton->at[0].successors; i++)
		if (automaton_admits(automaton, automaton->edges[i], kripke->nodes[0].letter))
			roots[length++] = automaton->edges[i];
	bool computed = graph_components(&graph, roots, length, reached, &count);
	assert(computed);
	/* All of those that are reached are roots from here on, since what leads to them may be left out. */
	length = 0;
	for (uint32_t pair = 0; pair < pairs; pair++)
		if (reached[pair])
			roots[length++] = pair;
	while (more && !accepted) {
		accepted = accepted_within(&product, roots, length, &more);
		uint32_t left = 0;
		for (uint32_t i = 0; i < length; i++)
			if (!product.out[roots[i]])
				roots[left++] = roots[i];
		length = left;
	}
	free(product.out);
	free(reached);
	free(roots);
	return accepted;
}
