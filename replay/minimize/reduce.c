/*
 * Fewer preemptions, switches, transitions: the same trace in a better order, then delta debugging over what
 * the schedule does otherwise than the default policy (Zeller and Hildebrandt, Simplifying and Isolating
 * Failure-Inducing Input, TSE 2002; for schedules: Choi and Zeller, ISSTA 2002).
 */
#include "replay/minimize/linearize.h"
#include "replay/minimize/private.h"

#include <stdlib.h>
#include <string.h>

/* So often the two help each other to less. */
#define ROUNDS 3

struct reduction {
	struct minimizer *m;
	struct deviations list; /* of the best trace */
	struct deviation *some; /* the part of the list that is tried */
	bool real;		/* take nothing for known, run everything */
	bool assumed;		/* something was taken for known */
	bool broken_off;	/* something could not be run any more */
};

/* Run the list without those from `first` to before `end`; true: it fails in the same way and is taken. */
static bool try_without(struct reduction *r, size_t first, size_t end)
{
	struct minimizer *m = r->m;
	size_t length = first + r->list.length - end;
	/* Also where nothing would be run: to follow thousands of deviations in what is known takes long. */
	if (!minimizer_may_run(m)) {
		r->broken_off = true;
		return false;
	}
	memcpy(r->some, r->list.at, first * sizeof *r->some);
	memcpy(r->some + first, r->list.at + end, (r->list.length - end) * sizeof *r->some);
	qsort(r->some, length, sizeof *r->some, deviation_compare);
	if (!r->real) {
		enum minimize_end end_known = known_end(&m->known, r->some, length);
		if (end_known == MINIMIZE_GOOD || end_known == MINIMIZE_OTHER) {
			m->out->known++;
			r->assumed = true;
			return false;
		}
	}
	struct plan plan = {.policy = m->out->policy};
	plan.policy.kind = POLICY_DEVIATIONS;
	plan.policy.deviations = r->some;
	plan.policy.deviations_length = length;
	enum minimize_end how = minimizer_run(m, &plan);
	r->broken_off |= how == MINIMIZE_STOP;
	return how == MINIMIZE_SAME && minimizer_accept(m, &plan.policy);
}

/* The list anew from the best trace; what was passed over is no longer in it. */
static void renew(struct reduction *r)
{
	r->m->no_memory |= !deviations_from_trace(&r->list, &r->m->out->trace);
	r->m->out->deviations = r->list.length;
}

/*
 * ddmin, with complements only: what is left in the end lacks none of its members (1-minimal), and larger
 * steps are taken by complements of halves. `parts` is the granularity.
 */
static void ddmin(struct reduction *r)
{
	size_t parts = 2, failures = 0, part = 0;
	while (r->list.length > 0 && !r->broken_off && !r->m->no_memory) {
		size_t length = r->list.length;
		if (parts > length)
			parts = length;
		part = part < parts ? part : 0;
		if (try_without(r, part * length / parts, (part + 1) * length / parts)) {
			renew(r);
			/* From the next part on, which now has this one's number. */
			parts = parts > 2 ? parts - 1 : 2;
			failures = 0;
			continue;
		}
		part++;
		if (++failures < parts)
			continue;
		if (parts == length)
			return;
		parts *= 2;
		failures = part = 0;
	}
}

/* Remove single deviations until none can be missed, running every attempt. */
static void prune(struct reduction *r)
{
	r->real = true;
	size_t needed = 0, next = 0;
	while (needed < r->list.length && !r->broken_off && !r->m->no_memory) {
		next = next < r->list.length ? next : 0;
		if (try_without(r, next, next + 1)) {
			renew(r);
			needed = 0;
		} else {
			needed++;
			next++;
		}
	}
	r->real = false;
}

static void reduce_deviations(struct minimizer *m)
{
	struct reduction r = {.m = m};
	renew(&r);
	r.some = calloc(r.list.length + 1, sizeof *r.some);
	m->no_memory |= !r.some;
	if (!m->no_memory) {
		ddmin(&r);
		if (r.assumed)
			prune(&r);
		m->out->minimal = !r.broken_off && !m->no_memory;
	}
	free(r.some);
	deviations_release(&r.list);
}

/* Is a prefix and what the default policy makes of it as good as the best? */
static bool try_steps(struct minimizer *m, const struct step *steps, size_t length, struct policy policy)
{
	if (!minimizer_may_run(m))
		return false;
	policy.kind = POLICY_DEFAULT;
	const struct plan plan = {.prefix = steps, .prefix_length = length, .policy = policy};
	return minimizer_run(m, &plan) == MINIMIZE_SAME && minimizer_accept(m, &policy);
}

