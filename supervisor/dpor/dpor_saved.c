/*
 * A search by dynamic partial-order reduction as bytes: its nodes, each before those below it. What is out is to be
 * run again: it becomes a part of the wakeup trees once more. What sleeps in a node is saved where it was put to
 * sleep, and handed on again.
 */
#include "supervisor/dpor/dpor_private.h"

#include <fmc/tracer/assert.h>

#include <stdlib.h>

/* A child that is out, with those after it, as the first child of a wakeup tree. */
static void save_planned(const struct dpor_node *top, struct saver *saver)
{
	const struct dpor_node *node = top;
	for (;; node = node->first) {
		FMC_ASSERT(!node->run && node->first == node->last);
		wakeup_tree_save_node(node->planned, node->depth - top->depth + 1, saver);
		if (!node->first)
			break;
	}
	for (; node != top->parent; node = node->parent)
		wakeup_tree_save(node->children, node->depth - top->depth + 2, saver);
}

static void save_sleep_set(const struct dpor_node *node, struct saver *saver)
{
	save_number(saver, node->own);
	for (uint32_t s = node->sleep_set_length - node->own; s < node->sleep_set_length; s++) {
		save_step(saver, &node->sleep_set[s].step);
		save_accesses(saver, node->sleep_set[s].footprint);
	}
}

/* `top`: the first of those that are saved, whose step isn't. */
static void save_node(const struct dpor_node *node, const struct dpor_node *top, struct saver *saver)
{
	if (node != top) {
		save_step(saver, &node->step);
		save_number(saver, node->internal);
		save_number(saver, node->sealed);
		save_number(saver, node->asleep);
		save_accesses(saver, node->footprint);
		if (node->planned)
			wakeup_tree_save_node(node->planned, 1, saver);
		wakeup_tree_save_end(saver);
	}
	save_sleep_set(node, saver);
	if (node->last && !node->last->run)
		save_planned(node->last, saver);
	wakeup_tree_save(node->children, 1, saver);
	wakeup_tree_save_end(saver);
	save_bytes(saver, node->rest, node->rest_length);
}

/* Nodes that have been run, and those below them, up to the last one below `top`. */
static struct dpor_node *after(const struct dpor_node *node, const struct dpor_node *top)
{
	struct dpor_node *next = node->first;
	if (next && next->run)
		return next;
	while (node != top && !(node->next && node->next->run))
		node = node->parent;
	return node != top ? node->next : NULL;
}

void dpor_save_below(const struct dpor_node *top, struct saver *saver)
{
	for (const struct dpor_node *node = top; node; node = after(node, top)) {
		save_number(saver, node->depth - top->depth + UINT64_C(1));
		save_node(node, top, saver);
	}
	save_number(saver, 0);
}

void dpor_save(const struct dpor *dpor, struct saver *saver)
{
	const struct dpor_node *root = dpor->tree.root;
	bool begun = dpor->begun && !(root && !root->first && !root->children && !root->rest);
	save_number(saver, dpor->whole);
	save_number(saver, dpor->fair_k);
	save_number(saver, begun);
	if (begun && root)
		dpor_save_below(root, saver);
	else
		save_number(saver, 0);
}

static struct accesses load_accesses(struct dpor *dpor, struct loader *loader)
{
	struct footprint footprint;
	load_footprint(loader, &footprint);
	dpor->tree.failed |= footprint.failed;
	return (struct accesses){footprint.at, footprint.length};
}

/* Of a step that sleeps in the parent, which has been loaded. */
static struct accesses find_footprint(const struct dpor_node *node, struct loader *loader)
{
	const struct dpor_node *parent = node->parent;
	for (uint32_t s = parent->sleep_set_length - parent->own; s < parent->sleep_set_length; s++)
		if (step_equal(parent->sleep_set[s].step, node->step))
			return parent->sleep_set[s].footprint;
	load_refuse(loader);
	return (struct accesses){NULL, 0};
}

static void load_step_of(struct dpor *dpor, struct dpor_node *node, struct loader *loader)
{
	node->run = true;
	node->internal = load_bool(loader);
	node->sealed = load_bool(loader);
	node->asleep = load_bool(loader);
	node->footprint = load_accesses(dpor, loader);
	wakeup_tree_load(&node->planned, loader);
	bool alone = !node->planned || (!node->planned->child && !node->planned->sibling);
	bool needed = node->internal || node->parent->internal;
	if (!alone || (needed && !node->planned) || (node->asleep && node->footprint.length > 0))
		load_refuse(loader);
	if (loader->failed)
		return;
	struct accesses footprint = node->asleep ? find_footprint(node, loader) : node->footprint;
	dpor_tree_hand_on(&dpor->tree, node, footprint, dpor->fair);
}

