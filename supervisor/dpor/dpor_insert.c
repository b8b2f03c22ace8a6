/* A sequence into the tree: backtrack sets of Source-DPOR, wakeup trees of Optimal-DPOR. */
#include "supervisor/dpor/dpor_insert.h"

/*
 * Could the sequence begin with this step? [ODPOR] asks it of WI(v), the weak initials, which a step may be without being part of
 * the sequence, and Source-DPOR of I(v), where it has to be part of it.
 */
static bool is_initial(const struct dpor *dpor, const struct sequence *sequence, const struct step *step,
		       struct accesses footprint, bool *part)
{
	size_t at;
	const bool initial = is_weak_initial(sequence, step, footprint, &at);
	*part = at < sequence->length;
	return initial && (*part || dpor->whole);
}

static bool sleeps(const struct dpor_node *node, const struct step *step)
{
	for (uint32_t s = 0; s < node->sleep_set_length; s++)
		if (step_equal(node->sleep_set[s].step, *step))
			return true;
	return false;
}

/* Are these two choices of one thread? Where flushes are apart, to flush is none. */
static bool are_choices(const struct trace *trace, struct step a, struct step b)
{
	return trace->apart ? step_same_lane(a, b) : a.thread == b.thread;
}

/*
 * Has the thread, before transition i, another choice that doesn't sleep? [ODPOR] knows of no choices. Below this one there is none of the
 * sequence's executions in which the thread makes the other one, which may be planned only below what the sequence is another choice of.
 */
static bool has_other_choice(const struct dpor_node *node, const struct trace *trace, size_t i,
			     const struct step *step)
{
	const struct transition *transition = &trace->at[i];
	const struct alternative *alternatives = trace->alternatives + transition->first_alternative;
	for (uint32_t a = 0; a < transition->alternatives; a++)
		if (are_choices(trace, alternatives[a].step, *step) &&
		    !step_equal(alternatives[a].step, *step) && !sleeps(node, &alternatives[a].step))
			return true;
	return false;
}

/* The same for one that is planned and has not been run. */
static bool is_planned_initial(struct dpor *dpor, const struct sequence *sequence, size_t i,
			       const struct trace *trace, const struct wakeup_tree *planned, bool *part)
{
	struct wakeup_walk walk;
	bool started = wakeup_walk_start(&walk, sequence, i, reversible_races_replay(dpor->races), trace);
	bool initial = started && wakeup_walk_take(&walk, planned);
	*part = walk.left.length < sequence->length;
	dpor->tree.failed |= !started || walk.failed;
	wakeup_walk_release(&walk);
	return initial && (*part || dpor->whole);
}

/*
 * [ODPOR], Optimal-DPOR's test whether sleep(E') has a weak initial of v: has something that the sequence could begin with been claimed? If that was before the trace's own way on from the
 * node was, the sequence is explored there or will be. Below one claimed later it has to be inserted: *below.
 */
static bool is_claimed(struct dpor *dpor, size_t i, const struct trace *trace,
		       const struct sequence *sequence, struct dpor_node **below)
{
	const struct dpor_node *node = dpor->path[i];
	const struct step own = transition_step(&trace->at[i]);
	bool later = false;
	*below = NULL;
	for (uint32_t s = 0; s < node->sleep_set_length; s++) {
		const struct sleeper *sleeper = &node->sleep_set[s];
		bool is_own = step_equal(sleeper->step, own), part;
		later |= is_own;
		if (is_own || !is_initial(dpor, sequence, &sleeper->step, sleeper->footprint, &part) ||
		    (!part && has_other_choice(node, trace, i, &sleeper->step)))
			continue;
		if (later)
			*below = dpor_tree_child(node, &sleeper->step);
		return true;
	}
	struct dpor_node *latest = dpor_tree_latest(node);
	bool part = false;
	if (!latest || step_equal(latest->step, own))
		return false;
	*below = latest;
	const bool initial = latest->run
				 ? is_initial(dpor, sequence, &latest->step, latest->footprint, &part)
				 : is_planned_initial(dpor, sequence, i, trace, latest->planned, &part);
	return initial && (part || !has_other_choice(node, trace, i, &latest->step));
}

