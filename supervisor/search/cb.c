/*
 * Iterative bounding of what executions cost. With preemptions as the cost that is [CB] Musuvathi and Qadeer,
 * Iterative Context Bounding, PLDI 2007, Algorithm 1 with its work queues; delay.c has another cost.
 *
 * Every execution of cost c has one shortest prefix that costs as much, which ends with the last step that
 * isn't free. The items of bound c are those prefixes; below an item only alternatives that cost nothing are
 * explored, depth first, and those that cost n become items of bound c + n. So every execution is run exactly
 * once, at the bound of its own cost. The default policy costs nothing.
 */
#include "supervisor/search/cb.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

void cb_destroy(void *strategy)
{
	struct cb *cb = strategy;
	branches_release(&cb->branches);
	for (uint32_t i = 0; i < cb->levels_length; i++)
		cb_list_release(&cb->levels[i]);
	free(cb->levels);
	cb_states_free(cb->states);
	free(cb->costs);
	free(cb->steps);
	free(cb->marks);
	free(cb);
}

/* Room for items that cost so much. */
static bool reserve_level(struct cb *cb, uint32_t cost)
{
	if (cost < cb->levels_length)
		return true;
	if (!ARRAY_ONE_MORE(cb->levels, cost))
		return false;
	while (cb->levels_length <= cost)
		cb_list_init(&cb->levels[cb->levels_length++]);
	return true;
}

void *cb_create(const struct search_options *options)
{
	struct cb *cb = calloc(1, sizeof *cb);
	if (!cb)
		return NULL;
	cb->most = options->bound;
	cb->items = 1;
	cb->fair_k = options->fair_k;
	cb->delays = options->strategy == STRATEGY_DELAY;
	cb->sees_memory = options->sees_memory;
	branches_init(&cb->branches, options->max_depth);
	if (options->cache)
		cb->states = cb_states_new(options->fair_k, cb->delays);
	if ((options->cache && !cb->states) || !reserve_level(cb, 0) ||
	    !branches_plant(&cb->branches, NULL, 0, (struct trace_hash){0, 0})) {
		cb_destroy(cb);
		return NULL;
	}
	return cb;
}

/* Begin again without the cache: what it has left out so far was perhaps not seen. False without memory. */
static bool stop_caching(struct cb *cb)
{
	cb_states_free(cb->states);
	cb->states = NULL;
	for (uint32_t i = 0; i < cb->levels_length; i++)
		cb_list_clear(&cb->levels[i]);
	cb->bound = 0;
	cb->items = 1;
	cb->left_out = false;
	cb->executions_before = cb->executions;
	branches_clear(&cb->branches);
	return branches_plant(&cb->branches, NULL, 0, (struct trace_hash){0, 0});
}

/* What was beyond the bound becomes the work; false: there is nothing. */
static bool raise_bound(struct cb *cb)
{
	while (cb->bound + 1 < cb->levels_length) {
		cb_list_release(&cb->levels[cb->bound]);
		cb->bound++;
		cb->executions_before = cb->executions;
		cb->items = cb->levels[cb->bound].count;
		cb_list_rewind(&cb->levels[cb->bound]);
		branches_clear(&cb->branches);
		if (cb->items > 0)
			return true;
	}
	return false;
}

/* Has the state after the branch that comes next been come to since it was opened? */
static bool leads_nowhere(const struct cb *cb)
{
	const struct branch *next = branches_latest(&cb->branches);
	return cb->states && next && cb_states_done(cb->states, next->state, cb->bound, next->step.thread);
}

