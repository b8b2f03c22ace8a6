/* Source-DPOR and optimal DPOR: plans out, traces in. */
#include "supervisor/dpor/dpor_insert.h"
#include "supervisor/dpor/dpor_private.h"

#include <fmc/tracer/assert.h>

#include <stdlib.h>

bool dpor_init(struct dpor *dpor, bool whole)
{
	*dpor = (struct dpor){.whole = whole, .end = SIZE_MAX};
	dpor->races = reversible_races_new();
	dpor->estimate = estimate_new(ESTIMATE_GROWING);
	return dpor->races && dpor->estimate;
}

static void close_path(struct dpor *dpor, struct dpor_node *leaf)
{
	for (struct dpor_node *node = leaf; node; node = node->parent)
		dpor_tree_close(&dpor->tree, node);
}

/* Plans that are out keep the nodes that they go through, but nothing is left to be run from there. */
static void give_up(struct dpor *dpor)
{
	for (size_t i = 0; i < dpor->out_length; i++) {
		dpor->out[i].stale = true;
		close_path(dpor, dpor->out[i].leaf);
	}
	for (size_t i = 0; i < dpor->left_length; i++) {
		close_path(dpor, dpor->left[i].leaf);
		dpor_tree_drop(&dpor->tree, dpor->left[i].leaf);
	}
	dpor->left_length = 0;
	dpor_tree_close_all(&dpor->tree);
}

void dpor_start(struct dpor *dpor, bool whole, uint32_t fair_k)
{
	give_up(dpor);
	dpor->tree.root = NULL;
	dpor->whole = whole;
	dpor->fair_k = fair_k;
	dpor->fair = fair_k != 0;
	dpor->begun = false;
	estimate_clear(dpor->estimate);
}

void dpor_release(struct dpor *dpor)
{
	give_up(dpor);
	while (dpor->out_length > 0)
		dpor_forget(dpor, dpor->out[0].ticket);
	for (size_t i = 0; i < dpor->out_room; i++)
		free(dpor->out[i].steps);
	free(dpor->out);
	free(dpor->path);
	free(dpor->branches);
	free(dpor->left);
	dpor_told_free(dpor->told);
	estimate_free(dpor->estimate);
	dpor_tree_release(&dpor->tree);
	reversible_races_free(dpor->races);
	*dpor = (struct dpor){0};
}

/* Room for one more plan, of so many steps. */
static bool reserve_plan(struct dpor *dpor, size_t steps)
{
	if (dpor->out_length == dpor->out_room) {
		size_t room = dpor->out_room ? 2 * dpor->out_room : 1;
		struct dpor_plan *out = reallocarray(dpor->out, room, sizeof *out);
		if (!out)
			return false;
		for (size_t i = dpor->out_room; i < room; i++)
			out[i] = (struct dpor_plan){0};
		dpor->out = out;
		dpor->out_room = room;
	}
	struct dpor_plan *own = &dpor->out[dpor->out_length];
	if (steps > own->room) {
		size_t room = 2 * steps;
		free(own->steps);
		own->steps = malloc(room * sizeof *own->steps);
		own->room = own->steps ? room : 0;
	}
	return steps <= own->room;
}

enum search_answer dpor_send_out(struct dpor *dpor, struct dpor_node *leaf, const struct dpor_node *branch,
				 struct plan *plan)
{
	if (!reserve_plan(dpor, leaf->depth)) {
		dpor->tree.failed = true;
		return SEARCH_OVER;
	}
	struct dpor_plan *own = &dpor->out[dpor->out_length++];
	own->ticket = plan->ticket;
	own->length = leaf->depth;
	own->branch = branch->depth;
	own->leaf = leaf;
	own->stale = own->part = false;
	for (const struct dpor_node *node = leaf; node->parent; node = node->parent)
		own->steps[node->depth - 1] = node->step;
	plan->prefix = own->steps;
	plan->prefix_length = own->length;
	plan->sleep_set = branch->sleep_set;
	plan->sleep_set_length = branch->sleep_set_length;
	plan->sleep_set_from = own->branch;
	plan->sleep_set_fair = dpor->fair;
	return SEARCH_PLAN;
}

struct dpor_node *dpor_plant(struct dpor *dpor)
{
	struct dpor_node *root = dpor_tree_plant(&dpor->tree);
	if (root)
		root->unfinished++;
	dpor->begun = true;
	return root;
}