/* The first of the node's children that the sequence could begin with: the order in which [ODPOR]'s insert() walks down. */
static struct dpor_node *descend(struct wakeup_walk *walk, const struct dpor_node *node)
{
	struct dpor_node *child = node->first;
	while (child && !wakeup_walk_take(walk, child->planned))
		child = child->next;
	return child;
}

/*
 * Insert a sequence that begins with this claimed step. Where the wakeup tree ends, all that follows is explored.
 */
static bool insert_below(struct dpor *dpor, struct dpor_node *node, struct wakeup_walk *walk)
{
	wakeup_walk_take(walk, node->planned);
	while (node->internal && walk->left.length > 0) {
		struct dpor_node *child = descend(walk, node);
		if (!child) {
			bool inserted = wakeup_walk_insert(walk, &node->children);
			dpor_tree_update(&dpor->tree, node);
			return inserted;
		}
		node = child;
	}
	return !walk->failed;
}

/*
 * [ODPOR], Source-DPOR: if no initial of the sequence is in backtrack(E') yet, one is added; the racing thread's own transition is
 * preferred.
 */
static bool insert_initial(struct dpor_node *node, const struct sequence *sequence)
{
	size_t length = sequence->length, at;
	for (const struct wakeup_tree *child = node->children; child; child = child->sibling)
		if (is_weak_initial(sequence, &child->step, (struct accesses){NULL, 0}, &at) && at < length)
			return true;
	const struct event *last = &sequence->events[length - 1];
	bool initial = is_weak_initial(sequence, &last->step, last->footprint, &at) && at == length - 1;
	return wakeup_tree_append(&node->children, initial ? last : &sequence->events[0]);
}

bool dpor_insert(struct dpor *dpor, const struct trace *trace, const struct reversal *reversal)
{
	const struct model_replay *replay = reversible_races_replay(dpor->races);
	const struct sequence sequence = {
	    .events = reversal->events,
	    .length = reversal->length,
	    .after = model_replay_model(replay),
	    .fair = dpor->fair,
	};
	struct dpor_node *node = dpor->path[reversal->i], *below;
	bool claimed = is_claimed(dpor, reversal->i, trace, &sequence, &below), inserted;
	if (claimed && (!below || !below->internal))
		return true;
	if (!dpor->whole) {
		inserted = insert_initial(node, &sequence);
	} else {
		struct wakeup_walk walk;
		inserted =
		    wakeup_walk_start(&walk, &sequence, reversal->i, replay, trace) &&
		    (claimed ? insert_below(dpor, below, &walk) : wakeup_walk_insert(&walk, &node->children));
		wakeup_walk_release(&walk);
	}
	dpor_tree_update(&dpor->tree, node);
	return inserted;
}

bool dpor_insert_choices(struct dpor *dpor, const struct trace *trace, size_t i)
{
	const struct transition *transition = &trace->at[i];
	const struct alternative *alternatives = trace->alternatives + transition->first_alternative;
	const struct observation seen = {transition->word, transition->word2};
	const struct step own = transition_step(transition);
	struct model_replay *replay = reversible_races_replay(dpor->races);
	struct footprint footprint = {0};
	bool ok = true;
	for (uint32_t a = 0; a < transition->alternatives && ok; a++) {
		struct step step = alternatives[a].step;
		if ((!are_choices(trace, step, own) && step.choice != CHOICE_SPURIOUS) ||
		    step_equal(step, own))
			continue;
		model_replay_goto(replay, i);
		struct op pending = *model_pending(model_replay_model(replay), step.thread);
		model_replay_perform(replay, &step, &seen, &footprint);
		struct event event = {step, pending, {footprint.at, footprint.length}};
		const struct reversal alone = {.i = i, .events = &event, .length = 1};
		ok = !footprint.failed && dpor_insert(dpor, trace, &alone);
	}
	footprint_release(&footprint);
	return ok;
}
