#include "supervisor/tree/branches_private.h"

#include <fmc/tracer/assert.h>

#include <stdlib.h>
#include <string.h>

void branches_init(struct branches *b, uint64_t max_depth)
{
	*b = (struct branches){.max_depth = max_depth, .spare = NO_BRANCH};
}

void branches_release(struct branches *b)
{
	for (size_t i = 0; i < b->out_length; i++)
		free(b->out[i].steps);
	free(b->at);
	free(b->open);
	free(b->out);
	branches_init(b, b->max_depth);
}

/* Make room for one more member of an array; false without memory. */
static bool reserve(void *array_pointer, size_t length, size_t *room, size_t size)
{
	void **array = array_pointer;
	if (length < *room)
		return true;
	size_t more = *room ? 2 * *room : 64;
	void *moved = reallocarray(*array, more, size);
	if (!moved)
		return false;
	*array = moved;
	*room = more;
	return true;
}

/* A branch that nothing refers to yet; NO_BRANCH without memory. */
static uint32_t new_branch(struct branches *b)
{
	uint32_t branch = b->spare;
	if (branch != NO_BRANCH) {
		b->spare = b->at[branch].parent;
		return branch;
	}
	size_t room = b->room;
	if (b->length == NO_BRANCH || !reserve(&b->at, b->length, &room, sizeof *b->at))
		return NO_BRANCH;
	b->room = room < NO_BRANCH ? (uint32_t)room : NO_BRANCH;
	return b->length++;
}

void branches_drop(struct branches *b, uint32_t branch)
{
	while (branch != NO_BRANCH && --b->at[branch].references == 0) {
		uint32_t parent = b->at[branch].parent;
		b->at[branch].parent = b->spare;
		b->spare = branch;
		branch = parent;
	}
}

double branches_weight(const struct branches *b, uint32_t branch)
{
	return branch == NO_BRANCH ? 1 : b->at[branch].weight;
}

uint32_t branches_add(struct branches *b, uint32_t parent, const struct branch *like)
{
	uint32_t branch = new_branch(b);
	if (branch == NO_BRANCH)
		return NO_BRANCH;
	b->at[branch] = *like;
	b->at[branch].parent = parent;
	b->at[branch].references = 1;
	b->at[branch].number = 0;
	if (parent != NO_BRANCH)
		b->at[parent].references++;
	return branch;
}

static uint32_t add(struct branches *b, uint32_t parent, struct step step, uint64_t digest, double weight)
{
	return branches_add(b, parent, &(struct branch){.step = step, .digest = digest, .weight = weight});
}

bool branches_open(struct branches *b, uint32_t branch)
{
	if (!reserve(&b->open, b->open_length, &b->open_room, sizeof *b->open)) {
		branches_drop(b, branch);
		return false;
	}
	b->open[b->open_length++] = branch;
	return true;
}

bool branches_plant(struct branches *b, const struct step *steps, size_t length, struct trace_hash state)
{
	uint32_t last = NO_BRANCH;
	for (size_t i = 0; i < length; i++) {
		uint32_t next = add(b, last, steps[i], 0, 1);
		branches_drop(b, last);
		if (next == NO_BRANCH)
			return false;
		last = next;
	}
	if (last != NO_BRANCH)
		b->at[last].state = state;
	return branches_open(b, last);
}

void branches_clear(struct branches *b)
{
	b->length = 0;
	b->spare = NO_BRANCH;
	b->open_length = 0;
	b->done = 0;
	for (size_t i = 0; i < b->out_length; i++) {
		b->out[i].branch = NO_BRANCH;
		b->out[i].forgotten = true;
	}
}

