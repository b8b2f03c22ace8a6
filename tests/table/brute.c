#include "brute.h"

#include "fair_reference.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define OBJECTS 16
#define THREADS 8

/* A state of the program with all that decides how it goes on. */
struct place_in_tree {
	struct table_state state;
	struct model_block block;
	struct fair_reference *fair; /* NULL without fairness */
	uint32_t previous;
	uint32_t cost;
	uint32_t depth;
	uint64_t digest; /* of the steps */
};

uint64_t step_digest(uint64_t digest, uint32_t thread, int32_t choice)
{
	digest = (digest * 31 + thread + 1) * UINT64_C(0x9e3779b97f4a7c15);
	digest = (digest ^ digest >> 32 ^ (uint64_t)(int64_t)choice) * UINT64_C(0xbf58476d1ce4e5b9);
	return digest ^ digest >> 29;
}

uint64_t state_digest(const struct model *model, const struct table_state *state)
{
	uint64_t digest[2];
	table_digest(state, digest);
	return model_digest(model) * 3 + digest[0];
}

static void copy_place(struct place_in_tree *to, const struct place_in_tree *from)
{
	*to = *from;
	void *memory = malloc(model_bytes(THREADS, OBJECTS));
	to->block.model = model_copy(memory, THREADS, OBJECTS, from->block.model);
	if (from->fair) {
		to->fair = malloc(fair_reference_bytes(THREADS));
		memcpy(to->fair, from->fair, fair_reference_bytes(THREADS));
	}
}

static void release_place(struct place_in_tree *place)
{
	model_block_release(&place->block);
	free(place->fair);
}

/* When this thread's time-out fires, or its sleep ends; 0 isn't known. False: it needs none to go on. */
static bool is_timed(const struct model *model, uint32_t t, int64_t *end)
{
	const struct op *op = model_pending(model, t);
	*end = op->end;
	return op->kind == OP_SLEEP || !model_ready(model, t);
}

static bool goes_before(const struct model *model, uint32_t u, uint32_t t)
{
	int64_t end_of_t, end_of_u;
	if (!model_enabled(model, u) || !is_timed(model, t, &end_of_t))
		return false;
	return !is_timed(model, u, &end_of_u) || (end_of_u && end_of_t && end_of_u < end_of_t);
}

static void find_enabled(const struct brute *brute, const struct model *model,
			 bool enabled[REFERENCE_THREADS])
{
	for (uint32_t t = 0; t < model_threads(model); t++) {
		enabled[t] = model_enabled(model, t);
		for (uint32_t u = 0; u < model_threads(model) && brute->ordered; u++)
			enabled[t] &= !goes_before(model, u, t);
	}
}

/* Returns true iff the transition was a yield; *ended: the process has ended. */
static bool perform(const struct table_program *program, struct place_in_tree *place, uint32_t t,
		    int32_t choice, bool *ended)
{
	struct op op = *model_pending(place->block.model, t);
	struct observation seen = {0, 0};
	if (op.kind == OP_FUTEX_WAIT || op.kind == OP_FUTEX_REQUEUE || op.kind == OP_FUTEX_WAKE_OP)
		table_observe(program, &place->state, &op, &seen);
	struct effect effect;
	model_perform(place->block.model, t, choice, &seen, &effect);
	place->previous = t;
	place->depth++;
	place->digest = step_digest(place->digest, t, choice);
	*ended = false;
	if (effect.asleep)
		return effect.yield;
	struct outcome outcome;
	table_perform(program, &place->state, &place->block, t, &op, &effect, &outcome);
	assert(outcome.kind != OUTCOME_FAILED);
	if (outcome.kind == OUTCOME_PENDING)
		model_set_pending(place->block.model, t, &outcome.next);
	else if (outcome.kind == OUTCOME_EXITED)
		model_thread_exit(place->block.model, t);
	else
		*ended = true;
	return effect.yield;
}

static bool take(const struct table_program *program, struct place_in_tree *place, uint32_t t, int32_t choice,
		 bool *ended)
{
	const bool yield = perform(program, place, t, choice, ended);
	table_aim_all(program, &place->state, place->block.model);
	return yield;
}

static void finish(struct brute *brute, const struct place_in_tree *place, bool cut)
{
	brute->executions++;
	brute->gave_up |= brute->executions > brute->limit;
	assert(place->cost < BRUTE_COSTS);
	brute->by_cost[place->cost]++;
	brute->cut += cut;
	hash_set_add(&brute->sequences, place->digest);
	if (!cut)
		hash_set_add(&brute->finals, state_digest(place->block.model, &place->state));
}

static void explore(struct brute *brute, const struct place_in_tree *here);

