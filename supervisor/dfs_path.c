#include "dfs_path.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void dfs_path_init(struct dfs_path *path, uint64_t max_depth, bool free_only)
{
	*path = (struct dfs_path){.max_depth = max_depth, .free_only = free_only};
}

void dfs_path_release(struct dfs_path *path)
{
	free(path->nodes);
	free(path->steps);
	free(path->alternatives);
	*path = (struct dfs_path){0};
}

static size_t doubled(size_t room, size_t needed)
{
	if (room == 0)
		room = 64;
	while (room < needed)
		room *= 2;
	return room;
}

static bool reserve_nodes(struct dfs_path *path, size_t needed)
{
	if (needed <= path->room)
		return true;
	size_t room = doubled(path->room, needed);
	struct dfs_node *nodes = reallocarray(path->nodes, room, sizeof *nodes);
	if (!nodes)
		return false;
	path->nodes = nodes;
	struct step *steps = reallocarray(path->steps, room, sizeof *steps);
	if (!steps)
		return false;
	path->steps = steps;
	path->room = room;
	return true;
}

static bool reserve_alternatives(struct dfs_path *path, size_t needed)
{
	if (needed <= path->alternatives_room)
		return true;
	size_t room = doubled(path->alternatives_room, needed);
	struct alternative *alternatives = reallocarray(path->alternatives, room, sizeof *alternatives);
	if (!alternatives)
		return false;
	path->alternatives = alternatives;
	path->alternatives_room = room;
	return true;
}

bool dfs_path_start(struct dfs_path *path, const struct step *prefix, size_t length)
{
	if (!reserve_nodes(path, length))
		return false;
	if (length)
		memcpy(path->steps, prefix, length * sizeof *prefix);
	path->length = 0;
	path->alternatives_length = 0;
	path->fixed = length;
	path->prefix_length = length;
	path->fresh = true;
	return true;
}

/* The next alternative of node i that is to be tried; false: there is none. */
static bool advance(struct dfs_path *path, size_t i)
{
	struct dfs_node *node = &path->nodes[i];
	const struct alternative *alternatives = path->alternatives + node->first_alternative;
	while (node->tried < node->alternatives) {
		/* In the order of trying the pick is number 0, and those before it move up by one. */
		uint32_t next = node->tried <= node->pick ? node->tried - 1 : node->tried;
		node->tried++;
		if (path->free_only && alternatives[next].preemption)
			continue;
		node->taken = next;
		path->steps[i] = alternatives[next].step;
		return true;
	}
	return false;
}

bool dfs_path_next(struct dfs_path *path)
{
	if (path->fresh)
		return true;
	while (path->length > path->fixed) {
		size_t last = path->length - 1;
		if (advance(path, last)) {
			path->prefix_length = path->length;
			return true;
		}
		path->alternatives_length = path->nodes[last].first_alternative;
		path->length = last;
	}
	return false;
}

static bool same_step(const struct step *a, const struct step *b)
{
	return a->thread == b->thread && a->choice == b->choice;
}

static bool same_alternatives(const struct dfs_path *path, size_t i, const struct trace *trace)
{
	const struct dfs_node *node = &path->nodes[i];
	const struct transition *transition = &trace->at[i];
	if (node->alternatives != transition->alternatives)
		return false;
	const struct alternative *known = path->alternatives + node->first_alternative;
	const struct alternative *now = trace->alternatives + transition->first_alternative;
	for (uint32_t a = 0; a < node->alternatives; a++)
		if (!same_step(&known[a].step, &now[a].step) || known[a].preemption != now[a].preemption)
			return false;
	return true;
}

static bool follows_plan(const struct dfs_path *path, const struct trace *trace)
{
	if (trace->length < path->prefix_length)
		return false;
	for (size_t i = 0; i < path->prefix_length; i++) {
		struct step step = {trace->at[i].thread, trace->at[i].choice};
		if (!same_step(&step, &path->steps[i]))
			return false;
		if (i < path->length && !same_alternatives(path, i, trace))
			return false;
	}
	return true;
}

static bool push_node(struct dfs_path *path, const struct trace *trace, size_t i)
{
	const struct transition *transition = &trace->at[i];
	size_t first = path->alternatives_length;
	if (!reserve_nodes(path, i + 1) || !reserve_alternatives(path, first + transition->alternatives))
		return false;
	struct alternative *alternatives = path->alternatives + first;
	memcpy(alternatives, trace->alternatives + transition->first_alternative,
	       transition->alternatives * sizeof *alternatives);
	struct step step = {transition->thread, transition->choice};
	uint32_t pick = 0;
	while (pick < transition->alternatives && !same_step(&alternatives[pick].step, &step))
		pick++;
	assert(pick < transition->alternatives);
	path->nodes[i] = (struct dfs_node){
	    .first_alternative = first,
	    .alternatives = transition->alternatives,
	    .pick = pick,
	    .taken = pick,
	    .tried = 1,
	};
	path->steps[i] = step;
	path->alternatives_length = first + transition->alternatives;
	path->length = i + 1;
	return true;
}

enum status dfs_path_feed(struct dfs_path *path, const struct trace *trace, size_t *first_new)
{
	*first_new = path->fixed > path->length ? path->fixed : path->length;
	if (!follows_plan(path, trace)) {
		path->fresh = false;
		*first_new = path->length;
		return STATUS_DIVERGED;
	}
	path->fresh = false;
	/* Behind the depth bound nothing branches and nothing need be remembered. */
	size_t length = trace->length;
	if (path->max_depth != 0 && length > path->max_depth)
		length = (size_t)path->max_depth;
	for (size_t i = path->length; i < length; i++)
		if (!push_node(path, trace, i))
			return STATUS_NO_MEMORY;
	return STATUS_OK;
}

void dfs_path_cut(struct dfs_path *path, size_t length)
{
	assert(length >= path->fixed);
	if (length >= path->length)
		return;
	path->alternatives_length = path->nodes[length].first_alternative;
	path->length = length;
}

/* How many alternatives of a node the search will try in all, and how many it has finished. */
static void count_node(const struct dfs_path *path, size_t i, uint32_t *all, uint32_t *finished)
{
	const struct dfs_node *node = &path->nodes[i];
	const struct alternative *alternatives = path->alternatives + node->first_alternative;
	*all = 0;
	*finished = 0;
	for (uint32_t a = 0; a < node->alternatives; a++) {
		if (path->free_only && alternatives[a].preemption)
			continue;
		uint32_t order = a == node->pick ? 0 : a < node->pick ? a + 1 : a;
		*all += 1;
		*finished += order + 1 < node->tried;
	}
}

double dfs_path_share(const struct dfs_path *path)
{
	double share = 0, weight = 1;
	for (size_t i = path->fixed; i < path->length; i++) {
		uint32_t all, finished;
		count_node(path, i, &all, &finished);
		weight /= all;
		share += weight * finished;
	}
	return share + weight;
}