/*
 * The part of a trace to be put in order: all of it, or where its last transition is the failure only what
 * happens before that one. The end has to stay the end: its clock is made the last of all.
 */
static size_t take_part(const struct minimizer *m, size_t *taken, uint32_t *threads, uint32_t *clocks,
			bool only_cause)
{
	const struct trace *trace = &m->out->trace;
	uint32_t width = happens_before_threads(m->hb);
	size_t last = trace->length - 1, length = 0;
	for (size_t i = 0; i < trace->length; i++) {
		if (only_cause && !happens_before(m->hb, i, last))
			continue;
		taken[length] = i;
		threads[length] = trace->at[i].thread;
		memcpy(clocks + length * width, happens_before_clock(m->hb, i), width * sizeof *clocks);
		length++;
	}
	if (trace->end == END_DEADLOCK)
		return length;
	uint32_t *end = clocks + (length - 1) * width;
	memset(end, 0, width * sizeof *end);
	for (size_t i = 0; i < length; i++)
		end[threads[i]]++;
	return length;
}

static void linearize_part(struct minimizer *m, bool only_cause)
{
	const struct trace *trace = &m->out->trace;
	uint32_t width = happens_before_threads(m->hb);
	size_t *taken = calloc(trace->length, sizeof *taken), *order = calloc(trace->length, sizeof *order);
	uint32_t *threads = calloc(trace->length, sizeof *threads);
	uint32_t *clocks = calloc(trace->length * width, sizeof *clocks);
	struct step *steps = calloc(trace->length, sizeof *steps);
	bool exact, ok = taken && order && threads && clocks && steps;
	if (ok) {
		struct partial_order po = {take_part(m, taken, threads, clocks, only_cause), width, threads,
					   clocks};
		ok = linearize(&po, order, &exact);
		for (size_t k = 0; ok && k < po.length; k++) {
			const struct transition *transition = &trace->at[taken[order[k]]];
			steps[k] = transition_step(transition);
		}
		if (ok &&
		    (po.length < trace->length || linearize_switches(&po, order) < m->out->after.switches))
			(void)try_steps(m, steps, po.length, m->out->policy);
	}
	m->no_memory |= !ok;
	free(taken);
	free(order);
	free(threads);
	free(clocks);
	free(steps);
}

/* True: something was gained. */
static bool reorder(struct minimizer *m)
{
	const struct minimize_size old = m->out->after;
	const struct trace *trace = &m->out->trace;
	bool cause = trace->end == END_EXIT || trace->end == END_SIGNAL || trace->end == END_MISUSE ||
		     trace->end == END_VIOLATED || trace->end == END_UNFULFILLED ||
		     trace->end == END_REJECTED;
	if (trace->length == 0 || (!cause && trace->end != END_DEADLOCK))
		return false;
	for (int only_cause = cause; only_cause >= 0 && !m->no_memory; only_cause--) {
		if (!happens_before_start(m->hb, trace, m->options->policy.fair_k != 0) ||
		    !happens_before_push_all(m->hb)) {
			m->no_memory = true;
			return false;
		}
		linearize_part(m, only_cause);
	}
	return memcmp(&old, &m->out->after, sizeof old) != 0;
}

/*
 * An endless loop is proven by the state that returns, past the depth bound. With a lower bound fewer rounds
 * of it are run.
 */
static void shorten_loop(struct minimizer *m)
{
	while (m->out->policy.max_depth > 1 && end_reason_loops(m->out->trace.end)) {
		struct policy policy = m->out->policy;
		policy.max_depth =
		    (m->out->trace.length < policy.max_depth ? m->out->trace.length : policy.max_depth) / 2;
		size_t length = m->out->trace.length;
		struct step *steps = policy.max_depth ? minimizer_steps(m, &m->out->trace) : NULL;
		bool shorter = steps && try_steps(m, steps, length, policy);
		free(steps);
		if (!shorter)
			return;
	}
}

void minimizer_reduce(struct minimizer *m)
{
	shorten_loop(m);
	m->out->minimal = false;
	for (int round = 0; round < ROUNDS && !m->stopped && !m->no_memory; round++) {
		bool better = reorder(m);
		if (round > 0 && !better)
			break;
		reduce_deviations(m);
	}
	shorten_loop(m);
}
