/* Inserting sequences into wakeup trees. */
#include "wakeup_tree.h"

#include <stdlib.h>
#include <string.h>

void wakeup_tree_free(struct wakeup_tree *tree)
{
	while (tree) {
		struct wakeup_tree *sibling = tree->sibling;
		wakeup_tree_free(tree->child);
		footprint_release(&tree->footprint);
		free(tree);
		tree = sibling;
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

/* Where a walk down the tree is. */
struct walk {
	const struct rebuild *rebuild;
	const struct trace *trace;
	bool fair;
	size_t i;
	struct event *events; /* what is left of the sequence */
	size_t length;
	uint32_t *walked; /* transitions of each thread between the state before i and here */
	struct footprint renamed;
};

/* How many transitions of thread t there are before transition i. */
static uint32_t index_before(const struct walk *w, uint32_t t)
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
	if (touch_class(access.key) == TOUCH_OBJECT) {
		if (number == old->object)
			number = now->object;
		else if (number == old->object2)
			number = now->object2;
	}
	footprint_touch(to, touch_key(touch_class(access.key), number), (enum touch_mode)access.mode);
}

/*
 * What a node that is not in the sequence touches, with the numbers that its objects have in this trace. Its
 * thread has come to the same operation here, be it that it performed it later or never.
 */
static struct accesses look_up(struct walk *w, const struct wakeup_tree *node)
{
	struct accesses own = {node->footprint.at, node->footprint.length};
	uint32_t t = node->step.thread;
	size_t k = rebuild_transition(w->rebuild, t, index_before(w, t) + w->walked[t]);
	const struct op *now = k != SIZE_MAX		      ? &w->trace->at[k].op
			       : t < w->trace->threads_length ? &w->trace->threads[t].pending
							      : &node->op;
	bool same = now->object == node->op.object && now->object2 == node->op.object2;
	if (same || op_class(now->kind) != op_class(node->op.kind))
		return own;
	footprint_clear(&w->renamed);
	for (uint32_t a = 0; a < own.length; a++)
		rename_object(&w->renamed, own.at[a], &node->op, now);
	return (struct accesses){w->renamed.at, w->renamed.length};
}

/* The first child that the sequence could begin with; it is taken out of it. NULL: there is none. */
static struct wakeup_tree *descend(struct walk *w, struct wakeup_tree *child)
{
	for (; child; child = child->sibling) {
		size_t at;
		if (!is_weak_initial(w->events, w->length, &child->step, look_up(w, child), w->fair, &at))
			continue;
		w->walked[child->step.thread]++;
		if (at < w->length) {
			memmove(w->events + at, w->events + at + 1, (w->length - at - 1) * sizeof *w->events);
			w->length--;
		}
		return child;
	}
	return NULL;
}

static bool insert(struct walk *w, struct wakeup_tree **children)
{
	struct wakeup_tree *child;
	while (w->length > 0 && (child = descend(w, *children)) != NULL) {
		/* A leaf: whatever is run there goes on with what is left. */
		if (!child->child)
			return true;
		children = &child->child;
	}
	for (size_t k = 0; k < w->length; k++) {
		if (!wakeup_tree_append(children, &w->events[k]))
			return false;
		while ((*children)->sibling)
			children = &(*children)->sibling;
		children = &(*children)->child;
	}
	return true;
}

bool wakeup_tree_insert(struct wakeup_tree **children, const struct reversal *reversal,
			const struct happens_before *order, const struct rebuild *rebuild,
			const struct trace *trace, bool fair)
{
	struct walk w = {
	    .rebuild = rebuild,
	    .trace = trace,
	    .fair = fair,
	    .i = reversal->i,
	    .length = reversal->length,
	};
	w.walked = calloc(happens_before_threads(order) + 1, sizeof *w.walked);
	w.events = malloc(reversal->length * sizeof *w.events);
	bool ok = w.walked && w.events;
	if (ok) {
		memcpy(w.events, reversal->events, reversal->length * sizeof *w.events);
		ok = insert(&w, children) && !w.renamed.failed;
	}
	free(w.walked);
	free(w.events);
	footprint_release(&w.renamed);
	return ok;
}
