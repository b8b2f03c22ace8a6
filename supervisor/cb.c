/*
 * Iterative bounding of what executions cost. With preemptions as the cost that is [CB] Musuvathi and Qadeer,
 * Iterative Context Bounding, PLDI 2007, Algorithm 1 with its work queues; delay.c has another cost.
 *
 * Every execution of cost c has one shortest prefix that costs as much, which ends with the last step that
 * isn't free. The items of bound c are those prefixes; below an item only alternatives that cost nothing are
 * explored, depth first, and those that cost n become items of bound c + n. So every execution is run exactly
 * once, at the bound of its own cost. The default policy costs nothing.
 */
#include "cb.h"

#include <assert.h>
#include <stdlib.h>

void cb_destroy(void *strategy)
{
	struct cb *cb = strategy;
	dfs_path_release(&cb->path);
	for (uint32_t i = 0; i < cb->levels_length; i++)
		cb_list_release(&cb->levels[i]);
	free(cb->levels);
	free(cb->costs);
	happens_before_free(cb->happens_before);
	visited_release(&cb->visited);
	free(cb);
}

/* Room for items that cost so much. */
static bool reserve_level(struct cb *cb, uint32_t cost)
{
	if (cost < cb->levels_length)
		return true;
	struct cb_list *levels = reallocarray(cb->levels, (size_t)cost + 1, sizeof *levels);
	if (!levels)
		return false;
	cb->levels = levels;
	while (cb->levels_length <= cost)
		cb_list_init(&levels[cb->levels_length++]);
	return true;
}

void *cb_create(const struct search_options *options)
{
	struct cb *cb = calloc(1, sizeof *cb);
	if (!cb)
		return NULL;
	cb->most = options->bound;
	cb->fair = options->fair_k != 0;
	cb->sees_memory = options->sees_memory;
	cb->visited.delays = options->strategy == STRATEGY_DELAY;
	dfs_path_init(&cb->path, options->max_depth, true);
	if (options->cache)
		cb->happens_before = happens_before_new();
	if ((options->cache && !cb->happens_before) || !reserve_level(cb, 0) ||
	    !dfs_path_start(&cb->path, NULL, 0)) {
		cb_destroy(cb);
		return NULL;
	}
	return cb;
}

/* Begin again without the cache: what it has left out so far was perhaps not seen. False without memory. */
static bool stop_caching(struct cb *cb)
{
	happens_before_free(cb->happens_before);
	cb->happens_before = NULL;
	visited_release(&cb->visited);
	for (uint32_t i = 0; i < cb->levels_length; i++)
		cb_list_clear(&cb->levels[i]);
	cb->bound = 0;
	cb->left_out = false;
	cb->executions_before = cb->executions;
	return dfs_path_start(&cb->path, NULL, 0);
}

/* What was beyond the bound becomes the work; false: there is nothing. */
static bool raise_bound(struct cb *cb)
{
	while (cb->bound + 1 < cb->levels_length) {
		cb_list_release(&cb->levels[cb->bound]);
		cb->bound++;
		cb->executions_before = cb->executions;
		cb_list_rewind(&cb->levels[cb->bound]);
		if (cb->levels[cb->bound].count > 0)
			return true;
	}
	return false;
}

enum search_answer cb_next(void *strategy, struct plan *plan)
{
	struct cb *cb = strategy;
	while (!dfs_path_next(&cb->path)) {
		const struct step *prefix;
		size_t length;
		if (!cb_list_take(&cb->levels[cb->bound], &prefix, &length)) {
			if (raise_bound(cb))
				continue;
			cb->complete = true;
			return SEARCH_OVER;
		}
		if (!dfs_path_start(&cb->path, prefix, length))
			return SEARCH_OVER;
	}
	plan->prefix = cb->path.steps;
	plan->prefix_length = cb->path.prefix_length;
	return SEARCH_PLAN;
}

