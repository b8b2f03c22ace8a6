/*
 * Has the tree an execution with all of these events? Where a state of the tree is reached by exactly these it has. Else executions are
 * walked down from the state before them, and if that leads nowhere from the root, since what comes after one step may have been
 * left to be explored after another: along events that are wanted or that others than the wanted threads do, and only where all that is
 * wanted can still come.
 */
#include "supervisor/certificate/checker.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

/* Where an event is in the tree. */
struct place {
	uint64_t id; /* half of the digest: what is found by it is compared by all of it */
	uint32_t node;
};

/* An event that is wanted. */
struct wanted {
	struct digest id;
	uint32_t thread, next; /* the next one of its thread, or NO_EVENT */
	struct step step;
};

/* A node on the way down. */
struct level {
	uint32_t child;	 /* that is tried next */
	uint32_t taken;	 /* the event that the step here was, or NO_EVENT: it was none that is wanted */
	uint32_t extras; /* steps on the way that were none */
};

struct lookup {
	struct checker *ck;
	const struct query *query;
	struct digests states; /* those of executions that weren't cut short */
	struct place *places;
	uint32_t length; /* of places */
	struct wanted *wanted;
	uint32_t wanted_length, wanted_room;
	uint32_t *heads; /* of each thread its first event that is still wanted */
	uint32_t *tails;
	uint32_t left;
	struct level *levels;
	uint32_t levels_length, levels_room;
};

static int by_id(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->node < y->node ? -1 : x->node > y->node;
}

/* Is an event with this digest in the part of the tree from node `from` up to node `to`? */
static bool is_within(const struct lookup *l, struct digest id, uint32_t from, uint32_t to)
{
	uint32_t low = 0, high = l->length;
	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;
		const struct place *place = &l->places[middle];
		if (place->id < id.low || (place->id == id.low && place->node < from))
			low = middle + 1;
		else
			high = middle;
	}
	return low < l->length && l->places[low].id == id.low && l->places[low].node < to;
}

static bool start(struct lookup *l)
{
	const struct certificate *c = l->ck->certificate;
	const uint32_t threads = l->ck->play.threads;
	bool added;
	l->places = malloc(c->nodes_length * sizeof *l->places);
	l->heads = malloc(threads * sizeof *l->heads);
	l->tails = malloc(threads * sizeof *l->tails);
	if (!l->places || !l->heads || !l->tails)
		return false;
	for (uint32_t n = 0; n < c->nodes_length; n++) {
		const struct mark *mark = &l->ck->marks[n];
		if (!mark->complete)
			continue;
		if (n > 0)
			l->places[l->length++] = (struct place){mark->id.low, n};
		if (!digests_add(&l->states, mark->sum, &added))
			return false;
	}
	qsort(l->places, l->length, sizeof *l->places, by_id);
	return true;
}

static void finish(struct lookup *l)
{
	digests_release(&l->states);
	free(l->places);
	free(l->heads);
	free(l->tails);
	free(l->wanted);
	free(l->levels);
}

static bool want(struct lookup *l, struct digest id, struct step step)
{
	if (!ARRAY_GROW(l->wanted, l->wanted_length, l->wanted_room))
		return false;
	const uint32_t number = l->wanted_length++;
	l->wanted[number] = (struct wanted){id, step.thread, NO_EVENT, step};
	if (l->tails[step.thread] == NO_EVENT)
		l->heads[step.thread] = number;
	else
		l->wanted[l->tails[step.thread]].next = number;
	l->tails[step.thread] = number;
	return true;
}

static bool want_node(struct lookup *l, uint32_t node)
{
	return want(l, l->ck->marks[node].id, l->ck->certificate->nodes[node].step);
}

/* The way from the root to a node. */
static bool want_path(struct lookup *l, uint32_t node)
{
	const struct certificate *c = l->ck->certificate;
	const uint32_t depth = l->ck->marks[node].depth;
	uint32_t *path = calloc(depth ? depth : 1, sizeof *path);
	bool ok = path != NULL;
	for (uint32_t d = depth; ok && d > 0; node = c->nodes[node].parent)
		path[--d] = node;
	for (uint32_t d = 0; ok && d < depth; d++)
		ok = want_node(l, path[d]);
	free(path);
	return ok;
}

/* What the query wants, the last event last; from the root on if `whole`. */
static bool want_all(struct lookup *l, bool whole)
{
	const struct query *q = l->query;
	l->wanted_length = 0;
	for (uint32_t t = 0; t < l->ck->play.threads; t++)
		l->heads[t] = l->tails[t] = NO_EVENT;
	bool ok = !whole || want_path(l, q->at);
	for (uint32_t k = 0; ok && k < q->length; k++)
		ok = want_node(l, l->ck->sequences[q->first + k]);
	ok = ok && want(l, q->ids[0], q->step);
	l->left = l->wanted_length;
	return ok;
}

static bool is_last(const struct lookup *l, uint32_t event)
{
	return event == l->wanted_length - 1;
}

static bool may_be_last(const struct lookup *l, struct digest id)
{
	for (uint32_t i = 0; i < l->query->ids_length; i++)
		if (digest_equal(l->query->ids[i], id))
			return true;
	return false;
}

/* Could the last event be in this part of the tree? Where nothing else came before it, it may be any with its step. */
static bool last_is_within(const struct lookup *l, uint32_t from, uint32_t to, uint32_t extras)
{
	bool within = extras == 0;
	for (uint32_t i = 0; i < l->query->ids_length && !within; i++)
		within = is_within(l, l->query->ids[i], from, to);
	return within;
}

