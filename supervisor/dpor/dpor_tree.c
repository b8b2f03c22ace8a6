/* Nodes of the tree: how long each stays, which are open, what is in their sleep sets. */
#include "supervisor/dpor/dpor_tree.h"

#include <fmc/tracer/assert.h>

#include <stdlib.h>
#include <string.h>

void dpor_tree_release(struct dpor_tree *tree)
{
	for (struct dpor_node *next, *node = tree->unused; node; node = next) {
		next = node->before;
		free(node);
	}
	free(tree->open);
	*tree = (struct dpor_tree){0};
}

/* Can anything still be inserted into the children's wakeup trees from above? */
static bool seals_children(const struct dpor_node *node)
{
	return node->sealed || !node->internal;
}

static void link_child(struct dpor_node *parent, struct dpor_node *node)
{
	node->parent = parent;
	node->depth = parent->depth + 1;
	node->sealed = seals_children(parent) && !parent->first;
	node->previous = parent->last;
	if (parent->last)
		parent->last->next = node;
	else
		parent->first = node;
	parent->last = node;
	parent->unfinished++;
}

struct dpor_node *dpor_tree_node(struct dpor_tree *tree, struct dpor_node *parent, const struct step *step)
{
	struct dpor_node *node = tree->unused;
	if (node)
		tree->unused = node->before;
	else
		node = malloc(sizeof *node);
	if (!node) {
		tree->failed = true;
		return NULL;
	}
	*node = (struct dpor_node){.step = *step, .number = parent ? parent->claimed++ : 0};
	if (parent)
		link_child(parent, node);
	return node;
}

struct dpor_node *dpor_tree_plant(struct dpor_tree *tree)
{
	struct dpor_node *root = dpor_tree_node(tree, NULL, &(struct step){0});
	if (root)
		root->sealed = root->run = true;
	tree->root = root;
	return root;
}

static void unlink_child(struct dpor_node *node)
{
	struct dpor_node *parent = node->parent;
	if (!parent)
		return;
	if (node->previous)
		node->previous->next = node->next;
	else
		parent->first = node->next;
	if (node->next)
		node->next->previous = node->previous;
	else
		parent->last = node->previous;
}

/* A node without children. */
static void free_node(struct dpor_tree *tree, struct dpor_node *node)
{
	FMC_ASSERT(!node->open && !node->first && !node->children);
	unlink_child(node);
	for (uint32_t s = node->sleep_set_length - node->own; s < node->sleep_set_length; s++)
		free((void *)(uintptr_t)node->sleep_set[s].footprint.at);
	free(node->sleep_set);
	free((void *)(uintptr_t)node->footprint.at);
	free(node->rest);
	wakeup_tree_free(node->planned);
	if (node == tree->root)
		tree->root = NULL;
	node->before = tree->unused;
	tree->unused = node;
}

/* With all that is below it, which is finished too. */
static void free_finished(struct dpor_tree *tree, struct dpor_node *top)
{
	for (struct dpor_node *node = top;;) {
		while (node->last)
			node = node->last;
		struct dpor_node *parent = node->parent;
		free_node(tree, node);
		if (node == top)
			return;
		node = parent;
	}
}

static bool push_sleeper(struct dpor_tree *tree, struct dpor_node *node, const struct sleeper *sleeper)
{
	if (node->sleep_set_length == node->sleep_set_room) {
		uint32_t room = node->sleep_set_room ? 2 * node->sleep_set_room : 4;
		struct sleeper *sleep_set = reallocarray(node->sleep_set, room, sizeof *sleep_set);
		tree->failed |= !sleep_set;
		if (!sleep_set)
			return false;
		node->sleep_set = sleep_set;
		node->sleep_set_room = room;
	}
	node->sleep_set[node->sleep_set_length++] = *sleeper;
	return true;
}

void dpor_tree_sleep(struct dpor_tree *tree, struct dpor_node *node, const struct sleeper *sleeper)
{
	if (push_sleeper(tree, node, sleeper))
		node->own++;
	else
		free((void *)(uintptr_t)sleeper->footprint.at);
}

