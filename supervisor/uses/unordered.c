/*
 * Uses of two threads that matter to each other, and are no operations, each with the transition that it is part of. Where happens-before
 * orders them the search comes to all that they can do; where it doesn't, the other order may never be run, and the verdict has to say so.
 */
#include "supervisor/uses/uses.h"

#include <fmc/supervisor/agent.h>
#include <fmc/supervisor/happens_before.h>
#include <fmc/tracer/answers.h>
#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

#define MOST_PAIRS 65536
#define USERS	   8 /* since the last change, beyond which nobody knows of whom it has to come after */

/* In the last transition of the thread before number `transitions`, or, of what an operation does, in its first one from there on. */
struct moment {
	uint32_t thread;
	bool ahead;
	uint64_t transitions;
};

struct ordered_use {
	uint64_t id;
	uint8_t kind;
	bool changed; /* by `change` */
	struct moment change;
	uint32_t users_length;
	struct moment users[USERS]; /* the last use of each thread since then */
};

struct use_pair {
	uint8_t kind;
	struct moment first, second;
};

static int compare(const struct ordered_use *use, uint8_t kind, uint64_t id)
{
	if (use->kind != kind)
		return use->kind < kind ? -1 : 1;
	return use->id < id ? -1 : use->id > id;
}

/* NULL without memory. */
static struct ordered_use *find(struct uses *uses, enum channel_kind kind, uint64_t id)
{
	size_t low = 0, high = uses->ordered_length;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (compare(&uses->ordered[middle], (uint8_t)kind, id) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < uses->ordered_length && compare(&uses->ordered[low], (uint8_t)kind, id) == 0)
		return &uses->ordered[low];
	if (!ARRAY_GROW(uses->ordered, uses->ordered_length, uses->ordered_room))
		return NULL;
	memmove(&uses->ordered[low + 1], &uses->ordered[low],
		(uses->ordered_length++ - low) * sizeof *uses->ordered);
	uses->ordered[low] = (struct ordered_use){.id = id, .kind = (uint8_t)kind};
	return &uses->ordered[low];
}

static void add_pair(struct process *process, enum channel_kind kind, const struct moment *first,
		     const struct moment *second)
{
	struct uses *uses = &process->uses;
	if (first->thread == second->thread)
		return;
	if (uses->use_pairs_length == MOST_PAIRS ||
	    !ARRAY_GROW(uses->use_pairs, uses->use_pairs_length, uses->use_pairs_room))
		return uses_remark(process, kind);
	uses->use_pairs[uses->use_pairs_length++] =
	    (struct use_pair){.kind = (uint8_t)kind, .first = *first, .second = *second};
}

/* A thread's later use comes after its earlier one. */
static struct moment *user_of(struct ordered_use *use, uint32_t thread)
{
	for (uint32_t i = 0; i < use->users_length; i++)
		if (use->users[i].thread == thread)
			return &use->users[i];
	return NULL;
}

static void add_user(struct process *process, struct ordered_use *use, const struct moment *now)
{
	struct moment *known = user_of(use, now->thread);
	if (known) {
		*known = *now;
		return;
	}
	if (use->changed)
		add_pair(process, (enum channel_kind)use->kind, &use->change, now);
	if (use->users_length == USERS)
		uses_remark(process, (enum channel_kind)use->kind);
	else
		use->users[use->users_length++] = *now;
}

static struct moment moment_of(const struct process *process, uint32_t thread)
{
	return (struct moment){
	    .thread = thread, .ahead = process->uses.ahead, .transitions = process->transitions};
}

void unordered_use(struct process *process, uint32_t thread, enum channel_kind kind, uint64_t id)
{
	const struct moment now = moment_of(process, thread);
	struct ordered_use *use = find(&process->uses, kind, id);
	if (use)
		add_user(process, use, &now);
	else
		uses_remark(process, kind);
}

static void set_change(struct ordered_use *use, const struct moment *now)
{
	use->changed = true;
	use->change = *now;
	use->users_length = 0;
}

void unordered_change(struct process *process, uint32_t thread, enum channel_kind kind, uint64_t id)
{
	const struct moment now = moment_of(process, thread);
	struct ordered_use *use = find(&process->uses, kind, id);
	if (!use)
		return uses_remark(process, kind);
	if (use->changed)
		add_pair(process, kind, &use->change, &now);
	for (uint32_t i = 0; i < use->users_length; i++)
		add_pair(process, kind, &use->users[i], &now);
	set_change(use, &now);
}

void unordered_renew(struct process *process, uint32_t thread, enum channel_kind kind, uint64_t id)
{
	const struct moment now = moment_of(process, thread);
	struct ordered_use *use = find(&process->uses, kind, id);
	if (!use)
		return uses_remark(process, kind);
	for (uint32_t i = 0; i < use->users_length; i++)
		add_pair(process, kind, &use->users[i], &now);
	set_change(use, &now);
}

void unordered_forget(struct uses *uses)
{
	uses->ordered_length = 0;
}

void unordered_begin(struct uses *uses)
{
	uses->ordered_length = uses->use_pairs_length = 0;
}

void unordered_release(struct uses *uses)
{
	free(uses->ordered);
	free(uses->use_pairs);
}

/* The transition's number in the trace; its length: it was never made. */
static size_t transition_of(const struct trace *trace, const struct moment *moment)
{
	size_t i = moment->transitions < trace->length ? (size_t)moment->transitions : trace->length;
	if (moment->ahead) {
		while (i < trace->length && trace->at[i].thread != moment->thread)
			i++;
		return i;
	}
	while (i > 0)
		if (trace->at[--i].thread == moment->thread)
			return i;
	return trace->length;
}

static bool is_ordered(const struct happens_before *hb, const struct trace *trace,
		       const struct use_pair *pair)
{
	const size_t first = transition_of(trace, &pair->first), second = transition_of(trace, &pair->second);
	return first == trace->length || second == trace->length || happens_before(hb, first, second) ||
	       happens_before(hb, second, first);
}

void process_judge_uses(struct process *process, const struct trace *trace)
{
	const struct uses *uses = &process->uses;
	if (process->target && target_affinity_races(process->target))
		process_remark(process, "processors that one thread sets for another, and somebody asks for");
	if (uses->use_pairs_length == 0)
		return;
	struct happens_before *hb = happens_before_new();
	const bool knows = hb && happens_before_start_threads(hb, trace) && happens_before_push_all(hb);
	for (size_t i = 0; i < uses->use_pairs_length; i++)
		if (!knows || !is_ordered(hb, trace, &uses->use_pairs[i]))
			uses_remark(process, (enum channel_kind)uses->use_pairs[i].kind);
	happens_before_free(hb);
}

static struct moment moment_inside(const struct agent_use *use)
{
	return (struct moment){.thread = use->thread, .transitions = use->transitions};
}

void unordered_judge_closings(struct process *process, const struct agent_closing *at, uint32_t length,
			      const struct trace *trace)
{
	unordered_begin(&process->uses);
	for (uint32_t i = 0; i < length; i++) {
		const struct moment use = moment_inside(&at[i].use), closing = moment_inside(&at[i].closing);
		add_pair(process, CHANNEL_DESCRIPTOR, &use, &closing);
	}
	process_judge_uses(process, trace);
}
