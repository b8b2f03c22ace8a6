/* Parts of a search by dynamic partial-order reduction: given, searched elsewhere, taken back. */
#include "supervisor/dpor/dpor_private.h"

#include <fmc/tracer/assert.h>

#include <stdlib.h>

static void save_sleepers(const struct sleeper *sleepers, uint32_t length, struct saver *saver)
{
	save_number(saver, length);
	for (uint32_t s = 0; s < length; s++) {
		save_step(saver, &sleepers[s].step);
		save_accesses(saver, sleepers[s].footprint);
	}
}

/* The steps to the leaf, from where on they are new, what sleeps there, and what is left below the leaf, if any of it has been run. */
static void save_given(const struct dpor_plan *plan, const struct dpor_node *branch, struct saver *part)
{
	const struct dpor_node *leaf = plan->leaf;
	save_number(part, plan->length);
	for (size_t i = 0; i < plan->length; i++)
		save_step(part, &plan->steps[i]);
	save_number(part, plan->branch);
	if (leaf->rest)
		save_sleepers(leaf->sleep_set, leaf->sleep_set_length - leaf->own, part);
	else
		save_sleepers(branch->sleep_set, branch->sleep_set_length, part);
	save_bytes(part, leaf->rest, leaf->rest_length);
}

enum search_answer dpor_give(struct dpor *dpor, uint64_t ticket, struct saver *part)
{
	struct dpor_node *branch = NULL, *leaf = NULL;
	struct plan plan = {.ticket = ticket};
	if (dpor->tree.failed)
		return SEARCH_OVER;
	if (!dpor->begun) {
		branch = leaf = dpor_plant(dpor);
	} else if (!dpor_take_left(dpor, &leaf, &branch)) {
		branch = dpor_tree_shallowest(&dpor->tree);
		if (!branch)
			return dpor->out_length > 0 ? SEARCH_LATER : SEARCH_OVER;
		leaf = dpor_tree_claim(&dpor->tree, branch);
	}
	if (!leaf || dpor_send_out(dpor, leaf, branch, &plan) != SEARCH_PLAN)
		return SEARCH_OVER;
	struct dpor_plan *own = dpor_find_plan(dpor, ticket);
	own->part = true;
	save_number(part, dpor->whole);
	save_number(part, dpor->fair_k);
	save_given(own, branch, part);
	return SEARCH_PLAN;
}

/* Nodes for the steps of a part's plan; those before `branch` have been run. The last one, NULL without memory. */
static struct dpor_node *begin_path(struct dpor *dpor, size_t length, size_t *branch, struct loader *part)
{
	struct dpor_node *node = dpor_tree_plant(&dpor->tree);
	for (size_t i = 0; i < length && node; i++) {
		const struct step step = load_step(part);
		node = dpor_tree_node(&dpor->tree, node, &step);
	}
	*branch = load_most(part, length);
	for (struct dpor_node *at = node; at; at = at->parent)
		at->run = at->depth <= *branch;
	return node;
}

/* They sleep in this node, which has their memory. */
static void begin_sleepers(struct dpor *dpor, struct dpor_node *node, struct loader *part)
{
	for (size_t left = load_count(part, 3); left > 0 && !part->failed; left--) {
		struct sleeper sleeper = {.step = load_step(part)};
		struct footprint footprint;
		load_footprint(part, &footprint);
		dpor->tree.failed |= footprint.failed;
		sleeper.footprint = (struct accesses){footprint.at, footprint.length};
		dpor_tree_sleep(&dpor->tree, node, &sleeper);
	}
}

/* Some of it has been run before. What sleeps in the leaf is its parent's to keep. */
static void go_on(struct dpor *dpor, struct dpor_node *leaf, struct loader *rest)
{
	const struct dpor_node *parent = leaf->parent;
	for (uint32_t s = 0; parent && s < parent->sleep_set_length; s++)
		dpor_tree_inherit(&dpor->tree, leaf, &parent->sleep_set[s]);
	leaf->unfinished++;
	dpor->tree.failed |= !dpor_graft(dpor, leaf, rest);
	dpor_tree_drop(&dpor->tree, leaf);
}

