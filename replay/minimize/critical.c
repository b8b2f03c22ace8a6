/*
 * The critical transition: the last one before which an execution can still end well (as SimGrid's
 * model-check/search-critical, which walks back).
 *
 * "No continuation ends well" holds for every longer prefix of the failing execution once it holds for one,
 * so bisection over the length finds where it begins. That one does is shown by a single run, so chance goes
 * first; that none does needs all of them, depth first, each happens-before class of transitions once.
 */
#include "replay/minimize/private.h"

#include <fmc/supervisor/finding.h>

#include <stdlib.h>
#include <string.h>

/* Random continuations before the systematic search. */
#define RANDOM_RUNS 6

/* Systematic ones for one prefix, where the budget allows more. */
#define MOST_RUNS 2000

enum answer { ANSWER_GOOD, ANSWER_NEVER, ANSWER_UNKNOWN };

/* A transition of the present path of the depth-first search. */
struct node {
	uint32_t taken; /* the alternative that the first run took */
	uint32_t next;	/* the next one to be tried */
};

struct continuation {
	struct minimizer *m;
	size_t depth;	     /* of the prefix that is fixed */
	struct step *prefix; /* room for the longest path */
	size_t prefix_room;
	struct node *nodes;
	size_t nodes_room;
	struct class_set seen;
	bool pruned; /* something was left out because its class had been come by */
	bool plain;  /* memory is shared outside of operations: classes say nothing, nothing is left out */
};

static bool reserve(struct continuation *c, size_t length)
{
	if (length + 1 > c->prefix_room) {
		struct step *prefix = reallocarray(c->prefix, 2 * length + 1, sizeof *prefix);
		if (!prefix)
			return false;
		c->prefix = prefix;
		c->prefix_room = 2 * length + 1;
	}
	if (length + 1 > c->nodes_room) {
		struct node *nodes = reallocarray(c->nodes, 2 * length + 1, sizeof *nodes);
		if (!nodes)
			return false;
		c->nodes = nodes;
		c->nodes_room = 2 * length + 1;
	}
	return true;
}

/* The transitions that the last run added to the path, from `from` on. */
static bool extend(struct continuation *c, size_t from)
{
	const struct trace *trace = &c->m->trace;
	bool failed = !reserve(c, trace->length);
	c->plain |= trace_hides(trace, c->m->options->sees_memory) != NULL;
	for (size_t i = from; i < trace->length && !failed; i++) {
		/* What was come by before has been continued in every way then. */
		bool fresh = c->plain || class_set_add(&c->seen, happens_before_hash(c->m->hb, i), &failed);
		c->pruned |= !fresh;
		c->nodes[i] = (struct node){trace_taken(trace, i), fresh ? 0 : trace->at[i].alternatives};
	}
	c->m->no_memory |= failed;
	return !failed;
}

/* The next path in the prefix, its length in *length; false if all have been run. */
static bool backtrack(struct continuation *c, size_t *length)
{
	const struct trace *trace = &c->m->trace;
	for (size_t i = trace->length; i-- > c->depth;) {
		struct node *node = &c->nodes[i];
		node->next += node->next == node->taken;
		if (node->next >= trace->at[i].alternatives)
			continue;
		for (size_t k = c->depth; k < i; k++)
			c->prefix[k] = transition_step(&trace->at[k]);
		c->prefix[i] = trace->alternatives[trace->at[i].first_alternative + node->next++].step;
		*length = i + 1;
		return true;
	}
	return false;
}

static enum answer search_all(struct continuation *c)
{
	struct minimizer *m = c->m;
	struct plan plan = {.prefix_length = c->depth, .policy = m->options->policy};
	plan.policy.kind = POLICY_DEFAULT;
	size_t from = c->depth;
	for (uint64_t runs = 0; runs < MOST_RUNS && minimizer_may_run(m); runs++) {
		plan.prefix = c->prefix;
		enum minimize_end end = minimizer_run(m, &plan);
		if (end == MINIMIZE_GOOD)
			return ANSWER_GOOD;
		bool whole = end != MINIMIZE_UNKNOWN && end != MINIMIZE_STOP && !m->trace.unmodelled &&
			     !m->trace.held_back;
		if (!whole || !extend(c, from) || (c->plain && c->pruned))
			return ANSWER_UNKNOWN;
		if (!backtrack(c, &plan.prefix_length))
			return ANSWER_NEVER;
		from = plan.prefix_length;
	}
	return ANSWER_UNKNOWN;
}

static enum answer search_random(struct continuation *c)
{
	struct minimizer *m = c->m;
	struct plan plan = {.prefix = c->prefix, .prefix_length = c->depth, .policy = m->options->policy};
	plan.policy.kind = POLICY_RANDOM;
	for (uint64_t i = 0; i < RANDOM_RUNS && minimizer_may_run(m); i++) {
		plan.policy.seed = m->options->seed + m->out->executions;
		enum minimize_end end = minimizer_run(m, &plan);
		if (end == MINIMIZE_GOOD)
			return ANSWER_GOOD;
		if (end == MINIMIZE_STOP)
			break;
	}
	return ANSWER_UNKNOWN;
}

/* Can an execution that begins with the first `depth` transitions of the failure end well? */
static enum answer ask(struct minimizer *m, size_t depth)
{
	struct continuation c = {.m = m, .depth = depth};
	struct step *steps = minimizer_steps(m, &m->out->trace);
	enum answer answer = ANSWER_UNKNOWN;
	if (steps && reserve(&c, m->out->trace.length)) {
		memcpy(c.prefix, steps, depth * sizeof *steps);
		answer = search_random(&c);
		if (answer == ANSWER_UNKNOWN)
			answer = search_all(&c);
	}
	free(steps);
	free(c.prefix);
	free(c.nodes);
	class_set_release(&c.seen);
	return answer;
}

/* So many transitions of the failure does the nearest passing execution share; an execution that passes differs. */
static size_t passing_depth(const struct minimizer *m)
{
	return minimizer_common(&m->out->trace, &m->out->passing);
}

/* The failure itself ends the execution: no continuation is left to be thought of. */
static bool ends_for_good(const struct trace *trace)
{
	return finding_classify(trace) != FINDING_NONE && !end_reason_loops(trace->end);
}

void minimizer_criticize(struct minimizer *m)
{
	struct minimized *out = m->out;
	uint64_t before = out->executions;
	if (out->trace.length == 0)
		return;
	if (!out->passing.length) {
		enum answer answer = ask(m, 0);
		out->never_good = answer == ANSWER_NEVER;
		if (answer != ANSWER_GOOD)
			return;
	}
	size_t good = passing_depth(m), bad = out->trace.length;
	bool proven = ends_for_good(&out->trace);
	while (bad - good > 1 && !m->stopped && !m->no_memory) {
		size_t middle = good + (bad - good) / 2;
		enum answer answer = ask(m, middle);
		if (answer == ANSWER_GOOD) {
			good = passing_depth(m);
			/* Further than where only a bounded search had found nothing. */
			if (good >= bad) {
				bad = out->trace.length;
				proven = ends_for_good(&out->trace);
			}
			continue;
		}
		/* Where the budget ends, nothing has been asked any more. */
		if (answer == ANSWER_UNKNOWN && !minimizer_may_run(m))
			break;
		bad = middle;
		proven = answer == ANSWER_NEVER;
	}
	out->critical_known = bad == good + 1 && !m->no_memory;
	out->critical_proven = out->critical_known && proven;
	out->critical = good;
	out->critical_executions = out->executions - before;
}
