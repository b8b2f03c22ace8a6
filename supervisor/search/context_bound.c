/*
 * Iterative bounding of what executions cost. With preemptions as the cost that is [CB] Musuvathi and Qadeer,
 * Iterative Context Bounding, PLDI 2007, Algorithm 1 with its work queues; delay.c has another cost.
 *
 * Every execution of cost c has one shortest prefix that costs as much, which ends with the last step that
 * isn't free. The items of bound c are those prefixes; below an item only alternatives that cost nothing are
 * explored, depth first, and those that cost n become items of bound c + n. So every execution is run exactly
 * once, at the bound of its own cost. The default policy costs nothing.
 */
#include "supervisor/search/context_bound.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

void context_bound_destroy(void *strategy)
{
	struct context_bound *search = strategy;
	branches_release(&search->branches);
	for (uint32_t i = 0; i < search->levels_length; i++)
		bound_queue_release(&search->levels[i]);
	free(search->levels);
	bound_cache_free(search->states);
	free(search->costs);
	free(search->steps);
	free(search->marks);
	free(search);
}

/* Room for items that cost so much. */
static bool reserve_level(struct context_bound *search, uint32_t cost)
{
	if (cost < search->levels_length)
		return true;
	if (!ARRAY_ONE_MORE(search->levels, cost))
		return false;
	while (search->levels_length <= cost)
		bound_queue_init(&search->levels[search->levels_length++]);
	return true;
}

void *context_bound_create(const struct search_options *options)
{
	struct context_bound *search = calloc(1, sizeof *search);
	if (!search)
		return NULL;
	search->most = options->bound;
	search->items = 1;
	search->fair_k = options->fair_k;
	search->delays = options->strategy == STRATEGY_DELAY;
	search->sees_memory = options->sees_memory;
	branches_init(&search->branches, options->max_depth);
	if (options->cache)
		search->states = bound_cache_new(options->fair_k, search->delays);
	if ((options->cache && !search->states) || !reserve_level(search, 0) ||
	    !branches_plant(&search->branches, NULL, 0, (struct trace_hash){0, 0})) {
		context_bound_destroy(search);
		return NULL;
	}
	return search;
}

/* Begin again without the cache: what it has left out so far was perhaps not seen. False without memory. */
static bool stop_caching(struct context_bound *search)
{
	bound_cache_free(search->states);
	search->states = NULL;
	for (uint32_t i = 0; i < search->levels_length; i++)
		bound_queue_clear(&search->levels[i]);
	search->bound = 0;
	search->items = 1;
	search->left_out = false;
	search->executions_before = search->executions;
	branches_clear(&search->branches);
	return branches_plant(&search->branches, NULL, 0, (struct trace_hash){0, 0});
}

/* What was beyond the bound becomes the work; false: there is nothing. */
static bool raise_bound(struct context_bound *search)
{
	while (search->bound + 1 < search->levels_length) {
		bound_queue_release(&search->levels[search->bound]);
		search->bound++;
		search->executions_before = search->executions;
		search->items = search->levels[search->bound].count;
		bound_queue_rewind(&search->levels[search->bound]);
		branches_clear(&search->branches);
		if (search->items > 0)
			return true;
	}
	return false;
}

/* Has the state after the branch that comes next been come to since it was opened? */
static bool leads_nowhere(const struct context_bound *search)
{
	const struct branch *next = branches_latest(&search->branches);
	return search->states && next &&
	       bound_cache_done(search->states, next->state, search->bound, next->step.thread);
}

enum search_answer context_bound_next(void *strategy, struct plan *plan)
{
	struct context_bound *search = strategy;
	for (;;) {
		while (leads_nowhere(search))
			branches_skip(&search->branches);
		if (search->branches.open_length > 0)
			return branches_take(&search->branches, plan) ? SEARCH_PLAN : SEARCH_OVER;
		const struct step *prefix;
		size_t length;
		struct trace_hash state;
		if (bound_queue_take(&search->levels[search->bound], &prefix, &length, &state)) {
			if (!branches_plant(&search->branches, prefix, length, state))
				return SEARCH_OVER;
		} else if (search->branches.out_length > 0) {
			return SEARCH_LATER;
		} else if (!raise_bound(search)) {
			search->complete = true;
			return SEARCH_OVER;
		}
	}
}

/* The thread whose continuation costs no preemption at transition i. */
static uint32_t free_thread(const struct context_bound *search, const struct trace *trace, size_t i)
{
	uint32_t previous = i > 0 ? trace->at[i - 1].thread : NO_THREAD;
	if (search->delays)
		return previous;
	const struct alternative *open = trace->alternatives + trace->at[i].first_alternative;
	for (uint32_t a = 0; a < trace->at[i].alternatives; a++)
		if (open[a].preemption)
			return previous;
	return NO_THREAD;
}

/* Set what costs something, after the first i steps, aside; false without memory. */
static bool set_aside(struct context_bound *search, size_t i, const struct alternative *alternative,
		      struct trace_hash state)
{
	uint32_t cost = search->bound + alternative->preemption;
	return reserve_level(search, cost) &&
	       bound_queue_push(&search->levels[cost], search->steps, i, alternative->step, state);
}

/* Which alternatives of transition i are to be run, now or later; false without memory. */
static bool choose_alternatives(struct context_bound *search, const struct trace *trace, size_t i)
{
	const struct transition *at = &trace->at[i];
	for (uint32_t a = 0; a < at->alternatives; a++) {
		const struct alternative *open = &trace->alternatives[at->first_alternative + a];
		if (step_equal(open->step, transition_step(at)))
			continue;
		uint32_t cost = open->preemption;
		struct trace_hash state = {0, 0};
		bool known = false;
		if (cost > search->most - search->bound) {
			search->left_out = true;
			continue;
		}
		if (search->states &&
		    !bound_cache_foresee(search->states, &open->step, search->bound + cost, &state, &known))
			return false;
		if (cost == 0)
			search->marks[at->first_alternative + a] = (struct branch_mark){!known, state};
		else if (!known && !set_aside(search, i, open, state))
			return false;
	}
	return true;
}

