/* Wakeup trees as bytes. Nothing is recursive, since sequences may be long. */
#include "supervisor/dpor/wakeup_tree.h"

#include <stdlib.h>

/* The nodes from a child of the first one down to the present one. */
struct levels {
	struct wakeup_tree **at;
	size_t length, room;
};

static bool push(struct levels *levels, const struct wakeup_tree *node)
{
	if (levels->length == levels->room) {
		size_t room = levels->room ? 2 * levels->room : 16;
		struct wakeup_tree **at = reallocarray(levels->at, room, sizeof(struct wakeup_tree *));
		if (!at)
			return false;
		levels->at = at;
		levels->room = room;
	}
	levels->at[levels->length++] = (struct wakeup_tree *)(uintptr_t)node;
	return true;
}

void wakeup_tree_save_node(const struct wakeup_tree *node, uint64_t level, struct saver *saver)
{
	save_number(saver, level);
	save_step(saver, &node->step);
	save_op(saver, &node->op);
	save_accesses(saver, (struct accesses){node->footprint.at, node->footprint.length});
}

void wakeup_tree_save(const struct wakeup_tree *children, uint64_t level, struct saver *saver)
{
	struct levels levels = {0};
	for (const struct wakeup_tree *node = children; node && !saver->failed;) {
		wakeup_tree_save_node(node, level + levels.length, saver);
		if (node->child) {
			saver->failed |= !push(&levels, node);
			node = node->child;
			continue;
		}
		while (!node->sibling && levels.length > 0)
			node = levels.at[--levels.length];
		node = node->sibling;
	}
	free(levels.at);
}

void wakeup_tree_save_end(struct saver *saver)
{
	save_number(saver, 0);
}

static struct wakeup_tree *load_node(struct loader *loader)
{
	struct wakeup_tree *node = calloc(1, sizeof *node);
	if (!node)
		return NULL;
	node->step = load_step(loader);
	node->op = load_op(loader);
	load_footprint(loader, &node->footprint);
	if (!loader->failed && !node->footprint.failed)
		return node;
	wakeup_tree_free(node);
	return NULL;
}

/* After the last node of its level, or as the first child of the one above. */
static bool link_node(struct levels *levels, size_t level, struct wakeup_tree **children,
		      struct wakeup_tree *node)
{
	if (level < levels->length)
		levels->at[level]->sibling = node;
	else if (level > 0)
		levels->at[level - 1]->child = node;
	else
		*children = node;
	levels->length = level;
	return push(levels, node);
}

bool wakeup_tree_load(struct wakeup_tree **children, struct loader *loader)
{
	struct levels levels = {0};
	bool ok = true;
	*children = NULL;
	for (uint64_t level; ok && (level = load_most(loader, levels.length + 1)) != 0;) {
		struct wakeup_tree *node = load_node(loader);
		ok = node && link_node(&levels, level - 1, children, node);
	}
	free(levels.at);
	if (ok && !loader->failed)
		return true;
	wakeup_tree_free(*children);
	*children = NULL;
	return false;
}