static void load_left(struct dpor *dpor, struct dpor_node *node, struct loader *loader)
{
	size_t length;
	const void *rest = load_bytes(loader, &length);
	if (length == 0)
		return;
	/* All that is known below a leaf is in its rest. */
	if (node->children || node->first || node->own || node->internal)
		load_refuse(loader);
	else
		(void)dpor_keep_rest(dpor, node, rest, length);
}

static void load_rest(struct dpor *dpor, struct dpor_node *node, struct loader *loader)
{
	for (size_t left = load_count(loader, 3); left > 0 && !loader->failed; left--) {
		struct sleeper sleeper = {.step = load_step(loader)};
		sleeper.footprint = load_accesses(dpor, loader);
		dpor_tree_sleep(&dpor->tree, node, &sleeper);
	}
	wakeup_tree_load(&node->children, loader);
	load_left(dpor, node, loader);
}

static bool reserve_nodes(struct dpor_node ***nodes, size_t length, size_t *room)
{
	if (length < *room)
		return true;
	size_t more = *room ? 2 * *room : 64;
	struct dpor_node **moved = reallocarray(*nodes, more, sizeof(struct dpor_node *));
	if (!moved)
		return false;
	*nodes = moved;
	*room = more;
	return true;
}

/* The node at this depth, below the last one that is less deep, which has to be its parent. */
static struct dpor_node *load_node(struct dpor *dpor, struct dpor_node *last, uint64_t depth,
				   struct loader *loader)
{
	const struct step step = load_step(loader);
	while (last->depth >= depth)
		last = last->parent;
	if (last->rest) {
		load_refuse(loader);
		return NULL;
	}
	struct dpor_node *node = dpor_tree_node(&dpor->tree, last, &step);
	if (!node)
		return NULL;
	load_step_of(dpor, node, loader);
	load_rest(dpor, node, loader);
	return node;
}

/* What dpor_save_below() has saved, the first of which is this node, of whose own there is nothing yet. */
static void load_below(struct dpor *dpor, struct dpor_node *top, struct loader *loader)
{
	struct dpor_node **nodes = NULL, *last = top;
	size_t length = 0, room = 0;
	if (load_number(loader) != 1)
		load_refuse(loader);
	load_rest(dpor, top, loader);
	for (uint64_t level; !dpor->tree.failed && (level = load_number(loader)) != 0; length++) {
		if (level < 2 || level > last->depth - top->depth + UINT64_C(2))
			load_refuse(loader);
		if (loader->failed)
			break;
		dpor->tree.failed |= !reserve_nodes(&nodes, length, &room);
		if (dpor->tree.failed || !(last = load_node(dpor, last, top->depth + level - 1, loader)))
			break;
		nodes[length] = last;
	}
	dpor_tree_loaded(&dpor->tree, nodes, length);
	free(nodes);
}

bool dpor_graft(struct dpor *dpor, struct dpor_node *leaf, struct loader *rest)
{
	unsigned char *bytes = leaf->rest;
	leaf->rest = NULL;
	leaf->rest_length = 0;
	load_below(dpor, leaf, rest);
	free(bytes);
	dpor_tree_update(&dpor->tree, leaf);
	return !dpor->tree.failed && !rest->failed;
}

/* The whole tree, from its root. */
static void load_tree(struct dpor *dpor, struct loader *loader)
{
	struct dpor_node *root = dpor_tree_plant(&dpor->tree);
	if (!root)
		return;
	load_below(dpor, root, loader);
	dpor_tree_loaded(&dpor->tree, &root, 1);
}

/* Is there a tree? What begins with no number is read as nothing. */
static bool has_tree(struct loader *loader)
{
	if (loader->left == 0 || *loader->at != 0)
		return true;
	return load_number(loader) != 0;
}

bool dpor_load(struct dpor *dpor, struct loader *loader)
{
	dpor->whole = load_bool(loader);
	dpor->fair_k = (uint32_t)load_most(loader, UINT32_MAX);
	dpor->fair = dpor->fair_k != 0;
	dpor->begun = load_bool(loader);
	if (has_tree(loader)) {
		if (!dpor->begun)
			load_refuse(loader);
		load_tree(dpor, loader);
	}
	return !dpor->tree.failed && !loader->failed;
}