/* The new transitions of a trace, up to *end, which becomes that of the first state that is known. */
static bool look_at_new(struct context_bound *search, const struct trace *trace, size_t first, size_t *end)
{
	if (first < *end && search->states && !bound_cache_start(search->states, trace, first))
		return false;
	for (size_t i = first; i < *end; i++) {
		bool known = false;
		if (search->states &&
		    !bound_cache_arrive(search->states, search->bound, free_thread(search, trace, i), &known))
			return false;
		if (known) {
			search->redundant++;
			*end = i;
			return true;
		}
		if (!choose_alternatives(search, trace, i) ||
		    (search->states && !bound_cache_advance(search->states)))
			return false;
	}
	return true;
}

/* Room for the steps and marks of a trace, the steps filled in and nothing wanted; false without memory. */
static bool prepare(struct context_bound *search, const struct trace *trace)
{
	if (trace->length > search->steps_room) {
		size_t room = 2 * trace->length;
		struct step *steps = reallocarray(search->steps, room, sizeof *steps);
		if (!steps)
			return false;
		search->steps = steps;
		search->steps_room = room;
	}
	if (trace->alternatives_length > search->marks_room) {
		size_t room = 2 * trace->alternatives_length;
		struct branch_mark *marks = reallocarray(search->marks, room, sizeof *marks);
		if (!marks)
			return false;
		search->marks = marks;
		search->marks_room = room;
	}
	for (size_t i = 0; i < trace->length; i++)
		search->steps[i] = transition_step(&trace->at[i]);
	if (trace->alternatives_length > 0)
		memset(search->marks, 0, trace->alternatives_length * sizeof *search->marks);
	return true;
}

enum status context_bound_feed(void *strategy, uint64_t ticket, const struct trace *trace)
{
	struct context_bound *search = strategy;
	search->executions++;
	if (search->states && trace_hides(trace, search->sees_memory) && !stop_caching(search))
		return STATUS_NO_MEMORY;
	size_t first, end;
	enum status status = branches_follow(&search->branches, ticket, trace, &first, &end);
	if (status != STATUS_OK)
		return status;
	bool ok = prepare(search, trace) && look_at_new(search, trace, first, &end);
	return branches_grow(&search->branches, ticket, trace, first, ok ? end : first, search->marks) && ok
		   ? STATUS_OK
		   : STATUS_NO_MEMORY;
}

/* Executions up to the present bound, from the part of its items that is done. */
static double estimate(const struct context_bound *search)
{
	double at_bound = (double)(search->executions - search->executions_before);
	if (search->complete || at_bound == 0)
		return (double)search->executions;
	return (double)search->executions_before + at_bound * (double)search->items / search->branches.done;
}

void context_bound_progress(const void *strategy, struct search_progress *progress)
{
	const struct context_bound *search = strategy;
	progress->bound = search->bound;
	progress->complete = search->complete;
	progress->bound_met = search->left_out;
	progress->redundant = search->redundant;
	progress->reduced = search->states != NULL;
	progress->estimate = estimate(search);
}

/* In the order in which context_bound_load() reads it. */
void context_bound_save(const void *strategy, struct saver *saver)
{
	const struct context_bound *search = strategy;
	save_number(saver, search->bound);
	save_number(saver, search->left_out);
	save_number(saver, search->complete);
	save_number(saver, search->executions);
	save_number(saver, search->executions_before);
	save_number(saver, search->items);
	save_number(saver, search->redundant);
	branches_save(&search->branches, saver);
	save_number(saver, search->levels_length);
	for (uint32_t i = 0; i < search->levels_length; i++)
		bound_queue_save(&search->levels[i], saver);
	save_number(saver, search->states != NULL);
	if (search->states)
		visited_save(&search->states->visited, saver);
}

static bool load_levels(struct context_bound *search, struct loader *loader)
{
	size_t length = load_count(loader, 1);
	if (length <= search->bound || length >= UINT32_MAX)
		load_refuse(loader);
	if (loader->failed || !reserve_level(search, (uint32_t)length - 1))
		return false;
	for (size_t i = 0; i < length; i++)
		if (!bound_queue_load(&search->levels[i], loader))
			return false;
	bound_queue_rewind(&search->levels[search->bound]);
	return true;
}

bool context_bound_load(void *strategy, struct loader *loader)
{
	struct context_bound *search = strategy;
	search->bound = (uint32_t)load_most(loader, search->most);
	search->left_out = load_bool(loader);
	search->complete = load_bool(loader);
	search->executions = load_number(loader);
	search->executions_before = load_most(loader, search->executions);
	search->items = load_number(loader);
	search->redundant = load_number(loader);
	branches_release(&search->branches);
	if (!branches_load(&search->branches, loader) || !load_levels(search, loader))
		return false;
	bool cached = load_bool(loader);
	if (cached && !search->states)
		load_refuse(loader);
	if (cached)
		return !loader->failed && visited_load(&search->states->visited, loader);
	bound_cache_free(search->states);
	search->states = NULL;
	return !loader->failed;
}

const struct strategy_ops search_context_bound = {
    .name = "cb",
    .bounded = true,
    .usual = UINT32_MAX,
    .several = true,
    .create = context_bound_create,
    .destroy = context_bound_destroy,
    .next = context_bound_next,
    .feed = context_bound_feed,
    .progress = context_bound_progress,
    .save = context_bound_save,
    .load = context_bound_load,
};