/* From now on the step isn't to be run again from the parent: "add p to sleep(E)" of [ODPOR]. */
static void put_to_sleep(struct dpor_tree *tree, struct dpor_node *node)
{
	const struct sleeper sleeper = {node->step, node->footprint};
	if (node->asleep)
		return;
	node->asleep = true;
	node->footprint = (struct accesses){NULL, 0}; /* the sleeper's now */
	dpor_tree_sleep(tree, node->parent, &sleeper);
}

/* Finished, may something be inserted here? Or is it needed to tell what is inserted where, beside it? */
static bool has_to_stay(const struct dpor_node *node)
{
	return !node->sealed && (node->internal || node->parent->internal);
}

/* The children of this node may be the first ones that are not finished. */
static void seal_children(struct dpor_tree *tree, struct dpor_node *node)
{
	while (node && seals_children(node)) {
		struct dpor_node *child = node->first;
		if (!child || child->sealed)
			return;
		child->sealed = true;
		if (child->finished) {
			put_to_sleep(tree, child);
			free_finished(tree, child);
		} else {
			node = child;
		}
	}
}

static bool is_finished(const struct dpor_node *node)
{
	return node->unfinished == 0 && !node->children;
}

/* A node that is finished, and those above that are so by that. */
static void finish(struct dpor_tree *tree, struct dpor_node *node)
{
	while (node && is_finished(node)) {
		struct dpor_node *parent = node->parent;
		node->finished = true;
		FMC_ASSERT(!parent || parent->unfinished > 0);
		if (parent)
			parent->unfinished--;
		if (!parent || !has_to_stay(node)) {
			if (parent && (!is_finished(parent) || (parent->parent && has_to_stay(parent))))
				put_to_sleep(tree, node);
			free_finished(tree, node);
			seal_children(tree, parent);
		}
		node = parent;
	}
}

void dpor_tree_drop(struct dpor_tree *tree, struct dpor_node *node)
{
	FMC_ASSERT(node->unfinished > 0);
	node->unfinished--;
	finish(tree, node);
}

static void take_off(struct dpor_tree *tree, struct dpor_node *node)
{
	if (!node->open)
		return;
	if (node->before)
		node->before->after = node->after;
	else
		tree->open[node->depth] = node->after;
	if (node->after)
		node->after->before = node->before;
	node->open = false;
}

void dpor_tree_close(struct dpor_tree *tree, struct dpor_node *node)
{
	take_off(tree, node);
	wakeup_tree_free(node->children);
	node->children = NULL;
}

void dpor_tree_close_all(struct dpor_tree *tree)
{
	for (struct dpor_node *node; (node = dpor_tree_deepest(tree)) != NULL;) {
		dpor_tree_close(tree, node);
		finish(tree, node);
	}
}

struct dpor_node *dpor_tree_shallowest(const struct dpor_tree *tree)
{
	for (size_t depth = 0; depth < tree->open_room && depth <= tree->deepest; depth++)
		if (tree->open[depth])
			return tree->open[depth];
	return NULL;
}

/* The node after this one, in the order of the tree down to a depth; `below`: its children are wanted, too. */
static struct dpor_node *walk_on(const struct dpor_node *node, bool below)
{
	if (below && node->first)
		return node->first;
	while (node && !node->next)
		node = node->parent;
	return node ? node->next : NULL;
}

struct dpor_node *dpor_tree_head(const struct dpor_tree *tree, const struct dpor_node *head, size_t depth)
{
	struct dpor_node *node = head ? walk_on(head, false) : tree->root;
	while (node && (node->finished || node->depth < depth))
		node = walk_on(node, !node->finished && node->depth < depth);
	return node;
}

static bool is_elsewhere(const struct dpor_node *node, size_t depth)
{
	while (node->depth > depth)
		node = node->parent;
	return node->elsewhere;
}

void dpor_tree_leave(struct dpor_tree *tree, size_t depth)
{
	for (size_t at = tree->deepest + 1; at-- > depth;)
		for (struct dpor_node *after, *node = tree->open[at]; node; node = after) {
			after = node->after;
			if (!is_elsewhere(node, depth))
				continue;
			dpor_tree_close(tree, node);
			finish(tree, node);
		}
}