enum search_answer cb_next(void *strategy, struct plan *plan)
{
	struct cb *cb = strategy;
	for (;;) {
		while (leads_nowhere(cb))
			branches_skip(&cb->branches);
		if (cb->branches.open_length > 0)
			return branches_take(&cb->branches, plan) ? SEARCH_PLAN : SEARCH_OVER;
		const struct step *prefix;
		size_t length;
		struct trace_hash state;
		if (cb_list_take(&cb->levels[cb->bound], &prefix, &length, &state)) {
			if (!branches_plant(&cb->branches, prefix, length, state))
				return SEARCH_OVER;
		} else if (cb->branches.out_length > 0) {
			return SEARCH_LATER;
		} else if (!raise_bound(cb)) {
			cb->complete = true;
			return SEARCH_OVER;
		}
	}
}

/* Who could go on for nothing before transition i. */
static uint32_t free_thread(const struct cb *cb, const struct trace *trace, size_t i)
{
	uint32_t previous = i > 0 ? trace->at[i - 1].thread : NO_THREAD;
	if (cb->delays)
		return previous;
	const struct alternative *open = trace->alternatives + trace->at[i].first_alternative;
	for (uint32_t a = 0; a < trace->at[i].alternatives; a++)
		if (open[a].preemption)
			return previous;
	return NO_THREAD;
}

/* Set what costs something, after the first i steps, aside; false without memory. */
static bool set_aside(struct cb *cb, size_t i, const struct alternative *alternative, struct trace_hash state)
{
	uint32_t cost = cb->bound + alternative->preemption;
	return reserve_level(cb, cost) &&
	       cb_list_push(&cb->levels[cost], cb->steps, i, alternative->step, state);
}

/* Which alternatives of transition i are to be run, now or later; false without memory. */
static bool choose_alternatives(struct cb *cb, const struct trace *trace, size_t i)
{
	const struct transition *at = &trace->at[i];
	for (uint32_t a = 0; a < at->alternatives; a++) {
		const struct alternative *open = &trace->alternatives[at->first_alternative + a];
		if (step_equal(open->step, transition_step(at)))
			continue;
		uint32_t cost = open->preemption;
		struct trace_hash state = {0, 0};
		bool known = false;
		if (cost > cb->most - cb->bound) {
			cb->left_out = true;
			continue;
		}
		if (cb->states &&
		    !cb_states_foresee(cb->states, &open->step, cb->bound + cost, &state, &known))
			return false;
		if (cost == 0)
			cb->marks[at->first_alternative + a] = (struct branch_mark){!known, state};
		else if (!known && !set_aside(cb, i, open, state))
			return false;
	}
	return true;
}

/* The new transitions of a trace, up to *end, which becomes that of the first state that is known. */
static bool look_at_new(struct cb *cb, const struct trace *trace, size_t first, size_t *end)
{
	if (first < *end && cb->states && !cb_states_start(cb->states, trace, first))
		return false;
	for (size_t i = first; i < *end; i++) {
		bool known = false;
		if (cb->states && !cb_states_arrive(cb->states, cb->bound, free_thread(cb, trace, i), &known))
			return false;
		if (known) {
			cb->redundant++;
			*end = i;
			return true;
		}
		if (!choose_alternatives(cb, trace, i) || (cb->states && !cb_states_advance(cb->states)))
			return false;
	}
	return true;
}

/* Room for the steps and marks of a trace, the steps filled in and nothing wanted; false without memory. */
static bool prepare(struct cb *cb, const struct trace *trace)
{
	if (trace->length > cb->steps_room) {
		size_t room = 2 * trace->length;
		struct step *steps = reallocarray(cb->steps, room, sizeof *steps);
		if (!steps)
			return false;
		cb->steps = steps;
		cb->steps_room = room;
	}
	if (trace->alternatives_length > cb->marks_room) {
		size_t room = 2 * trace->alternatives_length;
		struct branch_mark *marks = reallocarray(cb->marks, room, sizeof *marks);
		if (!marks)
			return false;
		cb->marks = marks;
		cb->marks_room = room;
	}
	for (size_t i = 0; i < trace->length; i++)
		cb->steps[i] = transition_step(&trace->at[i]);
	if (trace->alternatives_length > 0)
		memset(cb->marks, 0, trace->alternatives_length * sizeof *cb->marks);
	return true;
}

