/* The path of source-DPOR and optimal DPOR. */
#include "dpor.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

bool dpor_path_init(struct dpor_path *path, bool whole)
{
	*path = (struct dpor_path){.whole = whole, .fresh = true};
	path->races = races_new();
	return path->races != NULL;
}

static void release_node(struct dpor_node *node)
{
	for (size_t i = node->sleepers_length - node->own; i < node->sleepers_length; i++)
		free((void *)(uintptr_t)node->sleepers[i].footprint.at);
	free(node->sleepers);
	footprint_release(&node->footprint);
	wakeup_tree_free(node->children);
	*node = (struct dpor_node){0};
}

static void cut(struct dpor_path *path, size_t length)
{
	while (path->length > length)
		release_node(&path->nodes[--path->length]);
}

void dpor_path_release(struct dpor_path *path)
{
	cut(path, 0);
	free(path->nodes);
	free(path->steps);
	races_free(path->races);
	*path = (struct dpor_path){0};
}

void dpor_path_start(struct dpor_path *path, uint32_t fair_k)
{
	cut(path, 0);
	path->fair_k = fair_k;
	path->fair = fair_k != 0;
	path->fresh = true;
	path->prefix_length = path->branch = 0;
}

/* One more node at the end; NULL without memory. */
static struct dpor_node *push_node(struct dpor_path *path, struct step step)
{
	if (path->length == path->room) {
		size_t room = path->room ? 2 * path->room : 64;
		struct dpor_node *nodes = reallocarray(path->nodes, room, sizeof *nodes);
		if (!nodes)
			return NULL;
		path->nodes = nodes;
		struct step *steps = reallocarray(path->steps, room, sizeof *steps);
		if (!steps)
			return NULL;
		path->steps = steps;
		path->room = room;
	}
	struct dpor_node *node = &path->nodes[path->length];
	*node = (struct dpor_node){.step = step};
	path->steps[path->length++] = step;
	return node;
}

static bool push_sleeper(struct dpor_node *node, const struct sleeper *sleeper)
{
	if (node->sleepers_length == node->sleepers_room) {
		size_t room = node->sleepers_room ? 2 * node->sleepers_room : 4;
		struct sleeper *sleepers = reallocarray(node->sleepers, room, sizeof *sleepers);
		if (!sleepers)
			return false;
		node->sleepers = sleepers;
		node->sleepers_room = room;
	}
	node->sleepers[node->sleepers_length++] = *sleeper;
	return true;
}

/* The node's transition has been explored with all that follows. */
static bool put_to_sleep(struct dpor_node *node)
{
	struct footprint *footprint = &node->footprint;
	const struct sleeper sleeper = {node->step, {footprint->at, footprint->length}};
	if (!push_sleeper(node, &sleeper))
		return false;
	node->own++;
	*footprint = (struct footprint){0}; /* the sleeper's now */
	return true;
}

/* Take the node's first child as its transition, and the child's first descendants as nodes behind it. */
static bool plan_child(struct dpor_path *path)
{
	struct wakeup_tree *children = path->nodes[path->length - 1].children;
	path->nodes[path->length - 1].children = children->sibling;
	path->nodes[path->length - 1].step = path->steps[path->length - 1] = children->step;
	for (;;) {
		struct wakeup_tree *taken = children;
		children = taken->child;
		taken->child = taken->sibling = NULL;
		wakeup_tree_free(taken);
		if (!children)
			return true;
		struct dpor_node *node = push_node(path, children->step);
		if (!node) {
			wakeup_tree_free(children);
			return false;
		}
		node->children = children->sibling;
	}
}

bool dpor_path_next(struct dpor_path *path, struct plan *plan)
{
	if (!path->fresh) {
		while (path->length > 0 && !path->nodes[path->length - 1].children)
			cut(path, path->length - 1);
		if (path->length == 0)
			return false;
		path->branch = path->length - 1;
		struct dpor_node *node = &path->nodes[path->branch];
		if (!put_to_sleep(node) || !plan_child(path))
			return false;
		node = &path->nodes[path->branch];
		plan->sleepers = node->sleepers;
		plan->sleepers_length = node->sleepers_length;
		plan->sleepers_from = path->branch;
		plan->sleepers_fair = path->fair;
	}
	path->prefix_length = path->length;
	plan->prefix = path->steps;
	plan->prefix_length = path->prefix_length;
	return true;
}

static bool follows_plan(const struct dpor_path *path, const struct trace *trace)
{
	if (trace->length < path->prefix_length)
		return false;
	for (size_t i = 0; i < path->prefix_length; i++)
		if (trace->at[i].thread != path->steps[i].thread ||
		    trace->at[i].choice != path->steps[i].choice)
			return false;
	return true;
}

/* What the transition turned out to be. */
static bool fill_node(struct dpor_node *node, const struct trace *trace, size_t i)
{
	struct accesses accesses = trace_accesses(trace, i);
	node->op = trace->at[i].op;
	footprint_clear(&node->footprint);
	for (uint32_t a = 0; a < accesses.length; a++)
		footprint_touch(&node->footprint, accesses.at[a].key, (enum touch_mode)accesses.at[a].mode);
	return !node->footprint.failed;
}