static bool reserve_depth(struct dpor_tree *tree, size_t depth)
{
	if (depth < tree->open_room)
		return true;
	size_t room = depth < 64 ? 64 : 2 * depth;
	struct dpor_node **open = reallocarray(tree->open, room, sizeof(struct dpor_node *));
	tree->failed |= !open;
	if (!open)
		return false;
	memset(open + tree->open_room, 0, (room - tree->open_room) * sizeof(struct dpor_node *));
	tree->open = open;
	tree->open_room = room;
	return true;
}

static bool can_be_claimed(const struct dpor_node *node)
{
	return node->children && node->run && (!node->last || node->last->run);
}

void dpor_tree_update(struct dpor_tree *tree, struct dpor_node *node)
{
	for (struct dpor_node *up = node; up && up->finished && !is_finished(up); up = up->parent) {
		up->finished = false;
		up->parent->unfinished++;
	}
	if (node->open || !can_be_claimed(node) || !reserve_depth(tree, node->depth))
		return;
	struct dpor_node *first = tree->open[node->depth];
	node->before = NULL;
	node->after = first;
	if (first)
		first->before = node;
	tree->open[node->depth] = node;
	node->open = true;
	if (node->depth > tree->deepest)
		tree->deepest = node->depth;
}

void dpor_tree_loaded(struct dpor_tree *tree, struct dpor_node *const *nodes, size_t length)
{
	for (size_t i = length; i-- > 0;) {
		nodes[i]->finished = is_finished(nodes[i]);
		if (nodes[i]->finished && nodes[i]->parent)
			nodes[i]->parent->unfinished--;
	}
	for (size_t i = 0; i < length; i++)
		dpor_tree_update(tree, nodes[i]);
	if (tree->root && tree->root->finished)
		free_finished(tree, tree->root);
}

struct dpor_node *dpor_tree_deepest(struct dpor_tree *tree)
{
	if (tree->open_room == 0)
		return NULL;
	while (tree->deepest > 0 && !tree->open[tree->deepest])
		tree->deepest--;
	return tree->open[tree->deepest];
}

struct dpor_node *dpor_tree_claim(struct dpor_tree *tree, struct dpor_node *node)
{
	FMC_ASSERT(node->open && can_be_claimed(node));
	take_off(tree, node);
	if (node->last)
		put_to_sleep(tree, node->last);
	for (struct wakeup_tree *taken; (taken = node->children) != NULL;) {
		struct dpor_node *child = dpor_tree_node(tree, node, &taken->step);
		if (!child)
			return NULL;
		node->children = taken->sibling;
		child->planned = taken;
		child->children = taken->child;
		child->internal = taken->child;
		taken->child = taken->sibling = NULL;
		node = child;
	}
	node->unfinished++;
	return node;
}

void dpor_tree_run(struct dpor_tree *tree, struct dpor_node *node, struct accesses footprint)
{
	node->run = true;
	if (footprint.length == 0)
		return;
	struct access *at = malloc(footprint.length * sizeof *at);
	tree->failed |= !at;
	if (!at)
		return;
	memcpy(at, footprint.at, footprint.length * sizeof *at);
	node->footprint = (struct accesses){at, footprint.length};
}

void dpor_tree_hand_on(struct dpor_tree *tree, struct dpor_node *node, struct accesses footprint, bool fair)
{
	const struct dpor_node *from = node->parent;
	for (uint32_t s = 0; s < from->sleep_set_length; s++) {
		const struct sleeper *sleeper = &from->sleep_set[s];
		if (step_equal(sleeper->step, node->step))
			return; /* those that follow were claimed later */
		if (!step_same_lane(sleeper->step, node->step) &&
		    !dependence_disturbs(footprint, sleeper->footprint, fair))
			push_sleeper(tree, node, sleeper);
	}
}

void dpor_tree_inherit(struct dpor_tree *tree, struct dpor_node *node, const struct sleeper *sleeper)
{
	(void)push_sleeper(tree, node, sleeper);
}

struct dpor_node *dpor_tree_latest(const struct dpor_node *node)
{
	return node->last && !node->last->asleep ? node->last : NULL;
}

struct dpor_node *dpor_tree_child(const struct dpor_node *node, const struct step *step)
{
	struct dpor_node *child = node->last;
	while (child && !step_equal(child->step, *step))
		child = child->previous;
	return child;
}
