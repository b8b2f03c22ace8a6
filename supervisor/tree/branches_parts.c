/* Branches that other processes work at. */
#include "supervisor/tree/branches_private.h"

#include <fmc/tracer/assert.h>

#include <stdlib.h>

/* The heaviest open branch becomes the last one; returns the weight of all. */
static double raise_heaviest(struct branches *b)
{
	size_t best = 0;
	double all = 0;
	for (size_t i = 0; i < b->open_length; i++) {
		all += branches_weight(b, b->open[i]);
		if (branches_weight(b, b->open[i]) > branches_weight(b, b->open[best]))
			best = i;
	}
	uint32_t branch = b->open[best];
	b->open[best] = b->open[b->open_length - 1];
	b->open[b->open_length - 1] = branch;
	return all;
}

/* How many of the last open branches are one of `wanted` parts, at least one of them. */
static size_t count_part(const struct branches *b, double all, size_t wanted)
{
	const double most = all / (double)(wanted ? wanted : 1);
	size_t count = 1;
	double sum = branches_weight(b, b->open[b->open_length - 1]);
	for (; count < b->open_length; count++) {
		sum += branches_weight(b, b->open[b->open_length - 1 - count]);
		if (sum > most)
			break;
	}
	return count;
}

static bool reserve_out(struct branches *b, size_t more)
{
	if (b->out_length + more <= b->out_room)
		return true;
	size_t room = 2 * (b->out_length + more);
	struct branch_plan *out = reallocarray(b->out, room, sizeof *out);
	if (!out)
		return false;
	b->out = out;
	b->out_room = room;
	return true;
}

bool branches_give(struct branches *b, uint64_t ticket, size_t wanted, struct saver *part)
{
	const size_t count = count_part(b, raise_heaviest(b), wanted);
	if (!reserve_out(b, count))
		return false;
	b->open_length -= count;
	branches_save_listed(b, 0, b->open + b->open_length, count, part);
	for (size_t i = 0; i < count; i++)
		b->out[b->out_length++] =
		    (struct branch_plan){.ticket = ticket, .branch = b->open[b->open_length + i]};
	return !part->failed;
}

/* The first branch of this part that is still in the list of those that are out; NULL: there are no more. */
static struct branch_plan *find_part(const struct branches *b, uint64_t ticket)
{
	for (size_t i = 0; i < b->out_length; i++)
		if (b->out[i].ticket == ticket)
			return &b->out[i];
	return NULL;
}

/* A copy of each branch, those that come after others after theirs; the caller has a reference to each. */
static bool copy_branches(struct branches *b, const struct branches *rest, uint32_t *copies)
{
	for (uint32_t i = 0; i < rest->length; i++) {
		const uint32_t parent = rest->at[i].parent;
		copies[i] = branches_add(b, parent == NO_BRANCH ? NO_BRANCH : copies[parent], &rest->at[i]);
		if (copies[i] == NO_BRANCH)
			return false;
	}
	return true;
}

static bool open_rest(struct branches *b, const struct branches *rest)
{
	uint32_t *copies = calloc((size_t)rest->length + 1, sizeof *copies);
	bool good = copies && copy_branches(b, rest, copies);
	for (size_t i = 0; i < rest->open_length && good; i++) {
		const uint32_t open = rest->open[i], branch = open == NO_BRANCH ? NO_BRANCH : copies[open];
		if (branch != NO_BRANCH)
			b->at[branch].references++;
		good = branches_open(b, branch);
	}
	for (uint32_t i = 0; i < rest->length && good; i++)
		branches_drop(b, copies[i]);
	free(copies);
	return good;
}

bool branches_take_back(struct branches *b, uint64_t ticket, struct loader *loader)
{
	struct branches rest;
	branches_init(&rest, b->max_depth);
	bool good = branches_load(&rest, loader) && open_rest(b, &rest);
	b->done += rest.done;
	branches_release(&rest);
	for (struct branch_plan *out; (out = find_part(b, ticket)) != NULL;) {
		branches_drop(b, out->branch);
		*out = b->out[--b->out_length];
	}
	return good;
}

bool branches_lose(struct branches *b, uint64_t ticket)
{
	bool good = true;
	for (struct branch_plan *out; (out = find_part(b, ticket)) != NULL;) {
		good = branches_open(b, out->branch) && good;
		*out = b->out[--b->out_length];
	}
	return good;
}
