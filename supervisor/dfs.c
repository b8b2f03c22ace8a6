/* Depth-first search over every fair execution. */
#include "dfs_path.h"
#include "search_strategy.h"

#include <stdlib.h>

struct dfs {
	struct dfs_path path;
	uint64_t executions;
	bool complete;
};

static void dfs_destroy(void *strategy)
{
	struct dfs *dfs = strategy;
	dfs_path_release(&dfs->path);
	free(dfs);
}

static void *dfs_create(const struct search_options *options)
{
	struct dfs *dfs = calloc(1, sizeof *dfs);
	if (!dfs)
		return NULL;
	dfs_path_init(&dfs->path, options->max_depth, false);
	if (!dfs_path_start(&dfs->path, NULL, 0)) {
		dfs_destroy(dfs);
		return NULL;
	}
	return dfs;
}

static enum search_answer dfs_next(void *strategy, struct plan *plan)
{
	struct dfs *dfs = strategy;
	if (!dfs_path_next(&dfs->path)) {
		dfs->complete = true;
		return SEARCH_OVER;
	}
	plan->prefix = dfs->path.steps;
	plan->prefix_length = dfs->path.prefix_length;
	return SEARCH_PLAN;
}

static enum status dfs_feed(void *strategy, uint64_t ticket, const struct trace *trace)
{
	(void)ticket;
	struct dfs *dfs = strategy;
	dfs->executions++;
	size_t first_new;
	return dfs_path_feed(&dfs->path, trace, &first_new);
}

static void dfs_progress(const void *strategy, struct search_progress *progress)
{
	const struct dfs *dfs = strategy;
	progress->complete = dfs->complete;
	if (dfs->executions > 0)
		progress->estimate = (double)dfs->executions;
	if (dfs->executions > 0 && !dfs->complete)
		progress->estimate /= dfs_path_share(&dfs->path);
}

const struct strategy_ops search_dfs = {
    .name = "dfs",
    .create = dfs_create,
    .destroy = dfs_destroy,
    .next = dfs_next,
    .feed = dfs_feed,
    .progress = dfs_progress,
};