/* Where a plan goes on that was left as it was given; what was left in the middle is a part of the tree from then on. */
static bool take_up(struct dpor *dpor, struct dpor_node **leaf, struct dpor_node **branch)
{
	while (dpor_take_left(dpor, leaf, branch)) {
		if (!(*leaf)->rest)
			return true;
		struct loader rest = {(*leaf)->rest, (*leaf)->rest_length, false};
		dpor->tree.failed |= !dpor_graft(dpor, *leaf, &rest);
		dpor_tree_drop(&dpor->tree, *leaf);
	}
	return false;
}

enum search_answer dpor_next(struct dpor *dpor, struct plan *plan)
{
	struct dpor_node *branch = NULL, *leaf = NULL;
	if (dpor->tree.failed)
		return SEARCH_OVER;
	if (!dpor->begun) {
		branch = leaf = dpor_plant(dpor);
	} else if (!take_up(dpor, &leaf, &branch)) {
		branch = dpor->wide ? dpor_tree_shallowest(&dpor->tree) : dpor_tree_deepest(&dpor->tree);
		if (!branch)
			return dpor->out_length > 0 && !dpor->tree.failed ? SEARCH_LATER : SEARCH_OVER;
		leaf = dpor_tree_claim(&dpor->tree, branch);
	}
	return leaf ? dpor_send_out(dpor, leaf, branch, plan) : SEARCH_OVER;
}

/* What is equal for all shards that have run the same. */
static void mix_heads(const struct dpor *dpor, size_t depth, struct split *split)
{
	split_mix(split, (uint64_t)dpor->whole << 1 | dpor->fair);
	for (const struct dpor_node *head = dpor_tree_head(&dpor->tree, NULL, depth); head;
	     head = dpor_tree_head(&dpor->tree, head, depth))
		for (const struct dpor_node *node = head; node; node = node->parent)
			split_mix_step(split, &node->step);
}

static void deal_out(struct dpor *dpor, size_t depth, struct split *split)
{
	size_t part = 0;
	mix_heads(dpor, depth, split);
	for (struct dpor_node *head = dpor_tree_head(&dpor->tree, NULL, depth); head;
	     head = dpor_tree_head(&dpor->tree, head, depth))
		head->elsewhere = !split_owns(split, part++);
	dpor_tree_leave(&dpor->tree, depth);
	split_finish(split);
}

bool dpor_divide(struct dpor *dpor, struct split *split)
{
	FMC_ASSERT(dpor->out_length == 0);
	estimate_stop(dpor->estimate);
	dpor->wide = true;
	const struct dpor_node *open = dpor->begun ? dpor_tree_shallowest(&dpor->tree) : NULL;
	size_t parts = 0;
	for (const struct dpor_node *head = open ? dpor_tree_head(&dpor->tree, NULL, open->depth) : NULL;
	     head; head = dpor_tree_head(&dpor->tree, head, open->depth))
		parts++;
	if (!open || !split_enough(split, parts))
		return split_elsewhere(split);
	dpor->wide = false;
	deal_out(dpor, open->depth, split);
	return false;
}

struct dpor_plan *dpor_find_plan(const struct dpor *dpor, uint64_t ticket)
{
	size_t i = 0;
	while (i < dpor->out_length && dpor->out[i].ticket != ticket)
		i++;
	return i < dpor->out_length ? &dpor->out[i] : NULL;
}

bool dpor_is_stale(const struct dpor *dpor, uint64_t ticket)
{
	const struct dpor_plan *plan = dpor_find_plan(dpor, ticket);
	return plan && plan->stale;
}

bool dpor_has(const struct dpor *dpor, uint64_t ticket)
{
	return dpor_find_plan(dpor, ticket);
}

void dpor_forget(struct dpor *dpor, uint64_t ticket)
{
	struct dpor_plan *plan = dpor_find_plan(dpor, ticket);
	FMC_ASSERT(plan);
	struct dpor_plan *last = &dpor->out[--dpor->out_length];
	struct dpor_plan gone = *plan;
	*plan = *last;
	*last = gone;
	dpor_tree_drop(&dpor->tree, gone.leaf);
}

enum fit {
	FIT_NONE,
	/*
	 * It ended within its plan because it had gone round in a loop, or too far: sequences to be run know nothing
	 * of that. It has been run to its end, and no race after that counts.
	 */
	FIT_CUT,
	FIT_WHOLE
};

