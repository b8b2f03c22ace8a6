/* The tree of open branches as bytes: parents before their children, by numbers from 1. */
#include "supervisor/tree/branches_private.h"

#include <stdlib.h>

/* Bytes that a branch takes at least. */
#define LEAST_BRANCH 7

struct numbering {
	struct branch *at;
	uint32_t *order; /* the branches by their numbers */
	uint32_t count, room;
	bool failed;
};

/* The branches whose numbers are wanted next: those up to the first that has one, in the order of the tree. */
static void number(struct numbering *n, uint32_t branch)
{
	uint32_t first = n->count, last;
	for (; branch != NO_BRANCH && n->at[branch].number == 0; branch = n->at[branch].parent) {
		if (n->count == n->room) {
			uint32_t room = n->room ? 2 * n->room : 64;
			uint32_t *order = reallocarray(n->order, room, sizeof *order);
			n->failed |= !order;
			if (!order)
				return;
			n->order = order;
			n->room = room;
		}
		n->order[n->count++] = branch;
	}
	for (last = n->count; first + 1 < last; first++) {
		uint32_t swapped = n->order[first];
		n->order[first] = n->order[--last];
		n->order[last] = swapped;
	}
}

static void number_all(struct numbering *n, const uint32_t *listed, size_t length)
{
	for (size_t i = 0; i < length && !n->failed; i++) {
		uint32_t from = n->count;
		number(n, listed[i]);
		for (; from < n->count; from++)
			n->at[n->order[from]].number = from + 1;
	}
}

static uint32_t number_of(const struct numbering *n, uint32_t branch)
{
	return branch == NO_BRANCH ? 0 : n->at[branch].number;
}

static void save_branch(const struct numbering *n, uint32_t branch, struct saver *saver)
{
	const struct branch *b = &n->at[branch];
	save_number(saver, number_of(n, b->parent));
	save_step(saver, &b->step);
	save_number(saver, b->digest);
	save_double(saver, b->weight);
	save_number(saver, b->state.low);
	save_number(saver, b->state.high);
}

void branches_save_listed(const struct branches *b, double done, const uint32_t *listed, size_t length,
			  struct saver *saver)
{
	struct numbering n = {.at = b->at};
	number_all(&n, listed, length);
	save_double(saver, done);
	save_number(saver, n.count);
	for (uint32_t i = 0; i < n.count; i++)
		save_branch(&n, n.order[i], saver);
	save_number(saver, length);
	for (size_t i = 0; i < length; i++)
		save_number(saver, number_of(&n, listed[i]));
	saver->failed |= n.failed;
	for (uint32_t i = 0; i < n.count; i++)
		b->at[n.order[i]].number = 0;
	free(n.order);
}

void branches_save(const struct branches *b, struct saver *saver)
{
	size_t length = b->open_length;
	uint32_t *listed = calloc(b->open_length + b->out_length + 1, sizeof *listed);
	if (!listed) {
		saver->failed = true;
		return;
	}
	for (size_t i = 0; i < length; i++)
		listed[i] = b->open[i];
	for (size_t i = 0; i < b->out_length; i++)
		if (!b->out[i].forgotten)
			listed[length++] = b->out[i].branch;
	branches_save_listed(b, b->done, listed, length, saver);
	free(listed);
}

/* Branch i, after one of those before it. */
static void load_branch(struct branches *b, uint32_t i, struct loader *loader)
{
	uint32_t parent = (uint32_t)load_most(loader, i) - 1;
	b->at[i] = (struct branch){.parent = parent, .step = load_step(loader)};
	b->at[i].digest = load_number(loader);
	b->at[i].weight = load_double(loader);
	b->at[i].state.low = load_number(loader);
	b->at[i].state.high = load_number(loader);
	if (parent != NO_BRANCH)
		b->at[parent].references++;
}

static bool load_all(struct branches *b, size_t count, struct loader *loader)
{
	b->at = calloc(count + 1, sizeof *b->at);
	if (!b->at || count >= NO_BRANCH)
		return false;
	b->room = (uint32_t)count + 1;
	for (uint32_t i = 0; i < count; i++)
		load_branch(b, i, loader);
	b->length = (uint32_t)count;
	return true;
}

bool branches_load(struct branches *b, struct loader *loader)
{
	branches_init(b, b->max_depth);
	b->done = load_double(loader);
	size_t count = load_count(loader, LEAST_BRANCH);
	if (!load_all(b, count, loader))
		return false;
	size_t open = load_count(loader, 1);
	b->open = calloc(open + 1, sizeof *b->open);
	if (!b->open)
		return false;
	b->open_room = open + 1;
	for (size_t i = 0; i < open; i++) {
		uint32_t branch = (uint32_t)load_most(loader, count) - 1;
		b->open[b->open_length++] = branch;
		if (branch != NO_BRANCH)
			b->at[branch].references++;
	}
	return !loader->failed;
}