/* Those that sleep before a transition sleep behind it, unless it depends on them. */
static bool hand_on_sleepers(const struct dpor_path *path, const struct dpor_node *from, struct dpor_node *to)
{
	struct accesses done = {from->footprint.at, from->footprint.length};
	for (size_t s = 0; s < from->sleepers_length; s++) {
		const struct sleeper *sleeper = &from->sleepers[s];
		if (sleeper->step.thread != from->step.thread &&
		    !dependence_conflict(sleeper->footprint, done, path->fair) && !push_sleeper(to, sleeper))
			return false;
	}
	return true;
}

static bool extend(struct dpor_path *path, const struct trace *trace)
{
	for (size_t i = path->branch; i < trace->length; i++) {
		const struct step step = {trace->at[i].thread, trace->at[i].choice};
		if (i >= path->length && !push_node(path, step))
			return false;
		if (!fill_node(&path->nodes[i], trace, i))
			return false;
		if (i > path->branch && !hand_on_sleepers(path, &path->nodes[i - 1], &path->nodes[i]))
			return false;
	}
	return true;
}

/* Has something that the sequence could begin with been explored? For source sets it has to be part of it. */
static bool sleeps(const struct dpor_path *path, const struct dpor_node *node, const struct event *events,
		   size_t length)
{
	for (size_t s = 0; s < node->sleepers_length; s++) {
		size_t at;
		const struct sleeper *sleeper = &node->sleepers[s];
		if (is_weak_initial(events, length, &sleeper->step, sleeper->footprint, path->fair, &at) &&
		    (at < length || path->whole))
			return true;
	}
	return false;
}

static bool same_step(const struct step *a, const struct step *b)
{
	return a->thread == b->thread && a->choice == b->choice;
}

/*
 * Source-DPOR: one initial of the sequence must be among those that are run at the node; the racing thread's
 * own transition is preferred.
 */
static bool insert_initial(struct dpor_path *path, struct dpor_node *node, const struct reversal *reversal)
{
	const struct event *events = reversal->events;
	size_t length = reversal->length, at;
	for (const struct wakeup_tree *child = node->children; child; child = child->sibling)
		if (is_weak_initial(events, length, &child->step, (struct accesses){NULL, 0}, path->fair,
				    &at) &&
		    at < length)
			return true;
	const struct event *last = &events[length - 1];
	bool initial = is_weak_initial(events, length, &last->step, last->footprint, path->fair, &at) &&
		       at == length - 1;
	return wakeup_tree_append(&node->children, initial ? last : &events[0]);
}

static bool insert(struct dpor_path *path, const struct trace *trace, const struct reversal *reversal)
{
	struct dpor_node *node = &path->nodes[reversal->i];
	if (sleeps(path, node, reversal->events, reversal->length))
		return true;
	if (!path->whole)
		return insert_initial(path, node, reversal);
	return wakeup_tree_insert(&node->children, reversal, races_order(path->races),
				  races_rebuild(path->races), trace, path->fair);
}

/*
 * The other choices of a node's thread lead to other traces, whatever else is reversed. So do all spurious
 * wakeups, which depend on everything and which no policy chooses by itself.
 */
static bool insert_choices(struct dpor_path *path, const struct trace *trace, size_t i)
{
	const struct transition *transition = &trace->at[i];
	const struct alternative *alternatives = trace->alternatives + transition->first_alternative;
	const struct observation seen = {transition->word, transition->word2};
	struct footprint footprint = {0};
	bool ok = true;
	for (uint32_t a = 0; a < transition->alternatives && ok; a++) {
		struct step step = alternatives[a].step;
		if ((step.thread != transition->thread && step.choice != CHOICE_SPURIOUS) ||
		    same_step(&step, &path->nodes[i].step))
			continue;
		rebuild_goto(races_rebuild(path->races), i);
		struct op pending = *model_pending(rebuild_model(races_rebuild(path->races)), step.thread);
		rebuild_perform(races_rebuild(path->races), &step, &seen, &footprint);
		struct event event = {step, pending, {footprint.at, footprint.length}};
		const struct reversal alone = {.i = i, .events = &event, .length = 1};
		ok = !footprint.failed && insert(path, trace, &alone);
	}
	footprint_release(&footprint);
	return ok;
}

/* Have all threads that are left over gone as far as they can, but for those that sleep? */
static bool is_over(const struct trace *trace)
{
	return trace->end == END_DEADLOCK || trace->end == END_EXIT || trace->end == END_SIGNAL ||
	       trace->end == END_MISUSE || trace->end == END_REDUNDANT;
}

static enum status reverse_races(struct dpor_path *path, const struct trace *trace)
{
	if (!races_start(path->races, trace, path->fair_k))
		return STATUS_UNSUPPORTED;
	for (size_t i = path->branch; i < trace->length; i++)
		if (trace->at[i].alternatives > 1 && !insert_choices(path, trace, i))
			return STATUS_NO_MEMORY;
	races_from(path->races, path->branch, is_over(trace));
	for (const struct reversal *reversal; (reversal = races_next(path->races)) != NULL;)
		if (!insert(path, trace, reversal))
			return STATUS_NO_MEMORY;
	return races_failed(path->races) ? STATUS_NO_MEMORY : STATUS_OK;
}

enum status dpor_path_feed(struct dpor_path *path, const struct trace *trace)
{
	path->fresh = false;
	if (!follows_plan(path, trace))
		return STATUS_DIVERGED;
	if (!extend(path, trace))
		return STATUS_NO_MEMORY;
	return reverse_races(path, trace);
}