bool dpor_begin(struct dpor *dpor, struct loader *part)
{
	size_t branch, rest_length;
	dpor->told = dpor_told_new();
	dpor->whole = load_bool(part);
	dpor->fair_k = (uint32_t)load_most(part, UINT32_MAX);
	dpor->fair = dpor->fair_k != 0;
	dpor->begun = true;
	dpor->base = load_count(part, 2);
	struct dpor_node *leaf = begin_path(dpor, dpor->base, &branch, part), *sleeps = leaf;
	dpor->top = leaf;
	if (!leaf || !dpor->told)
		return false;
	while (sleeps->depth > branch)
		sleeps = sleeps->parent;
	if (sleeps == leaf && leaf->parent)
		sleeps = leaf->parent;
	begin_sleepers(dpor, sleeps, part);
	const void *bytes = load_bytes(part, &rest_length);
	dpor->fresh = rest_length == 0;
	if (dpor->fresh)
		return dpor_leave(dpor, leaf, branch) && !dpor->tree.failed;
	struct loader rest = {bytes, rest_length, false};
	go_on(dpor, leaf, &rest);
	return !dpor->tree.failed;
}

enum rest { REST_NONE, REST_SOME, REST_AS_GIVEN };

void dpor_save_part(const struct dpor *dpor, struct saver *rest)
{
	const enum rest kind = dpor->fresh ? REST_AS_GIVEN : dpor->tree.root ? REST_SOME : REST_NONE;
	struct saver below = {0};
	save_number(rest, kind);
	if (kind == REST_SOME)
		dpor_save_below(dpor->top, &below);
	save_bytes(rest, below.at, below.length);
	rest->failed |= below.failed || dpor->tree.failed;
	saver_release(&below);
}

/* Can so many parts be given? */
static bool has_parts(const struct dpor *dpor, size_t wanted)
{
	const struct dpor_tree *tree = &dpor->tree;
	size_t parts = dpor->left_length;
	for (size_t depth = 0; depth < tree->open_room && depth <= tree->deepest; depth++)
		for (const struct dpor_node *node = tree->open[depth]; node && parts < wanted;
		     node = node->after)
			parts++;
	return parts >= wanted;
}

/* Divided, or as it is for whoever goes on with it. */
static bool take_rest(struct dpor *dpor, struct dpor_node *leaf, size_t wanted, const void *bytes,
		      size_t length)
{
	struct loader rest = {bytes, length, false};
	if (has_parts(dpor, wanted))
		return dpor_keep_rest(dpor, leaf, bytes, length);
	return dpor_graft(dpor, leaf, &rest);
}

bool dpor_take_back(struct dpor *dpor, uint64_t ticket, size_t wanted, struct loader *loader)
{
	const enum rest kind = (enum rest)load_most(loader, REST_AS_GIVEN);
	struct dpor_plan *plan = dpor_find_plan(dpor, ticket);
	struct dpor_node *leaf = plan->leaf;
	size_t length;
	const void *bytes = load_bytes(loader, &length);
	bool good = !loader->failed;
	FMC_ASSERT(plan->part);
	if (kind == REST_AS_GIVEN)
		return dpor_lose(dpor, ticket);
	if (good && !plan->stale) {
		free(leaf->rest);
		leaf->rest = NULL;
		leaf->rest_length = 0;
		/* Of none that has been run nothing was heard. */
		good = leaf->run;
		if (good && kind == REST_SOME)
			good = take_rest(dpor, leaf, wanted, bytes, length);
	}
	dpor_forget(dpor, ticket);
	dpor->tree.failed |= !good;
	return good;
}

bool dpor_lose(struct dpor *dpor, uint64_t ticket)
{
	const struct dpor_plan *plan = dpor_find_plan(dpor, ticket);
	bool good = plan->stale || dpor_leave(dpor, plan->leaf, plan->branch);
	dpor_forget(dpor, ticket);
	return good;
}