static enum fit fit(const struct dpor_plan *plan, const struct trace *trace)
{
	bool loops = trace->end == END_DEPTH || end_reason_loops(trace->end);
	bool cut = loops && trace->length < plan->length;
	size_t length = cut ? trace->length : plan->length;
	if (trace->length < length)
		return FIT_NONE;
	for (size_t i = 0; i < length; i++)
		if (!step_equal(transition_step(&trace->at[i]), plan->steps[i]))
			return FIT_NONE;
	return cut ? FIT_CUT : FIT_WHOLE;
}

/* What was planned is taken to have been run, so that what is left of the search goes on. */
static void give_back(struct dpor *dpor, const struct dpor_plan *plan)
{
	for (struct dpor_node *node = plan->leaf; node; node = node->parent) {
		const struct wakeup_tree *planned = node->planned;
		/* It wasn't planned here but where the part comes from. */
		static const struct footprint nothing;
		const struct footprint *footprint = planned ? &planned->footprint : &nothing;
		if (!node->run)
			dpor_tree_run(&dpor->tree, node, (struct accesses){footprint->at, footprint->length});
		dpor_tree_update(&dpor->tree, node);
	}
}

/* The nodes that the trace goes through; those of its plan are there. */
static bool find_path(struct dpor *dpor, const struct dpor_plan *plan, size_t length)
{
	if (length >= dpor->path_room) {
		size_t room = 2 * length + 64;
		struct dpor_node **path = reallocarray(dpor->path, room, sizeof(struct dpor_node *));
		if (!path)
			return false;
		dpor->path = path;
		struct estimate_branch *branches = reallocarray(dpor->branches, room, sizeof *branches);
		if (!branches)
			return false;
		dpor->branches = branches;
		dpor->path_room = room;
	}
	for (struct dpor_node *node = plan->leaf; node; node = node->parent)
		dpor->path[node->depth] = node;
	return true;
}

static bool extend(struct dpor *dpor, struct dpor_plan *plan, const struct trace *trace)
{
	if (!find_path(dpor, plan, trace->length))
		return false;
	struct dpor_node **path = dpor->path;
	for (size_t i = plan->branch; i < trace->length; i++) {
		const struct step step = transition_step(&trace->at[i]);
		struct accesses footprint = trace_accesses(trace, i);
		if (i >= plan->length && !(path[i + 1] = dpor_tree_node(&dpor->tree, path[i], &step)))
			return false;
		dpor_tree_run(&dpor->tree, path[i + 1], footprint);
		dpor_tree_hand_on(&dpor->tree, path[i + 1], footprint, dpor->fair);
	}
	for (size_t i = plan->branch; i < trace->length; i++)
		dpor_tree_update(&dpor->tree, path[i]);
	/* The plan ends where the trace does from now on. */
	path[trace->length]->unfinished++;
	plan->leaf->unfinished--;
	plan->leaf = path[trace->length];
	return !dpor->tree.failed;
}

/*
 * Have all threads that are left over gone as far as they can, but for those that sleep? In a cycle that goes on for ever they have: who makes no
 * transition in it waits for what doesn't come in it.
 */
static bool is_over(const struct trace *trace)
{
	return end_reason_loops(trace->end) || trace->end == END_DEADLOCK || trace->end == END_EXIT ||
	       trace->end == END_SIGNAL || trace->end == END_MISUSE || trace->end == END_VIOLATED ||
	       trace->end == END_UNFULFILLED || trace->end == END_REJECTED || trace->end == END_REDUNDANT;
}

/* Where it is to be inserted. Above a part: not here. */
static bool insert_reversal(struct dpor *dpor, const struct trace *trace, const struct reversal *reversal)
{
	if (reversal->i >= dpor->base)
		return reversal->i >= dpor->end || dpor_insert(dpor, trace, reversal);
	dpor->tells = dpor->tells || !dpor_told_note(dpor->told, reversal);
	return true;
}

/*
 * [ODPOR]: of a maximal execution E, for each e that is in a race with a later e' and each such pair, v = notdep(e, E).proc(e') is
 * inserted at pre(E, e), unless a sleeping step leads there. Races before `branch` were found with an earlier execution.
 */
