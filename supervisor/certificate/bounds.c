/*
 * Trees in which every step is taken, within a bound on preemptions or delays or without. Of two states that are reached by the same
 * transitions up to the order of independent ones one is enough, if it was reached at no higher cost. Of preemptions: at the same one only if
 * what costs nothing there does so here ([CB]; whatever follows costs at most one more than there). Of delays: after a step of the same
 * thread, since what follows may cost any number more from another one.
 */
#include "supervisor/certificate/checker.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>

/* Is the state beyond what executions are run in every way to? */
static bool is_too_deep(const struct checker *ck, uint32_t node)
{
	return ck->certificate->max_depth != 0 && ck->marks[node].depth >= ck->certificate->max_depth;
}

/* The thread that ran last. */
static uint32_t last_thread(const struct certificate *c, uint32_t node)
{
	return node ? c->nodes[node].step.thread : NO_THREAD;
}

/* What taking the s-th of the open steps costs, if what is bounded is that. */
static uint32_t cost_of(const struct checker *ck, const struct state *state, uint32_t last, uint32_t s)
{
	return ck->certificate->method == CERTIFICATE_DELAYS
		   ? play_delays(last, ck->open[s], ck->open, ck->open_length)
		   : play_preempts(state, last, ck->open[s]);
}

static bool add_want(struct checker *ck, uint32_t node, struct step step, uint32_t cost)
{
	struct want want = {.node = node, .step = step, .cost = cost, .known = !ck->hides};
	if (want.known) {
		struct state state = checker_try(ck, ck->history.length);
		const enum op_kind kind = model_pending(state.model, step.thread)->kind;
		const uint32_t length = ck->history.length;
		play_ahead(&ck->play, &state, step, NULL, &ck->ahead);
		ck->failed |= ck->ahead.failed;
		const struct digest id = history_ahead(
		    &ck->history, (struct without){NO_EVENT, NO_EVENT}, ck->history.latest[step.thread],
		    step.thread, kind, step.choice, (struct accesses){ck->ahead.at, ck->ahead.length});
		want.state =
		    digest_sum(length ? ck->history.events[length - 1].sum : (struct digest){0, 0}, id);
	}
	if (!ARRAY_GROW(ck->wants, ck->wants_length, ck->wants_room))
		return checker_no_memory(ck);
	ck->wants[ck->wants_length++] = want;
	return !ck->failed || checker_no_memory(ck);
}

static bool tell(struct checker *ck, uint32_t node, struct step step)
{
	const struct state state = checker_state(ck, ck->history.length);
	return checker_flaw(
	    ck, node, "T%u's %s with choice %d is open after this, and isn't taken", step.thread + 1,
	    op_name((enum op_kind)model_pending(state.model, step.thread)->kind), step.choice);
}

bool bounds_visit(struct checker *ck, uint32_t node)
{
	const struct certificate *c = ck->certificate;
	const struct state state = checker_state(ck, ck->history.length);
	const uint32_t last = last_thread(c, node);
	const bool bounded = certificate_method_bounded(c->method);
	struct mark *mark = &ck->marks[node];
	for (uint32_t s = 0; s < ck->open_length; s++) {
		const uint32_t more = cost_of(ck, &state, last, s);
		const uint32_t child = child_with(c, node, ck->open[s]);
		const uint32_t cost = mark->cost + more;
		if (more > 0)
			mark->free = last;
		if (child != CERTIFICATE_NONE)
			ck->marks[child].cost = cost;
		if (child != CERTIFICATE_NONE || is_too_deep(ck, node) || (bounded && cost > c->bound))
			continue;
		if (!bounded)
			return tell(ck, node, ck->open[s]);
		if (!add_want(ck, node, ck->open[s], cost))
			return false;
	}
	return true;
}

/* Nodes by the digests of their states. */
struct index {
	const struct checker *ck;
	uint32_t *at;
	uint32_t length;
};

static int by_state(const void *a, const void *b, void *context)
{
	const struct mark *marks = context;
	const struct digest x = marks[*(const uint32_t *)a].sum, y = marks[*(const uint32_t *)b].sum;
	if (x.low != y.low)
		return x.low < y.low ? -1 : 1;
	return x.high < y.high ? -1 : x.high > y.high;
}

static int by_depth(const void *a, const void *b, void *context)
{
	const struct mark *marks = context;
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	if (marks[x].depth != marks[y].depth)
		return marks[x].depth > marks[y].depth ? -1 : 1;
	return x < y ? -1 : x > y;
}

