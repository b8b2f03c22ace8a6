/* Depth-first search over every fair execution. */
#include "supervisor/tree/branches.h"
#include "supervisor/tree/estimate.h"
#include "supervisor/tree/search_strategy.h"

#include <math.h>
#include <stdlib.h>

struct dfs {
	struct branches branches;
	struct split split;
	struct estimate *estimate;
	struct estimate_branch *path; /* of the execution at hand */
	size_t path_room;
	uint64_t executions;
	bool complete;
	bool parts;		     /* some of it is run elsewhere, and there is no interval but */
	struct estimate_guess guess; /* this one */
};

static void dfs_destroy(void *strategy)
{
	struct dfs *dfs = strategy;
	branches_release(&dfs->branches);
	estimate_free(dfs->estimate);
	free(dfs->path);
	free(dfs);
}

static void *dfs_create(const struct search_options *options)
{
	struct dfs *dfs = calloc(1, sizeof *dfs);
	if (!dfs)
		return NULL;
	branches_init(&dfs->branches, options->max_depth);
	split_init(&dfs->split, options);
	dfs->estimate = estimate_new(ESTIMATE_FIXED);
	if (!dfs->estimate || !branches_plant(&dfs->branches, NULL, 0, (struct trace_hash){0, 0})) {
		dfs_destroy(dfs);
		return NULL;
	}
	return dfs;
}

static enum search_answer dfs_next(void *strategy, struct plan *plan)
{
	struct dfs *dfs = strategy;
	if (split_shared(&dfs->split)) {
		if (dfs->branches.out_length > 0)
			return SEARCH_LATER;
		plan->elsewhere = branches_divide(&dfs->branches, &dfs->split);
	}
	if (dfs->branches.open_length > 0)
		return branches_take(&dfs->branches, plan) ? SEARCH_PLAN : SEARCH_OVER;
	if (dfs->branches.out_length > 0)
		return SEARCH_LATER;
	dfs->complete = true;
	return SEARCH_OVER;
}

/* Tell the estimate of an execution that may branch up to `end`; false without memory. */
static bool note(struct dfs *dfs, const struct trace *trace, size_t end)
{
	if (end > dfs->path_room) {
		struct estimate_branch *path = reallocarray(dfs->path, 2 * end, sizeof *path);
		if (!path)
			return false;
		dfs->path = path;
		dfs->path_room = 2 * end;
	}
	for (size_t i = 0; i < end; i++)
		dfs->path[i] = (struct estimate_branch){trace->at[i].alternatives, trace_taken(trace, i)};
	estimate_add(dfs->estimate, dfs->path, end);
	return true;
}

static enum status dfs_feed(void *strategy, uint64_t ticket, const struct trace *trace)
{
	struct dfs *dfs = strategy;
	dfs->executions++;
	dfs->split.shown += split_shared(&dfs->split);
	size_t first, end;
	enum status status = branches_follow(&dfs->branches, ticket, trace, &first, &end);
	if (status != STATUS_OK)
		return status;
	if (!note(dfs, trace, end))
		return STATUS_NO_MEMORY;
	return branches_grow(&dfs->branches, ticket, trace, first, end, NULL) ? STATUS_OK : STATUS_NO_MEMORY;
}

static void dfs_progress(const void *strategy, struct search_progress *progress)
{
	const struct dfs *dfs = strategy;
	struct estimate_guess guess;
	progress->complete = dfs->complete;
	progress->split = dfs->split.digest;
	if (dfs->executions == 0)
		return;
	progress->estimate = (double)dfs->executions;
	if (dfs->complete) {
		progress->estimate_low = progress->estimate_high = progress->estimate;
		return;
	}
	progress->estimate /= dfs->branches.done;
	if (dfs->parts)
		guess = dfs->guess;
	else
		estimate_guess(dfs->estimate, &guess);
	if (guess.high > 0) {
		progress->estimate_low = fmin(guess.low, progress->estimate);
		progress->estimate_high = fmax(guess.high, progress->estimate);
	}
}

static void dfs_save(const void *strategy, struct saver *saver)
{
	const struct dfs *dfs = strategy;
	save_number(saver, dfs->executions);
	save_number(saver, dfs->complete);
	split_save(&dfs->split, saver);
	branches_save(&dfs->branches, saver);
}

static bool dfs_load(void *strategy, struct loader *loader)
{
	struct dfs *dfs = strategy;
	dfs->executions = load_number(loader);
	dfs->complete = load_bool(loader);
	split_load(&dfs->split, loader);
	branches_release(&dfs->branches);
	/* It hasn't seen what was run before. */
	estimate_stop(dfs->estimate);
	return branches_load(&dfs->branches, loader);
}

/* What is run elsewhere isn't noted. */
static void keep_guess(struct dfs *dfs)
{
	if (dfs->parts)
		return;
	estimate_guess(dfs->estimate, &dfs->guess);
	estimate_stop(dfs->estimate);
	dfs->parts = true;
}

static enum search_answer dfs_give(void *strategy, uint64_t ticket, size_t wanted, struct saver *part)
{
	struct dfs *dfs = strategy;
	if (dfs->branches.open_length > 0) {
		keep_guess(dfs);
		return branches_give(&dfs->branches, ticket, wanted, part) ? SEARCH_PLAN : SEARCH_OVER;
	}
	dfs->complete = dfs->branches.out_length == 0;
	return dfs->complete ? SEARCH_OVER : SEARCH_LATER;
}

static bool dfs_begin(void *strategy, struct loader *part)
{
	struct dfs *dfs = strategy;
	branches_release(&dfs->branches);
	estimate_stop(dfs->estimate);
	return branches_load(&dfs->branches, part);
}

/* Each part is all that there is of its executions. */
static bool dfs_tells(const void *strategy, size_t *from)
{
	(void)strategy;
	*from = 0;
	return false;
}

static void dfs_save_part(const void *strategy, struct saver *rest)
{
	const struct dfs *dfs = strategy;
	branches_save(&dfs->branches, rest);
}

static enum status dfs_hear(void *strategy, uint64_t ticket, size_t from, const struct trace *trace)
{
	(void)strategy;
	(void)ticket;
	(void)from;
	(void)trace;
	return STATUS_OK;
}

static bool dfs_take_back(void *strategy, uint64_t ticket, size_t wanted, uint64_t executions,
			  struct loader *rest)
{
	struct dfs *dfs = strategy;
	(void)wanted;
	dfs->executions += executions;
	return branches_take_back(&dfs->branches, ticket, rest);
}

static bool dfs_lose(void *strategy, uint64_t ticket)
{
	struct dfs *dfs = strategy;
	return branches_lose(&dfs->branches, ticket);
}

static const struct strategy_parts_ops dfs_parts = {
    .give = dfs_give,
    .begin = dfs_begin,
    .tells = dfs_tells,
    .save = dfs_save_part,
    .hear = dfs_hear,
    .take_back = dfs_take_back,
    .lose = dfs_lose,
};

const struct strategy_ops search_dfs = {
    .name = "dfs",
    .several = true,
    .split = true,
    .create = dfs_create,
    .destroy = dfs_destroy,
    .next = dfs_next,
    .feed = dfs_feed,
    .progress = dfs_progress,
    .save = dfs_save,
    .load = dfs_load,
    .parts = &dfs_parts,
};