/* Alternatives of the new node i that cost something. */
static bool set_aside(struct cb *cb, size_t i)
{
	const struct dfs_node *node = &cb->path.nodes[i];
	for (uint32_t a = 0; a < node->alternatives; a++) {
		const struct alternative *alternative = &cb->path.alternatives[node->first_alternative + a];
		uint32_t cost = alternative->preemption;
		if (cost == 0)
			continue;
		assert(a != node->taken);
		if (cost > cb->most - cb->bound)
			cb->left_out = true;
		else if (!reserve_level(cb, cb->bound + cost) ||
			 !cb_list_push(&cb->levels[cb->bound + cost], cb->path.steps, i, alternative->step))
			return false;
	}
	return true;
}

/* Who could go on for nothing before transition i. */
static uint32_t free_thread(const struct cb *cb, const struct trace *trace, size_t i)
{
	uint32_t previous = i > 0 ? trace->at[i - 1].thread : NO_THREAD;
	if (cb->visited.delays)
		return previous;
	const struct alternative *open = trace->alternatives + trace->at[i].first_alternative;
	for (uint32_t a = 0; a < trace->at[i].alternatives; a++)
		if (open[a].preemption)
			return previous;
	return NO_THREAD;
}

/* End the path at the first new state that shows nothing new; false without memory. */
static bool cut_known(struct cb *cb, const struct trace *trace, size_t first_new)
{
	if (!happens_before_start(cb->happens_before, trace, cb->fair) ||
	    !happens_before_push_all(cb->happens_before))
		return false;
	bool known = false;
	for (size_t i = first_new; i < cb->path.length && !known; i++) {
		struct trace_hash state = happens_before_hash(cb->happens_before, i);
		if (!visited_enter(&cb->visited, state, cb->bound, free_thread(cb, trace, i), &known))
			return false;
		if (known)
			dfs_path_cut(&cb->path, i);
	}
	cb->redundant += known;
	return true;
}

enum status cb_feed(void *strategy, uint64_t ticket, const struct trace *trace)
{
	(void)ticket;
	struct cb *cb = strategy;
	cb->executions++;
	if (cb->happens_before && trace_hides(trace, cb->sees_memory))
		return stop_caching(cb) ? STATUS_OK : STATUS_NO_MEMORY;
	size_t first_new;
	enum status status = dfs_path_feed(&cb->path, trace, &first_new);
	if (status != STATUS_OK)
		return status;
	if (cb->happens_before && !cut_known(cb, trace, first_new))
		return STATUS_NO_MEMORY;
	for (size_t i = first_new; i < cb->path.length; i++)
		if (!set_aside(cb, i))
			return STATUS_NO_MEMORY;
	return STATUS_OK;
}

/* Executions up to the present bound, from the part of its items that is done. */
static double estimate(const struct cb *cb)
{
	double at_bound = (double)(cb->executions - cb->executions_before);
	if (cb->complete || at_bound == 0)
		return (double)cb->executions;
	const struct cb_list *present = &cb->levels[cb->bound];
	double items = cb->bound == 0 ? 1 : (double)present->count;
	double done = cb->bound == 0 ? 0 : (double)(present->taken - 1);
	return (double)cb->executions_before + at_bound * items / (done + dfs_path_share(&cb->path));
}

void cb_progress(const void *strategy, struct search_progress *progress)
{
	const struct cb *cb = strategy;
	progress->bound = cb->bound;
	progress->complete = cb->complete;
	progress->bound_met = cb->left_out;
	progress->redundant = cb->redundant;
	progress->reduced = cb->happens_before != NULL;
	progress->estimate = estimate(cb);
}

const struct strategy_ops search_cb = {
    .name = "cb",
    .bounded = true,
    .usual = UINT32_MAX,
    .create = cb_create,
    .destroy = cb_destroy,
    .next = cb_next,
    .feed = cb_feed,
    .progress = cb_progress,
};
