/* Inserting sequences into wakeup trees. */
#include "wakeup_tree.h"

#include <stdlib.h>
#include <string.h>

/* Sequences may be long: children are put in front of the siblings, and nothing is recursive. */
void wakeup_tree_free(struct wakeup_tree *tree)
{
	while (tree) {
		struct wakeup_tree *next = tree->child ? tree->child : tree->sibling;
		if (tree->child) {
			struct wakeup_tree *last = tree->child;
			while (last->sibling)
				last = last->sibling;
			last->sibling = tree->sibling;
		}
		footprint_release(&tree->footprint);
		free(tree);
		tree = next;
	}
}

bool is_weak_initial(const struct event *events, size_t length, const struct step *step,
		     struct accesses footprint, bool fair, size_t *at)
{
	size_t i = 0;
	while (i < length && events[i].step.thread != step->thread)
		i++;
	*at = i;
	if (i < length && events[i].step.choice != step->choice)
		return false;
	struct accesses own = i < length ? events[i].footprint : footprint;
	for (size_t k = 0; k < i; k++)
		if (dependence_conflict(events[k].footprint, own, fair))
			return false;
	return true;
}

bool wakeup_tree_append(struct wakeup_tree **children, const struct event *event)
{
	struct wakeup_tree *leaf = calloc(1, sizeof *leaf);
	if (!leaf)
		return false;
	leaf->step = event->step;
	leaf->op = event->op;
	for (uint32_t a = 0; a < event->footprint.length; a++)
		footprint_touch(&leaf->footprint, event->footprint.at[a].key, event->footprint.at[a].mode);
	if (leaf->footprint.failed) {
		wakeup_tree_free(leaf);
		return false;
	}
	while (*children)
		children = &(*children)->sibling;
	*children = leaf;
	return true;
}

bool wakeup_walk_start(struct wakeup_walk *w, const struct reversal *reversal, const struct rebuild *rebuild,
		       const struct trace *trace, bool fair)
{
	*w = (struct wakeup_walk){
	    .rebuild = rebuild,
	    .trace = trace,
	    .fair = fair,
	    .i = reversal->i,
	    .length = reversal->length,
	};
	w->walked = calloc(trace->threads_length + 1, sizeof *w->walked);
	w->events = malloc(reversal->length * sizeof *w->events);
	if (!w->walked || !w->events)
		return false;
	memcpy(w->events, reversal->events, reversal->length * sizeof *w->events);
	return true;
}

void wakeup_walk_release(struct wakeup_walk *w)
{
	free(w->walked);
	free(w->events);
	footprint_release(&w->renamed);
}

/* How many transitions of thread t there are before transition i. */
static uint32_t index_before(const struct wakeup_walk *w, uint32_t t)
{
	uint32_t low = 0;
	for (size_t k; (k = rebuild_transition(w->rebuild, t, low)) != SIZE_MAX && k < w->i; low++)
		;
	return low;
}

static void rename_object(struct footprint *to, struct access access, const struct op *old,
			  const struct op *now)
{
	uint32_t number = (uint32_t)access.key;
	if (touch_class(access.key) == TOUCH_OBJECT || touch_class(access.key) == TOUCH_PAIR) {
		if (number == old->object)
			number = now->object;
		else if (number == old->object2)
			number = now->object2;
	}
	uint64_t key = (access.key & ~(uint64_t)UINT32_MAX) | number;
	footprint_touch(to, key, (enum touch_mode)access.mode);
}

/*
 * What a node that is not in the sequence touches, with the numbers that its objects have in this trace. Its
 * thread has come to the same operation here, be it that it performed it later or never.
 */
static struct accesses look_up(struct wakeup_walk *w, const struct wakeup_tree *node)
{
	struct accesses own = {node->footprint.at, node->footprint.length};
	uint32_t t = node->step.thread;
	if (t >= w->trace->threads_length)
		return own;
	size_t k = rebuild_transition(w->rebuild, t, index_before(w, t) + w->walked[t]);
	const struct op *now = k != SIZE_MAX ? &w->trace->at[k].op : &w->trace->threads[t].pending;
	bool same = now->object == node->op.object && now->object2 == node->op.object2;
	if (same || op_class(now->kind) != op_class(node->op.kind))
		return own;
	footprint_clear(&w->renamed);
	for (uint32_t a = 0; a < own.length; a++)
		rename_object(&w->renamed, own.at[a], &node->op, now);
	return (struct accesses){w->renamed.at, w->renamed.length};
}

bool wakeup_walk_take(struct wakeup_walk *w, const struct wakeup_tree *planned)
{
	size_t at;
	uint32_t t = planned->step.thread;
	if (!is_weak_initial(w->events, w->length, &planned->step, look_up(w, planned), w->fair, &at))
		return false;
	if (t < w->trace->threads_length)
		w->walked[t]++;
	if (at < w->length) {
		memmove(w->events + at, w->events + at + 1, (w->length - at - 1) * sizeof *w->events);
		w->length--;
	}
	return true;
}

/* The first child that the sequence could begin with; NULL: there is none. */
static struct wakeup_tree *descend(struct wakeup_walk *w, struct wakeup_tree *child)
{
	while (child && !wakeup_walk_take(w, child))
		child = child->sibling;
	return child;
}

bool wakeup_walk_insert(struct wakeup_walk *w, struct wakeup_tree **children)
{
	struct wakeup_tree *child;
	while (w->length > 0 && (child = descend(w, *children)) != NULL) {
		/* A leaf: whatever is run there goes on with what is left. */
		if (!child->child)
			return !w->renamed.failed;
		children = &child->child;
	}
	for (size_t k = 0; k < w->length; k++) {
		if (!wakeup_tree_append(children, &w->events[k]))
			return false;
		while ((*children)->sibling)
			children = &(*children)->sibling;
		children = &(*children)->child;
	}
	return !w->renamed.failed;
}