static void follow(struct brute *brute, const struct place_in_tree *here, const bool *enabled, uint32_t t,
		   int32_t choice)
{
	const struct model *model = here->block.model;
	uint32_t p = here->previous;
	struct place_in_tree next;
	copy_place(&next, here);
	if (p != NO_THREAD && p != t && enabled[p] && model_ready(model, p) &&
	    (!here->fair || fair_reference_may_run(here->fair, enabled, p)))
		next.cost++;
	bool ended;
	bool yield = take(brute->program, &next, t, choice, &ended);
	if (ended) {
		finish(brute, &next, false);
	} else {
		bool after[REFERENCE_THREADS] = {false};
		find_enabled(brute, next.block.model, after);
		if (next.fair)
			fair_reference_step(next.fair, t, yield, enabled, after);
		explore(brute, &next);
	}
	release_place(&next);
}

static void explore(struct brute *brute, const struct place_in_tree *here)
{
	const struct model *model = here->block.model;
	bool enabled[REFERENCE_THREADS] = {false};
	find_enabled(brute, model, enabled);
	hash_set_add(&brute->states, state_digest(model, &here->state));
	bool any = false, left = false;
	for (uint32_t t = 0; t < model_threads(model); t++) {
		any |= enabled[t];
		left |= !model_exited(model, t);
	}
	if (!any || here->depth == brute->max_depth) {
		brute->deadlocks += !any && left;
		finish(brute, here, any);
		return;
	}
	bool schedulable = false;
	for (uint32_t t = 0; t < model_threads(model); t++) {
		if (!brute->gave_up && model_spurious(model, t))
			follow(brute, here, enabled, t, CHOICE_SPURIOUS);
		if (!enabled[t] || (here->fair && !fair_reference_may_run(here->fair, enabled, t)))
			continue;
		schedulable = true;
		for (uint32_t i = 0; i < model_choices(model, t) && !brute->gave_up; i++)
			follow(brute, here, enabled, t, model_choice(model, t, i));
	}
	assert(schedulable); /* Theorem 3 */
}

static void start(const struct table_program *program, uint32_t fair_k, struct place_in_tree *place)
{
	*place = (struct place_in_tree){.previous = NO_THREAD, .digest = 1};
	void *memory = malloc(model_bytes(THREADS, OBJECTS));
	place->block.model = model_init(memory, THREADS, OBJECTS);
	struct outcome first;
	table_start(program, &place->state, &place->block, &first);
	table_aim_all(program, &place->state, place->block.model);
	if (fair_k) {
		place->fair = malloc(fair_reference_bytes(THREADS));
		fair_reference_init(place->fair, THREADS, fair_k);
	}
}

void brute_run(struct brute *brute)
{
	hash_set_init(&brute->sequences);
	hash_set_init(&brute->finals);
	hash_set_init(&brute->states);
	struct place_in_tree root;
	start(brute->program, brute->fair_k, &root);
	explore(brute, &root);
	release_place(&root);
}

void brute_release(struct brute *brute)
{
	hash_set_release(&brute->sequences);
	hash_set_release(&brute->finals);
	hash_set_release(&brute->states);
}

static void spread(const struct table_program *program, size_t limit, struct hash_set *states,
		   const struct place_in_tree *here);

static void spread_by(const struct table_program *program, size_t limit, struct hash_set *states,
		      const struct place_in_tree *here, uint32_t t, int32_t choice)
{
	struct place_in_tree next;
	copy_place(&next, here);
	bool ended;
	if (!take(program, &next, t, choice, &ended) && !ended)
		spread(program, limit, states, &next);
	release_place(&next);
}

static void spread(const struct table_program *program, size_t limit, struct hash_set *states,
		   const struct place_in_tree *here)
{
	const struct model *model = here->block.model;
	if (!hash_set_add(states, state_digest(model, &here->state)) || states->count > limit)
		return;
	bool any = false;
	for (uint32_t t = 0; t < model_threads(model); t++)
		any |= model_enabled(model, t);
	for (uint32_t t = 0; any && t < model_threads(model); t++) {
		for (uint32_t i = 0; i < model_choices(model, t); i++)
			spread_by(program, limit, states, here, t, model_choice(model, t, i));
		if (model_spurious(model, t))
			spread_by(program, limit, states, here, t, CHOICE_SPURIOUS);
	}
}

bool brute_yield_free(const struct table_program *program, size_t limit, struct hash_set *states)
{
	struct place_in_tree root;
	start(program, 0, &root);
	hash_set_init(states);
	spread(program, limit, states, &root);
	release_place(&root);
	return states->count <= limit;
}
