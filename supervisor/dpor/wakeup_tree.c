/* Inserting sequences into wakeup trees: insert(w, <B, <>) of [ODPOR], section 5. */
#include "supervisor/dpor/wakeup_tree.h"

#include <fmc/tracer/assert.h>

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

bool is_weak_initial(const struct sequence *sequence, const struct step *step, struct accesses footprint,
		     size_t *at)
{
	const struct event *events = sequence->events;
	size_t i = 0, length = sequence->length;
	while (i < length && !step_same_lane(events[i].step, *step))
		i++;
	*at = i;
	if (i < length && events[i].step.choice != step->choice)
		return false;
	struct accesses own = i < length ? events[i].footprint : footprint;
	for (size_t k = 0; k < i; k++)
		if (dependence_conflict(events[k].footprint, own, sequence->fair) ||
		    (i == length &&
		     dependence_exhausts(sequence->after, sequence->beside, events[k].footprint, own)))
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
	footprint_copy(&leaf->footprint, event->footprint);
	if (leaf->footprint.failed) {
		wakeup_tree_free(leaf);
		return false;
	}
	while (*children)
		children = &(*children)->sibling;
	*children = leaf;
	return true;
}

bool wakeup_walk_start(struct wakeup_walk *w, const struct sequence *sequence, size_t i,
		       const struct model_replay *replay, const struct trace *trace)
{
	*w = (struct wakeup_walk){.replay = replay, .trace = trace, .i = i, .left = *sequence};
	w->walked = calloc(trace->threads_length + 1, sizeof *w->walked);
	w->events = malloc(sequence->length * sizeof *w->events);
	if (!w->walked || !w->events)
		return false;
	memcpy(w->events, sequence->events, sequence->length * sizeof *w->events);
	w->left.events = w->events;
	return true;
}

void wakeup_walk_release(struct wakeup_walk *w)
{
	free(w->walked);
	free(w->events);
	free(w->beside);
	footprint_release(&w->renamed);
}

/* How many transitions of thread t there are before transition i, its flushes not among them where they are apart. */
static uint32_t index_before(const struct wakeup_walk *w, uint32_t t)
{
	uint32_t low = 0;
	for (size_t k; (k = model_replay_transition(w->replay, t, low)) != SIZE_MAX && k < w->i; low++)
		;
	return low;
}

/* Does this key stand for an object? */
static bool is_object(uint64_t key)
{
	enum touch_class class = touch_class(key);
	return class == TOUCH_OBJECT || class == TOUCH_POSTS || class == TOUCH_PAIR || class == TOUCH_HOLDING;
}

/*
 * The operation that thread t has come to where the walk is, as this trace has it, be it that the thread performed
 * it later or never; NULL if it didn't get so far there.
 */
static const struct op *op_here(const struct wakeup_walk *w, uint32_t t)
{
	if (t >= w->trace->threads_length)
		return NULL;
	uint32_t index = index_before(w, t) + w->walked[t];
	size_t k = model_replay_transition(w->replay, t, index);
	if (k != SIZE_MAX)
		return &w->trace->at[k].op;
	bool came = index == 0 || model_replay_transition(w->replay, t, index - 1) != SIZE_MAX;
	return came ? thread_end_op(&w->trace->threads[t]) : NULL;
}

/* Give an object the number that it has in this trace; false if that isn't known. */
static bool rename_key(const struct wakeup_walk *w, uint64_t *key, const struct op *old, const struct op *now)
{
	uint32_t number = (uint32_t)*key;
	if (!is_object(*key))
		return true;
	bool first = number == old->object, second = number == old->object2;
	if (!now || (!first && !second))
		return number < w->trace->at[w->i].objects;
	*key = (*key & ~(uint64_t)UINT32_MAX) | (first ? now->object : now->object2);
	return true;
}

/*
 * What a node that is not in the sequence touches, with the numbers that its objects have in this trace. What
 * can't be told might be anything.
 */
static struct accesses look_up(struct wakeup_walk *w, const struct wakeup_tree *node)
{
	const struct op *now = op_here(w, node->step.thread);
	if (now && op_class(now->kind) != op_class(node->op.kind))
		now = NULL;
	footprint_copy(&w->renamed, (struct accesses){node->footprint.at, node->footprint.length});
	bool known = true;
	for (uint32_t a = 0; a < w->renamed.length; a++)
		known &= rename_key(w, &w->renamed.at[a].key, &node->op, now);
	if (!known)
		footprint_touch(&w->renamed, touch_key(TOUCH_ALL, 0), TOUCH_WRITE);
	return (struct accesses){w->renamed.at, w->renamed.length};
}

/* Record an event that precedes the remaining sequence but isn't in it. */
static void leave_beside(struct wakeup_walk *w, struct accesses accesses)
{
	if (accesses.length == 0)
		return;
	uint32_t length = w->left.beside.length;
	struct access *beside = reallocarray(w->beside, length + accesses.length, sizeof *beside);
	w->failed |= !beside;
	if (!beside)
		return;
	memcpy(beside + length, accesses.at, accesses.length * sizeof *beside);
	w->beside = beside;
	w->left.beside = (struct accesses){beside, length + accesses.length};
}

bool wakeup_walk_take(struct wakeup_walk *w, const struct wakeup_tree *planned)
{
	size_t at;
	uint32_t t = planned->step.thread;
	struct accesses accesses = look_up(w, planned);
	w->failed |= w->renamed.failed;
	if (!is_weak_initial(&w->left, &planned->step, accesses, &at))
		return false;
	if (t < w->trace->threads_length)
		w->walked[t] += !w->trace->apart || planned->step.choice != CHOICE_FLUSH;
	if (at == w->left.length) {
		leave_beside(w, accesses);
		return true;
	}
	FMC_ASSERT(at < w->left.length && w->left.events == w->events);
	w->left.length--;
	memmove(w->events + at, w->events + at + 1, (w->left.length - at) * sizeof *w->events);
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
	while (w->left.length > 0 && (child = descend(w, *children)) != NULL) {
		/* A leaf: whatever is run there goes on with what is left. */
		if (!child->child)
			return !w->failed;
		children = &child->child;
	}
	for (size_t k = 0; k < w->left.length; k++) {
		if (!wakeup_tree_append(children, &w->events[k]))
			return false;
		while ((*children)->sibling)
			children = &(*children)->sibling;
		children = &(*children)->child;
	}
	return !w->failed;
}