enum status cb_feed(void *strategy, uint64_t ticket, const struct trace *trace)
{
	struct cb *cb = strategy;
	cb->executions++;
	if (cb->states && trace_hides(trace, cb->sees_memory) && !stop_caching(cb))
		return STATUS_NO_MEMORY;
	size_t first, end;
	enum status status = branches_follow(&cb->branches, ticket, trace, &first, &end);
	if (status != STATUS_OK)
		return status;
	bool ok = prepare(cb, trace) && look_at_new(cb, trace, first, &end);
	return branches_grow(&cb->branches, ticket, trace, first, ok ? end : first, cb->marks) && ok
		   ? STATUS_OK
		   : STATUS_NO_MEMORY;
}

/* Executions up to the present bound, from the part of its items that is done. */
static double estimate(const struct cb *cb)
{
	double at_bound = (double)(cb->executions - cb->executions_before);
	if (cb->complete || at_bound == 0)
		return (double)cb->executions;
	return (double)cb->executions_before + at_bound * (double)cb->items / cb->branches.done;
}

void cb_progress(const void *strategy, struct search_progress *progress)
{
	const struct cb *cb = strategy;
	progress->bound = cb->bound;
	progress->complete = cb->complete;
	progress->bound_met = cb->left_out;
	progress->redundant = cb->redundant;
	progress->reduced = cb->states != NULL;
	progress->estimate = estimate(cb);
}

/* In the order in which cb_load() reads it. */
void cb_save(const void *strategy, struct saver *saver)
{
	const struct cb *cb = strategy;
	save_number(saver, cb->bound);
	save_number(saver, cb->left_out);
	save_number(saver, cb->complete);
	save_number(saver, cb->executions);
	save_number(saver, cb->executions_before);
	save_number(saver, cb->items);
	save_number(saver, cb->redundant);
	branches_save(&cb->branches, saver);
	save_number(saver, cb->levels_length);
	for (uint32_t i = 0; i < cb->levels_length; i++)
		cb_list_save(&cb->levels[i], saver);
	save_number(saver, cb->states != NULL);
	if (cb->states)
		visited_save(&cb->states->visited, saver);
}

static bool load_levels(struct cb *cb, struct loader *loader)
{
	size_t length = load_count(loader, 1);
	if (length <= cb->bound || length >= UINT32_MAX)
		load_refuse(loader);
	if (loader->failed || !reserve_level(cb, (uint32_t)length - 1))
		return false;
	for (size_t i = 0; i < length; i++)
		if (!cb_list_load(&cb->levels[i], loader))
			return false;
	cb_list_rewind(&cb->levels[cb->bound]);
	return true;
}

bool cb_load(void *strategy, struct loader *loader)
{
	struct cb *cb = strategy;
	cb->bound = (uint32_t)load_most(loader, cb->most);
	cb->left_out = load_bool(loader);
	cb->complete = load_bool(loader);
	cb->executions = load_number(loader);
	cb->executions_before = load_most(loader, cb->executions);
	cb->items = load_number(loader);
	cb->redundant = load_number(loader);
	branches_release(&cb->branches);
	if (!branches_load(&cb->branches, loader) || !load_levels(cb, loader))
		return false;
	bool cached = load_bool(loader);
	if (cached && !cb->states)
		load_refuse(loader);
	if (cached)
		return !loader->failed && visited_load(&cb->states->visited, loader);
	cb_states_free(cb->states);
	cb->states = NULL;
	return !loader->failed;
}

const struct strategy_ops search_cb = {
    .name = "cb",
    .bounded = true,
    .usual = UINT32_MAX,
    .several = true,
    .create = cb_create,
    .destroy = cb_destroy,
    .next = cb_next,
    .feed = cb_feed,
    .progress = cb_progress,
    .save = cb_save,
    .load = cb_load,
};
