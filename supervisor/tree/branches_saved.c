/* The tree of open branches as bytes: parents before their children, by numbers from 1. */
#include "supervisor/tree/branches.h"

#include <stdlib.h>

/* Bytes that a branch takes at least. */
#define LEAST_BRANCH 7

struct numbering {
	const struct branches *branches;
	uint32_t *numbers; /* of each branch; 0: not yet */
	uint32_t *order;   /* the branches by their numbers */
	uint32_t *path;
	uint32_t count;
};

/* The branch and those before it. */
static void number(struct numbering *n, uint32_t branch)
{
	uint32_t length = 0;
	for (; branch != NO_BRANCH && n->numbers[branch] == 0; branch = n->branches->at[branch].parent)
		n->path[length++] = branch;
	while (length-- > 0) {
		n->order[n->count++] = n->path[length];
		n->numbers[n->path[length]] = n->count;
	}
}

static uint32_t number_of(const struct numbering *n, uint32_t branch)
{
	return branch == NO_BRANCH ? 0 : n->numbers[branch];
}

static void save_branch(const struct numbering *n, uint32_t branch, struct saver *saver)
{
	const struct branch *b = &n->branches->at[branch];
	save_number(saver, number_of(n, b->parent));
	save_step(saver, &b->step);
	save_number(saver, b->digest);
	save_double(saver, b->weight);
	save_number(saver, b->state.low);
	save_number(saver, b->state.high);
}

static void save_numbered(struct numbering *n, struct saver *saver)
{
	const struct branches *b = n->branches;
	size_t open = b->open_length;
	for (size_t i = 0; i < b->open_length; i++)
		number(n, b->open[i]);
	for (size_t i = 0; i < b->out_length; i++) {
		number(n, b->out[i].branch);
		open += !b->out[i].forgotten;
	}
	save_number(saver, n->count);
	for (uint32_t i = 0; i < n->count; i++)
		save_branch(n, n->order[i], saver);
	save_number(saver, open);
	for (size_t i = 0; i < b->open_length; i++)
		save_number(saver, number_of(n, b->open[i]));
	for (size_t i = 0; i < b->out_length; i++)
		if (!b->out[i].forgotten)
			save_number(saver, number_of(n, b->out[i].branch));
}

void branches_save(const struct branches *b, struct saver *saver)
{
	size_t room = b->length ? b->length : 1;
	struct numbering n = {.branches = b};
	n.numbers = calloc(room, sizeof *n.numbers);
	n.order = calloc(room, sizeof *n.order);
	n.path = calloc(room, sizeof *n.path);
	save_double(saver, b->done);
	if (n.numbers && n.order && n.path)
		save_numbered(&n, saver);
	else
		saver->failed = true;
	free(n.numbers);
	free(n.order);
	free(n.path);
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