/* Can all that is wanted still come, at this node or below it? The last event of each thread has the others in its past. */
static bool can_come(const struct lookup *l, uint32_t node, uint32_t extras)
{
	const uint32_t end = l->ck->certificate->nodes[node].end;
	for (uint32_t t = 0; t < l->ck->play.threads; t++) {
		if (l->heads[t] == NO_EVENT)
			continue;
		const uint32_t last = l->tails[t];
		if (is_last(l, last) ? !last_is_within(l, node, end, extras)
				     : !is_within(l, l->wanted[last].id, node, end))
			return false;
	}
	return true;
}

/* Is the step to this child the first event wanted of its thread? NO_EVENT: nothing is wanted of it. */
static bool matches(const struct lookup *l, uint32_t child, uint32_t extras, uint32_t *event)
{
	const struct certificate_node *node = &l->ck->certificate->nodes[child];
	const struct digest id = l->ck->marks[child].id;
	*event = l->heads[node->step.thread];
	if (*event == NO_EVENT)
		return true;
	if (!is_last(l, *event))
		return digest_equal(l->wanted[*event].id, id);
	/* Whatever the program does in it, it is the step that was asked for, if it comes after exactly the rest. */
	return may_be_last(l, id) || (l->left == 1 && extras == 0 && step_equal(node->step, l->query->step));
}

static bool push(struct lookup *l, uint32_t node, uint32_t taken, uint32_t extras)
{
	if (!ARRAY_GROW(l->levels, l->levels_length, l->levels_room))
		return checker_no_memory(l->ck);
	l->levels[l->levels_length++] = (struct level){first_child(l->ck->certificate, node), taken, extras};
	return true;
}

static void pop(struct lookup *l)
{
	const struct level *level = &l->levels[--l->levels_length];
	if (level->taken == NO_EVENT)
		return;
	l->heads[l->wanted[level->taken].thread] = level->taken;
	l->left++;
}

/* Try the step to a child. */
static bool try(struct lookup *l, uint32_t child, uint32_t extras)
{
	uint32_t event;
	if (!l->ck->marks[child].complete || !matches(l, child, extras, &event))
		return true;
	const uint32_t more = extras + (event == NO_EVENT);
	if (!can_come(l, child, more))
		return true;
	if (event != NO_EVENT) {
		l->heads[l->wanted[event].thread] = l->wanted[event].next;
		l->left--;
	}
	return push(l, child, event, more);
}

/* Down from this node. *found: all that is wanted was met. */
static bool descend(struct lookup *l, uint32_t node, bool *found)
{
	l->levels_length = 0;
	bool ok = push(l, node, NO_EVENT, 0);
	while (ok && l->left > 0 && l->levels_length > 0) {
		struct level *level = &l->levels[l->levels_length - 1];
		const uint32_t child = level->child;
		if (child == CERTIFICATE_NONE) {
			pop(l);
			continue;
		}
		level->child = next_child(l->ck->certificate, child);
		ok = try(l, child, level->extras);
	}
	*found = ok && l->left == 0;
	return ok;
}

static bool is_state(const struct lookup *l)
{
	for (uint32_t i = 0; i < l->query->ids_length; i++)
		if (digests_has(&l->states, digest_sum(l->query->sum, l->query->ids[i])))
			return true;
	return false;
}

static bool tell_hole(struct lookup *l)
{
	const struct query *q = l->query;
	const struct checker *ck = l->ck;
	const char *what = op_name((enum op_kind)q->kind);
	if (q->against == CERTIFICATE_NONE)
		return checker_flaw(l->ck, q->for_node,
				    "T%u's %s with choice %d is open after this, and no execution takes it",
				    q->step.thread + 1, what, q->step.choice);
	const struct certificate_node *against = &ck->certificate->nodes[q->against];
	return checker_flaw(
	    l->ck, q->for_node,
	    "T%u's %s could come before T%u's %s (transition %u), and in no execution it does",
	    q->step.thread + 1, what, against->step.thread + 1,
	    op_name((enum op_kind)ck->marks[q->against].kind), ck->marks[q->against].depth);
}

static bool answer(struct lookup *l)
{
	bool found = is_state(l);
	for (int whole = 0; whole < 2 && !found; whole++)
		if (!want_all(l, whole))
			return checker_no_memory(l->ck);
		else if (!descend(l, whole ? 0 : l->query->at, &found))
			return false;
	return found || tell_hole(l);
}

/* Of one event, what the program does after it: the same in all executions. */
static bool is_repeatable(struct lookup *l)
{
	const struct certificate *c = l->ck->certificate;
	for (uint32_t i = 1; i < l->length; i++) {
		const uint32_t a = l->places[i - 1].node, b = l->places[i].node;
		if (!digest_equal(l->ck->marks[a].id, l->ck->marks[b].id))
			continue;
		const struct certificate_node *x = &c->nodes[a], *y = &c->nodes[b];
		const bool ops = x->next <= CERTIFICATE_MOST && y->next <= CERTIFICATE_MOST;
		if (ops ? c->ops[x->next].kind != c->ops[y->next].kind : x->next != y->next)
			return checker_flaw(l->ck, b,
					    "T%u goes on in another way than after the same transitions in "
					    "another execution",
					    y->step.thread + 1);
	}
	return true;
}

bool lookup_all(struct checker *ck)
{
	struct lookup l = {.ck = ck};
	bool ok = start(&l) || checker_no_memory(ck);
	ok = ok && is_repeatable(&l);
	for (uint32_t i = 0; i < ck->queries_length && ok; i++) {
		l.query = &ck->queries[i];
		ok = answer(&l);
	}
	finish(&l);
	return ok;
}
