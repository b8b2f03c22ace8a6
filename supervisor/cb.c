/*
 * Iterative preemption bounding: [CB] Musuvathi and Qadeer, Iterative Context Bounding, PLDI 2007, Algorithm
 * 1 with its two work queues.
 *
 * Every execution with c preemptions has one shortest prefix that contains them all, which ends with the last
 * of them. The items of bound c are those prefixes; below an item only alternatives that cost nothing are
 * explored, depth first, and those that cost a preemption become items of bound c + 1. So every execution is
 * run exactly once, at the bound of its own number of preemptions. The default policy costs nothing.
 */
#include "cb_list.h"
#include "dfs_path.h"
#include "search_strategy.h"

#include <assert.h>
#include <stdlib.h>

struct cb {
	uint32_t most; /* the bound to stop at */
	uint32_t bound;
	struct dfs_path path;  /* below the present item */
	struct cb_list items;  /* of this bound; at bound 0 the path starts with the only, empty, one */
	struct cb_list beyond; /* of the next bound */
	bool left_out;	       /* items of bound most + 1 exist */
	bool complete;
	uint64_t executions;
	uint64_t executions_before; /* at lower bounds */
};

static void cb_destroy(void *strategy)
{
	struct cb *cb = strategy;
	dfs_path_release(&cb->path);
	cb_list_release(&cb->items);
	cb_list_release(&cb->beyond);
	free(cb);
}

static void *cb_create(const struct search_options *options)
{
	struct cb *cb = calloc(1, sizeof *cb);
	if (!cb)
		return NULL;
	cb->most = options->bound;
	dfs_path_init(&cb->path, options->max_depth, true);
	cb_list_init(&cb->items);
	cb_list_init(&cb->beyond);
	if (!dfs_path_start(&cb->path, NULL, 0)) {
		cb_destroy(cb);
		return NULL;
	}
	return cb;
}

/* What was beyond the bound becomes the work; false: there is nothing. */
static bool raise_bound(struct cb *cb)
{
	if (cb->beyond.count == 0)
		return false;
	struct cb_list done = cb->items;
	cb->items = cb->beyond;
	cb->beyond = done;
	cb_list_rewind(&cb->items);
	cb_list_clear(&cb->beyond);
	cb->bound++;
	cb->executions_before = cb->executions;
	return true;
}

static bool cb_next(void *strategy, struct plan *plan)
{
	struct cb *cb = strategy;
	while (!dfs_path_next(&cb->path)) {
		const struct step *prefix;
		size_t length;
		if (!cb_list_take(&cb->items, &prefix, &length)) {
			if (raise_bound(cb))
				continue;
			cb->complete = true;
			return false;
		}
		if (!dfs_path_start(&cb->path, prefix, length))
			return false;
	}
	plan->prefix = cb->path.steps;
	plan->prefix_length = cb->path.prefix_length;
	return true;
}

/* Alternatives of the new node i that cost a preemption. */
static bool set_aside(struct cb *cb, size_t i)
{
	const struct dfs_node *node = &cb->path.nodes[i];
	for (uint32_t a = 0; a < node->alternatives; a++) {
		const struct alternative *alternative = &cb->path.alternatives[node->first_alternative + a];
		if (!alternative->preemption)
			continue;
		assert(a != node->taken);
		if (cb->bound >= cb->most)
			cb->left_out = true;
		else if (!cb_list_push(&cb->beyond, cb->path.steps, i, alternative->step))
			return false;
	}
	return true;
}

static enum status cb_feed(void *strategy, const struct trace *trace)
{
	struct cb *cb = strategy;
	cb->executions++;
	size_t first_new;
	enum status status = dfs_path_feed(&cb->path, trace, &first_new);
	if (status != STATUS_OK)
		return status;
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
	double items = cb->bound == 0 ? 1 : (double)cb->items.count;
	double done = cb->bound == 0 ? 0 : (double)(cb->items.taken - 1);
	return (double)cb->executions_before + at_bound * items / (done + dfs_path_share(&cb->path));
}

static void cb_progress(const void *strategy, struct search_progress *progress)
{
	const struct cb *cb = strategy;
	progress->bound = cb->bound;
	progress->complete = cb->complete;
	progress->bound_met = cb->left_out;
	progress->estimate = estimate(cb);
}

const struct strategy_ops search_cb = {
    .name = "cb",
    .create = cb_create,
    .destroy = cb_destroy,
    .next = cb_next,
    .feed = cb_feed,
    .progress = cb_progress,
};