/* All steps to the branch, the first one first; NULL without memory. */
static struct step *steps_to(const struct branches *b, uint32_t branch, size_t *length)
{
	*length = 0;
	for (uint32_t i = branch; i != NO_BRANCH; i = b->at[i].parent)
		++*length;
	struct step *steps = calloc(*length ? *length : 1, sizeof *steps);
	if (!steps)
		return NULL;
	size_t at = *length;
	for (uint32_t i = branch; i != NO_BRANCH; i = b->at[i].parent)
		steps[--at] = b->at[i].step;
	return steps;
}

bool branches_take(struct branches *b, struct plan *plan)
{
	FMC_ASSERT(b->open_length > 0);
	if (!reserve(&b->out, b->out_length, &b->out_room, sizeof *b->out))
		return false;
	struct branch_plan out = {.ticket = plan->ticket, .branch = b->open[b->open_length - 1]};
	out.steps = steps_to(b, out.branch, &out.length);
	if (!out.steps)
		return false;
	b->open_length--;
	b->out[b->out_length++] = out;
	plan->prefix = out.steps;
	plan->prefix_length = out.length;
	return true;
}

const struct branch *branches_latest(const struct branches *b)
{
	uint32_t branch = b->open_length > 0 ? b->open[b->open_length - 1] : NO_BRANCH;
	return branch != NO_BRANCH ? &b->at[branch] : NULL;
}

void branches_skip(struct branches *b)
{
	FMC_ASSERT(b->open_length > 0);
	uint32_t branch = b->open[--b->open_length];
	b->done += branches_weight(b, branch);
	branches_drop(b, branch);
}

/* The open branch of the greatest weight, of several the one that was opened last. */
static size_t heaviest(const struct branches *b)
{
	size_t best = b->open_length - 1;
	for (size_t i = b->open_length; i-- > 0;)
		if (branches_weight(b, b->open[i]) > branches_weight(b, b->open[best]))
			best = i;
	return best;
}

/* What leads to it. */
static void mix_branch(const struct branches *b, uint32_t branch, struct split *split)
{
	split_mix(split, branch == NO_BRANCH);
	for (; branch != NO_BRANCH; branch = b->at[branch].parent)
		split_mix_step(split, &b->at[branch].step);
}

static void deal_out(struct branches *b, struct split *split)
{
	size_t kept = 0;
	for (size_t i = 0; i < b->open_length; i++) {
		uint32_t branch = b->open[i];
		mix_branch(b, branch, split);
		if (split_owns(split, i))
			b->open[kept++] = branch;
		else
			branches_drop(b, branch);
	}
	b->open_length = kept;
	split_finish(split);
}

bool branches_divide(struct branches *b, struct split *split)
{
	FMC_ASSERT(b->out_length == 0);
	if (b->open_length == 0)
		return false;
	if (split_enough(split, b->open_length)) {
		deal_out(b, split);
		return false;
	}
	size_t best = heaviest(b), last = b->open_length - 1;
	uint32_t branch = b->open[best];
	memmove(&b->open[best], &b->open[best + 1], (last - best) * sizeof *b->open);
	b->open[last] = branch;
	return split_elsewhere(split);
}

static struct branch_plan *find_plan(struct branches *b, uint64_t ticket)
{
	struct branch_plan *plan = b->out;
	while (plan->ticket != ticket) {
		plan++;
		FMC_ASSERT(plan < b->out + b->out_length);
	}
	return plan;
}

/* The plan's trace is in. */
static void finish_plan(struct branches *b, struct branch_plan *plan)
{
	branches_drop(b, plan->branch);
	free(plan->steps);
	*plan = b->out[--b->out_length];
}

