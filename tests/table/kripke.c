#include "kripke.h"

#include "brute.h"

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
	kripke->edges[kripke->edges_length++] = (struct labelled_edge){to, thread};
	kripke->nodes[kripke->length - 1].length++;
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
	struct labelled_node *node = &kripke->nodes[kripke->length++];
	*node = (struct labelled_node){.first = kripke->edges_length};
	memcpy(kripke->variables[kripke->length - 1], states->at[s].state.variables,
	       sizeof kripke->variables[0]);
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
	if (node->length == 0)
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

bool kripke_accepted(const struct kripke *kripke, const struct automaton *automaton)
{
	const struct labelled_graph graph = {kripke->nodes, kripke->length, kripke->edges};
	const enum fair_paths answer = fair_paths_accepted(&graph, automaton);
	assert(answer != FAIR_PATHS_UNKNOWN);
	return answer == FAIR_PATHS_SOME;
}
