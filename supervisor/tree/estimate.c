/* The tree of a search as far as an estimate needs it: what is open, and sums over what is finished. */
#include "supervisor/tree/estimate_tree.h"

#include <fmc/tracer/assert.h>

#include <stdlib.h>

struct estimate *estimate_new(enum estimate_tree kind)
{
	struct estimate *estimate = calloc(1, sizeof *estimate);
	if (estimate)
		estimate->kind = kind;
	return estimate;
}

/* A node under which all branches are finished or away. */
static void unlink_node(struct estimate *estimate, struct estimate_node *node)
{
	FMC_ASSERT(!node->child);
	struct estimate_node **at = node->parent ? &node->parent->child : &estimate->root;
	while (*at != node)
		at = &(*at)->next;
	*at = node->next;
	if (node->parent)
		node->parent->open--;
	free(node);
}

static struct estimate_node *deepest(struct estimate_node *node)
{
	while (node->child)
		node = node->child;
	return node;
}

void estimate_clear(struct estimate *estimate)
{
	struct estimate_node *node = estimate->root;
	while (node) {
		struct estimate_node *last = deepest(node), *parent = last->parent;
		unlink_node(estimate, last);
		node = parent ? parent : estimate->root;
	}
	free(estimate->levels);
	*estimate = (struct estimate){.kind = estimate->kind};
}

void estimate_stop(struct estimate *estimate)
{
	estimate_clear(estimate);
	estimate->broken = true;
}

void estimate_free(struct estimate *estimate)
{
	if (estimate)
		estimate_clear(estimate);
	free(estimate);
}

double estimate_spread(const struct estimate_node *node)
{
	FMC_ASSERT(node->closed > 1);
	double mean = node->sum / node->closed;
	double variance = (node->squares - node->sum * mean) / (node->closed - 1);
	return variance > 0 ? variance / (mean * mean) : 0;
}

static void close_branch(struct estimate_node *node, double size)
{
	node->ranked += node->closed * size;
	node->closed++;
	node->sum += size;
	node->squares += size * size;
}

/* Of the straight line that fits the sizes of the branches in their order best, their mean being 1. */
static double slope(const struct estimate_node *node)
{
	double n = node->closed, mean = node->sum / n;
	double products = node->ranked - (n - 1) / 2 * node->sum;
	return products / (n * (n * n - 1) / 12) / mean;
}

/* Nothing more comes below this node. */
static void close_node(struct estimate *estimate, struct estimate_node *node)
{
	struct estimate_level *level = &estimate->levels[node->level];
	if (node->closed > 1) {
		level->groups++;
		level->spread += estimate_spread(node);
		level->slope += slope(node);
	}
	if (node->parent)
		close_branch(node->parent, node->sum);
	unlink_node(estimate, node);
}

static void close_below(struct estimate *estimate, struct estimate_node *node)
{
	while (node->child)
		close_node(estimate, deepest(node));
}

static bool reserve_level(struct estimate *estimate, size_t level)
{
	if (level < estimate->levels_length)
		return true;
	size_t length = 2 * level + 64;
	struct estimate_level *levels = reallocarray(estimate->levels, length, sizeof *levels);
	if (!levels)
		return false;
	estimate->levels = levels;
	while (estimate->levels_length < length)
		levels[estimate->levels_length++] = (struct estimate_level){0};
	return true;
}

/* The node's branches are done but for this new one; false if it isn't new: then they weren't done. */
static bool leave(struct estimate *estimate, struct estimate_node *node, uint32_t taken)
{
	close_below(estimate, node);
	estimate->broken |= taken < node->closed;
	return !estimate->broken;
}

/* The node at the end of this branch, the root where there is no node; NULL without memory or when guessing is over. */
static struct estimate_node *enter(struct estimate *estimate, struct estimate_node *node, uint32_t taken)
{
	struct estimate_node **first = node ? &node->child : &estimate->root, *child = *first;
	while (child && node && child->taken != taken)
		child = child->next;
	if (child)
		return child;
	if (node && estimate->kind == ESTIMATE_GROWING && !leave(estimate, node, taken))
		return NULL;
	uint32_t level = node ? node->level + 1 : 0;
	child = reserve_level(estimate, level) ? calloc(1, sizeof *child) : NULL;
	if (!child)
		return NULL;
	*child = (struct estimate_node){.parent = node, .next = *first, .taken = taken, .level = level};
	*first = child;
	if (node)
		node->open++;
	return child;
}

/* The execution ends here. */
static void end(struct estimate *estimate, struct estimate_node *node, uint32_t taken)
{
	if (estimate->kind == ESTIMATE_GROWING && !leave(estimate, node, taken))
		return;
	close_branch(node, 1);
	while (estimate->kind == ESTIMATE_FIXED && node && node->closed >= node->degree) {
		struct estimate_node *parent = node->parent;
		close_node(estimate, node);
		node = parent;
	}
}

void estimate_add(struct estimate *estimate, const struct estimate_branch *path, size_t length)
{
	struct estimate_node *node = NULL;
	uint32_t taken = 0;
	estimate->executions++;
	for (size_t i = 0; i < length && !estimate->broken; i++) {
		FMC_ASSERT(path[i].degree > 0);
		if (estimate->kind == ESTIMATE_FIXED && path[i].degree == 1)
			continue;
		node = enter(estimate, node, taken);
		estimate->broken |= !node;
		if (node && path[i].degree > node->degree)
			node->degree = path[i].degree;
		taken = path[i].taken;
	}
	if (node && !estimate->broken)
		end(estimate, node, taken);
}
