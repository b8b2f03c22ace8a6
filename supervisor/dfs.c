/* Depth-first search over every fair execution. */
#include "branches.h"
#include "search_strategy.h"

#include <stdlib.h>

struct dfs {
	struct branches branches;
	uint64_t executions;
	bool complete;
};

static void dfs_destroy(void *strategy)
{
	struct dfs *dfs = strategy;
	branches_release(&dfs->branches);
	free(dfs);
}

static void *dfs_create(const struct search_options *options)
{
	struct dfs *dfs = calloc(1, sizeof *dfs);
	if (!dfs)
		return NULL;
	branches_init(&dfs->branches, options->max_depth);
	if (!branches_plant(&dfs->branches, NULL, 0, (struct trace_hash){0, 0})) {
		dfs_destroy(dfs);
		return NULL;
	}
	return dfs;
}

static enum search_answer dfs_next(void *strategy, struct plan *plan)
{
	struct dfs *dfs = strategy;
	if (dfs->branches.open_length > 0)
		return branches_take(&dfs->branches, plan) ? SEARCH_PLAN : SEARCH_OVER;
	if (dfs->branches.out_length > 0)
		return SEARCH_LATER;
	dfs->complete = true;
	return SEARCH_OVER;
}

static enum status dfs_feed(void *strategy, uint64_t ticket, const struct trace *trace)
{
	struct dfs *dfs = strategy;
	dfs->executions++;
	size_t first, end;
	enum status status = branches_follow(&dfs->branches, ticket, trace, &first, &end);
	if (status != STATUS_OK)
		return status;
	return branches_grow(&dfs->branches, ticket, trace, first, end, NULL) ? STATUS_OK : STATUS_NO_MEMORY;
}

static void dfs_progress(const void *strategy, struct search_progress *progress)
{
	const struct dfs *dfs = strategy;
	progress->complete = dfs->complete;
	if (dfs->executions > 0)
		progress->estimate = (double)dfs->executions;
	if (dfs->executions > 0 && !dfs->complete)
		progress->estimate /= dfs->branches.done;
}

static void dfs_save(const void *strategy, struct saver *saver)
{
	const struct dfs *dfs = strategy;
	save_number(saver, dfs->executions);
	save_number(saver, dfs->complete);
	branches_save(&dfs->branches, saver);
}

static bool dfs_load(void *strategy, struct loader *loader)
{
	struct dfs *dfs = strategy;
	dfs->executions = load_number(loader);
	dfs->complete = load_bool(loader);
	branches_release(&dfs->branches);
	return branches_load(&dfs->branches, loader);
}

const struct strategy_ops search_dfs = {
    .name = "dfs",
    .several = true,
    .create = dfs_create,
    .destroy = dfs_destroy,
    .next = dfs_next,
    .feed = dfs_feed,
    .progress = dfs_progress,
    .save = dfs_save,
    .load = dfs_load,
};