static enum status reverse_races(struct dpor *dpor, size_t branch, const struct trace *trace)
{
	if (!reversible_races_start(dpor->races, trace, dpor->fair_k))
		return STATUS_UNSUPPORTED;
	const size_t end = dpor->end < trace->length ? dpor->end : trace->length;
	for (size_t i = branch > dpor->base ? branch : dpor->base; i < end; i++)
		if (trace->at[i].alternatives > 1 && !dpor_insert_choices(dpor, trace, i))
			return STATUS_NO_MEMORY;
	reversible_races_from(dpor->races, branch, is_over(trace));
	for (const struct reversal *reversal; (reversal = reversible_races_next(dpor->races)) != NULL;)
		if (!insert_reversal(dpor, trace, reversal))
			return STATUS_NO_MEMORY;
	return reversible_races_failed(dpor->races) ? STATUS_NO_MEMORY : STATUS_OK;
}

/* Tell the estimate how the nodes of this trace branch now. */
static void note(struct dpor *dpor, const struct trace *trace)
{
	for (size_t i = 0; i < trace->length; i++) {
		const struct dpor_node *node = dpor->path[i];
		uint32_t degree = node->claimed;
		for (const struct wakeup_tree *child = node->children; child; child = child->sibling)
			degree++;
		dpor->branches[i] = (struct estimate_branch){degree, dpor->path[i + 1]->number};
	}
	estimate_add(dpor->estimate, dpor->branches, trace->length);
}

/* An execution that has followed its plan to the end. */
static enum status learn(struct dpor *dpor, struct dpor_plan *plan, const struct trace *trace)
{
	if (!extend(dpor, plan, trace))
		return STATUS_NO_MEMORY;
	enum status status = reverse_races(dpor, plan->branch, trace);
	if (status == STATUS_OK)
		note(dpor, trace);
	return status;
}

enum status dpor_feed(struct dpor *dpor, uint64_t ticket, const struct trace *trace)
{
	struct dpor_plan *plan = dpor_find_plan(dpor, ticket);
	FMC_ASSERT(plan && !plan->part);
	/* Where the part comes from nobody knows yet what the steps of its plan touch. */
	dpor->tells = dpor->top && dpor->fresh;
	dpor->fresh = false;
	dpor->from = plan->branch;
	enum fit how = fit(plan, trace);
	enum status status = how == FIT_NONE ? STATUS_DIVERGED : STATUS_OK;
	if (how == FIT_WHOLE)
		status = learn(dpor, plan, trace);
	else
		give_back(dpor, plan);
	dpor_forget(dpor, ticket);
	dpor->tree.failed |= status == STATUS_NO_MEMORY;
	return dpor->tree.failed ? STATUS_NO_MEMORY : status;
}

/* What the steps of a part's plan have touched, if this is the first of its traces. */
static void extend_plan(struct dpor *dpor, const struct dpor_plan *plan, const struct trace *trace)
{
	if (plan->leaf->run)
		return;
	for (size_t i = plan->branch; i < plan->length; i++) {
		struct accesses footprint = trace_accesses(trace, i);
		dpor_tree_run(&dpor->tree, dpor->path[i + 1], footprint);
		dpor_tree_hand_on(&dpor->tree, dpor->path[i + 1], footprint, dpor->fair);
	}
	for (size_t i = plan->branch; i < plan->length; i++)
		dpor_tree_update(&dpor->tree, dpor->path[i]);
}

enum status dpor_hear(struct dpor *dpor, uint64_t ticket, size_t from, const struct trace *trace)
{
	const struct dpor_plan *plan = dpor_find_plan(dpor, ticket);
	FMC_ASSERT(plan && plan->part);
	enum fit how = from <= trace->length ? fit(plan, trace) : FIT_NONE;
	if (how != FIT_WHOLE) {
		give_back(dpor, plan);
		return how == FIT_NONE ? STATUS_DIVERGED : STATUS_OK;
	}
	if (!find_path(dpor, plan, trace->length))
		return STATUS_NO_MEMORY;
	extend_plan(dpor, plan, trace);
	dpor->end = plan->length;
	enum status status = reverse_races(dpor, from, trace);
	dpor->end = SIZE_MAX;
	dpor->tree.failed |= status == STATUS_NO_MEMORY;
	return dpor->tree.failed ? STATUS_NO_MEMORY : status;
}