static uint64_t fold(uint64_t digest, uint64_t word)
{
	unsigned __int128 product = (unsigned __int128)(digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Of the alternatives of transition i, in their order; never 0. */
static uint64_t digest_alternatives(const struct trace *trace, size_t i)
{
	const struct alternative *open = trace->alternatives + trace->at[i].first_alternative;
	uint64_t digest = trace->at[i].alternatives + UINT64_C(1);
	for (uint32_t a = 0; a < trace->at[i].alternatives; a++) {
		uint64_t step = (uint64_t)open[a].step.thread << 32 | (uint32_t)open[a].step.choice;
		digest = fold(fold(digest, step), open[a].preemption + UINT64_C(1));
	}
	return digest ? digest : 1;
}

/* The same steps, and the same alternatives on the way. */
static bool follows(const struct branches *b, const struct branch_plan *plan, const struct trace *trace)
{
	if (trace->length < plan->length)
		return false;
	for (size_t i = 0; i < plan->length; i++)
		if (!step_equal(plan->steps[i], transition_step(&trace->at[i])))
			return false;
	uint32_t branch = plan->branch;
	for (size_t i = plan->length; branch != NO_BRANCH; branch = b->at[branch].parent) {
		uint64_t digest = b->at[branch].digest;
		i--;
		if (digest != 0 && digest != digest_alternatives(trace, i))
			return false;
	}
	return true;
}

enum status branches_follow(struct branches *b, uint64_t ticket, const struct trace *trace, size_t *first,
			    size_t *end)
{
	struct branch_plan *plan = find_plan(b, ticket);
	*first = *end = trace->length;
	if (plan->forgotten)
		return STATUS_OK;
	if (!follows(b, plan, trace)) {
		b->done += branches_weight(b, plan->branch);
		finish_plan(b, plan);
		return STATUS_DIVERGED;
	}
	*first = plan->length;
	if (b->max_depth != 0 && *end > b->max_depth)
		*end = b->max_depth;
	if (*end < *first)
		*end = *first;
	return STATUS_OK;
}

/* Open what is wanted of transition i, the first alternative last; false without memory. */
static bool open_alternatives(struct branches *b, uint32_t parent, const struct trace *trace, size_t i,
			      const struct branch_mark *marks, uint64_t digest, double weight)
{
	const struct transition *at = &trace->at[i];
	for (uint32_t a = at->alternatives; a-- > 0;) {
		struct step step = trace->alternatives[at->first_alternative + a].step;
		const struct branch_mark *mark = marks ? &marks[at->first_alternative + a] : NULL;
		if (step_equal(step, transition_step(at)) || (mark && !mark->wanted))
			continue;
		uint32_t branch = add(b, parent, step, digest, weight);
		if (branch == NO_BRANCH || !branches_open(b, branch))
			return false;
		if (mark)
			b->at[branch].state = mark->state;
	}
	return true;
}

/* How many branches there will be at transition i, the one taken included. */
static uint32_t count_branches(const struct trace *trace, size_t i, const struct branch_mark *marks)
{
	const struct transition *at = &trace->at[i];
	uint32_t count = 1;
	for (uint32_t a = 0; a < at->alternatives; a++) {
		size_t k = at->first_alternative + a;
		count += !step_equal(trace->alternatives[k].step, transition_step(at)) &&
			 (!marks || marks[k].wanted);
	}
	return count;
}

bool branches_grow(struct branches *b, uint64_t ticket, const struct trace *trace, size_t first, size_t end,
		   const struct branch_mark *marks)
{
	struct branch_plan *plan = find_plan(b, ticket);
	uint32_t branch = plan->branch;
	double weight = plan->forgotten ? 0 : branches_weight(b, branch);
	plan->branch = NO_BRANCH; /* its reference goes along */
	bool ok = true;
	for (size_t i = first; i < end && ok; i++) {
		const struct step taken = transition_step(&trace->at[i]);
		uint64_t digest = digest_alternatives(trace, i);
		weight /= count_branches(trace, i, marks);
		ok = open_alternatives(b, branch, trace, i, marks, digest, weight);
		uint32_t next = add(b, branch, taken, digest, weight);
		ok = ok && next != NO_BRANCH;
		branches_drop(b, branch);
		branch = next;
	}
	branches_drop(b, branch);
	b->done += weight;
	finish_plan(b, plan);
	return ok;
}