static uint32_t *sorted(const struct checker *ck, int (*order)(const void *, const void *, void *))
{
	const uint32_t length = ck->certificate->nodes_length;
	uint32_t *list = malloc(length * sizeof *list);
	for (uint32_t n = 0; list && n < length; n++)
		list[n] = n;
	if (list)
		qsort_r(list, length, sizeof *list, order, ck->marks);
	return list;
}

/* Does the state of `other` stand for one that is equal, at this cost, where going on with `last` is for nothing? */
static bool stands_for(const struct checker *ck, const struct mark *other, uint32_t cost, uint32_t last)
{
	if (ck->certificate->method == CERTIFICATE_DELAYS)
		return other->cost <= cost && other->free == last;
	return other->cost < cost ||
	       (other->cost == cost && (other->free == NO_THREAD || other->free == last));
}

static bool is_covered(const struct index *index, struct digest state, uint32_t cost, uint32_t last)
{
	const struct mark *marks = index->ck->marks;
	uint32_t low = 0, high = index->length;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		if (marks[index->at[middle]].sum.low < state.low)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < index->length && marks[index->at[low]].sum.low == state.low; low++) {
		const struct mark *other = &marks[index->at[low]];
		if (other->expanded && other->sum.high == state.high &&
		    stands_for(index->ck, other, cost, last))
			return true;
	}
	return false;
}

static const struct want *missing_want(const struct index *index, const uint32_t *first, uint32_t node)
{
	const struct checker *ck = index->ck;
	for (uint32_t w = first[node]; w < ck->wants_length && ck->wants[w].node == node; w++) {
		const struct want *want = &ck->wants[w];
		if (!want->known || !is_covered(index, want->state, want->cost, want->step.thread))
			return want;
	}
	return NULL;
}

static bool children_are_good(const struct checker *ck, uint32_t node)
{
	const struct certificate *c = ck->certificate;
	for (uint32_t child = first_child(c, node); child != CERTIFICATE_NONE; child = next_child(c, child))
		if (ck->marks[child].cost <= c->bound && !ck->marks[child].good)
			return false;
	return true;
}

/* Of each node the first of its wants, which come in the order of the nodes; wants_length if it has none. */
static uint32_t *first_wants(const struct checker *ck)
{
	const uint32_t length = ck->certificate->nodes_length;
	uint32_t *first = malloc(length * sizeof *first);
	for (uint32_t n = 0; first && n < length; n++)
		first[n] = ck->wants_length;
	for (uint32_t w = ck->wants_length; first && w-- > 0;)
		first[ck->wants[w].node] = w;
	return first;
}

/* From the root down to what is missing. */
static bool tell_missing(const struct checker *checker, struct checker *ck, const struct index *index,
			 const uint32_t *first)
{
	const struct certificate *c = checker->certificate;
	uint32_t node = 0;
	for (;;) {
		const struct want *want = missing_want(index, first, node);
		if (want)
			return checker_flaw(
			    ck, node, "T%u with choice %d is open after this with %u %s, and isn't taken",
			    want->step.thread + 1, want->step.choice, want->cost,
			    c->method == CERTIFICATE_DELAYS ? "delays" : "preemptions");
		uint32_t child = first_child(c, node);
		while (child != CERTIFICATE_NONE &&
		       (ck->marks[child].good || ck->marks[child].cost > c->bound))
			child = next_child(c, child);
		if (child == CERTIFICATE_NONE)
			return checker_flaw(ck, node, "it isn't gone on from here");
		node = child;
	}
}

/* The deepest first: what stands for a state after a step is one level below. */
bool bounds_conclude(struct checker *ck)
{
	const uint32_t length = ck->certificate->nodes_length;
	uint32_t *order = sorted(ck, by_depth), *first = first_wants(ck);
	struct index index = {ck, sorted(ck, by_state), length};
	bool ok = order && first && index.at;
	for (uint32_t i = 0; ok && i < length;) {
		uint32_t end = i;
		while (end < length && ck->marks[order[end]].depth == ck->marks[order[i]].depth)
			end++;
		for (uint32_t k = i; k < end; k++) {
			struct mark *mark = &ck->marks[order[k]];
			mark->expanded =
			    children_are_good(ck, order[k]) && !missing_want(&index, first, order[k]);
		}
		for (uint32_t k = i; k < end; k++) {
			struct mark *mark = &ck->marks[order[k]];
			mark->good = mark->expanded ||
				     (!ck->hides && is_covered(&index, mark->sum, mark->cost, mark->free));
		}
		i = end;
	}
	if (!ok)
		checker_no_memory(ck);
	else if (!ck->marks[0].good)
		ok = tell_missing(ck, ck, &index, first);
	free(order);
	free(first);
	free(index.at);
	return ok;
}
