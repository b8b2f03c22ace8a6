/* Traces become a tree. Nodes are kept in the order in which they come, linked, and put into the tree's order at the end. */
#include "supervisor/certificate/recorder.h"

#include <fmc/supervisor/bitset.h>
#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

struct certificate_recorder *certificate_recorder_new(void)
{
	struct certificate_recorder *r = calloc(1, sizeof *r);
	if (r)
		certificate_init(&r->all);
	return r;
}

void certificate_recorder_clear(struct certificate_recorder *r)
{
	certificate_release(&r->all);
	free(r->links);
	intern_release(&r->ops);
	intern_release(&r->states);
	intern_release(&r->met);
	free(r->refusal);
	*r = (struct certificate_recorder){0};
	certificate_init(&r->all);
}

void certificate_recorder_free(struct certificate_recorder *r)
{
	if (!r)
		return;
	certificate_recorder_clear(r);
	free(r);
}

void certificate_refuse(struct certificate_recorder *r, const char *reason)
{
	r->refuses = reason;
}

const char *certificate_refuses(const struct certificate_recorder *r)
{
	if (r->failed)
		return "there was no memory for it";
	if (r->refuses)
		return r->refuses;
	return r->all.nodes_length == 0 ? "no execution came to its end" : NULL;
}

struct op recorder_op(const struct op *op)
{
	struct op clean;
	memset(&clean, 0, sizeof clean);
	clean.kind = op->kind;
	clean.flags = op->flags;
	clean.object = op->object;
	clean.object2 = op->object2;
	clean.arg = op->arg;
	clean.arg2 = op->arg2;
	clean.arg3 = op->arg3;
	return clean;
}

struct object_state recorder_object(const struct object_state *state)
{
	struct object_state clean;
	memset(&clean, 0, sizeof clean);
	clean.class = state->class;
	clean.type = state->type;
	clean.owner = state->owner;
	clean.count = state->count;
	clean.wakeup = state->wakeup;
	clean.spurious = state->spurious;
	if (state->class >= CLASS_USER)
		memcpy(clean.user, state->user, sizeof clean.user);
	return clean;
}

static uint32_t intern_op(struct certificate_recorder *r, const struct op *op)
{
	struct certificate *all = &r->all;
	const struct op clean = recorder_op(op);
	if (!ARRAY_GROW(all->ops, all->ops_length, all->ops_room))
		return UINT32_MAX;
	const uint32_t number = intern_find(&r->ops, all->ops, &clean, sizeof clean);
	if (number == all->ops_length)
		all->ops[all->ops_length++] = clean;
	return number;
}

static uint32_t intern_state(struct certificate_recorder *r, const struct object_state *state)
{
	struct certificate *all = &r->all;
	const struct object_state clean = recorder_object(state);
	if (!ARRAY_GROW(all->states, all->states_length, all->states_room))
		return UINT32_MAX;
	const uint32_t number = intern_find(&r->states, all->states, &clean, sizeof clean);
	if (number == all->states_length)
		all->states[all->states_length++] = clean;
	return number;
}

static uint32_t intern_fact(struct certificate_recorder *r, const struct fact *fact)
{
	if (fact->comes)
		return fact->comes;
	const uint32_t number = intern_op(r, &fact->next);
	r->failed |= number == UINT32_MAX;
	return number;
}

/* The objects from number `from` on that this state has, which may be seen by now. */
static bool keep_objects(struct certificate_recorder *r, struct certificate_node *node,
			 const struct trace *trace, uint32_t from, uint32_t to)
{
	struct certificate *all = &r->all;
	node->first = all->seen_length;
	node->objects = to - from;
	for (uint32_t o = from; o < to; o++) {
		const uint32_t number = intern_state(r, &trace->objects[o]);
		if (number == UINT32_MAX || !ARRAY_GROW(all->seen, all->seen_length, all->seen_room))
			return false;
		all->seen[all->seen_length++] = number;
	}
	return true;
}

static bool same_objects(const struct certificate *all, const struct certificate_node *node,
			 const struct trace *trace, uint32_t from, uint32_t to)
{
	if (node->objects != to - from)
		return false;
	for (uint32_t k = 0; k < node->objects; k++) {
		const struct object_state *then = &all->states[all->seen[node->first + k]];
		const struct object_state *now = &trace->objects[from + k];
		if (then->class != now->class || then->type != now->type || then->owner != now->owner ||
		    then->count != now->count)
			return false;
	}
	return true;
}

static uint32_t objects_before(const struct trace *trace, size_t i)
{
	return i < trace->length ? trace->at[i].objects : trace->objects_length;
}

/* Which threads that wait for the outside could go on before transition i; CERTIFICATE_NONE: nobody. */
static uint32_t keep_ready(struct certificate_recorder *r, const struct trace *trace, size_t i)
{
	struct certificate *all = &r->all;
	const uint64_t *enabled = i < trace->length ? trace_enabled(trace, i) : NULL;
	const uint32_t first = all->ready_length;
	for (uint32_t t = 0; enabled && t < trace->threads_length; t++) {
		size_t k = i;
		while (bitset_has(enabled, t) && k < trace->length && trace->at[k].thread != t)
			k++;
		const struct op *op = k < trace->length ? &trace->at[k].op : &trace->threads[t].pending;
		if (!bitset_has(enabled, t) || !op_waits_outside(op->kind))
			continue;
		if (!ARRAY_GROW(all->ready, all->ready_length, all->ready_room)) {
			r->failed = true;
			return CERTIFICATE_NONE;
		}
		all->ready[all->ready_length++] = t;
	}
	if (all->ready_length == first)
		return CERTIFICATE_NONE;
	if (!ARRAY_GROW(all->sets, all->sets_length, all->sets_room)) {
		r->failed = true;
		return CERTIFICATE_NONE;
	}
	all->sets[all->sets_length] = (struct certificate_set){first, all->ready_length - first};
	return all->sets_length++;
}

void recorder_link(struct certificate_recorder *r, uint32_t n)
{
	const uint32_t parent = r->all.nodes[n].parent;
	r->links[n] = (struct links){CERTIFICATE_NONE, CERTIFICATE_NONE, CERTIFICATE_NONE};
	if (parent == CERTIFICATE_NONE)
		return;
	if (r->links[parent].last == CERTIFICATE_NONE)
		r->links[parent].child = n;
	else
		r->links[r->links[parent].last].sibling = n;
	r->links[parent].last = n;
}

static uint32_t add_node(struct certificate_recorder *r, uint32_t parent, const struct certificate_node *node)
{
	struct certificate *all = &r->all;
	const uint32_t n = all->nodes_length;
	if (n >= CERTIFICATE_MOST || !ARRAY_GROW(all->nodes, n, all->nodes_room) ||
	    !ARRAY_RESERVE(r->links, all->nodes_room, r->links_room)) {
		r->failed = true;
		return CERTIFICATE_NONE;
	}
	all->nodes[n] = *node;
	all->nodes[n].parent = parent;
	all->nodes[n].conclusion = CERTIFICATE_NONE;
	all->nodes[n].met = CERTIFICATE_NONE;
	all->nodes_length++;
	recorder_link(r, n);
	return n;
}

static bool add_root(struct certificate_recorder *r, const struct trace *trace, const size_t *first)
{
	struct certificate *all = &r->all;
	struct certificate_node root = {.next = CERTIFICATE_ASLEEP, .ready = keep_ready(r, trace, 0)};
	all->found = trace->found_length > 0;
	for (uint32_t t = 0; t < trace->initial_threads; t++) {
		const struct fact fact = trace_beginning(trace, t, first[t]);
		const uint32_t begins = intern_fact(r, &fact);
		if (begins == UINT32_MAX || !ARRAY_GROW(all->begin, all->begin_length, all->begin_room))
			return false;
		all->begin[all->begin_length++] = begins;
	}
	return keep_objects(r, &root, trace, 0, objects_before(trace, 0)) &&
	       add_node(r, CERTIFICATE_NONE, &root) == 0;
}

static bool same_fact(const struct certificate *all, uint32_t next, const struct fact *fact)
{
	if (fact->comes || next > CERTIFICATE_MOST)
		return next == fact->comes;
	const struct op *then = &all->ops[next], *now = &fact->next;
	return then->kind == now->kind && then->flags == now->flags && then->object == now->object &&
	       then->object2 == now->object2 && then->arg == now->arg && then->arg2 == now->arg2 &&
	       then->arg3 == now->arg3;
}

static bool same_beginning(const struct certificate *all, const struct trace *trace, const size_t *first)
{
	if (all->begin_length != trace->initial_threads ||
	    !same_objects(all, &all->nodes[0], trace, 0, objects_before(trace, 0)))
		return false;
	for (uint32_t t = 0; t < trace->initial_threads; t++) {
		const struct fact fact = trace_beginning(trace, t, first[t]);
		if (!same_fact(all, all->begin[t], &fact))
			return false;
	}
	return true;
}

/* Is the node that transition i of this trace led to before as it is now? */
static bool same_node(const struct certificate *all, const struct certificate_node *node,
		      const struct trace *trace, size_t i, size_t following)
{
	const struct transition *now = &trace->at[i];
	const struct fact fact = trace_fact(trace, i, following);
	return same_fact(all, node->next, &fact) && node->births == now->births && node->word == now->word &&
	       node->word2 == now->word2 &&
	       same_objects(all, node, trace, now->objects, objects_before(trace, i + 1));
}

static uint32_t find_child(const struct certificate_recorder *r, uint32_t parent, struct step step)
{
	uint32_t child = r->links[parent].child;
	while (child != CERTIFICATE_NONE && !step_equal(r->all.nodes[child].step, step))
		child = r->links[child].sibling;
	return child;
}

static uint32_t new_node(struct certificate_recorder *r, uint32_t parent, const struct trace *trace, size_t i,
			 size_t following)
{
	const struct transition *now = &trace->at[i];
	const struct fact fact = trace_fact(trace, i, following);
	struct certificate_node node = {
	    .step = transition_step(now),
	    .next = intern_fact(r, &fact),
	    .births = now->births,
	    .word = now->word,
	    .word2 = now->word2,
	    .ready = keep_ready(r, trace, i + 1),
	};
	if (r->failed || !keep_objects(r, &node, trace, now->objects, objects_before(trace, i + 1))) {
		r->failed = true;
		return CERTIFICATE_NONE;
	}
	return add_node(r, parent, &node);
}

/* An execution ends there. One that did before says nothing new. */
static void conclude(struct certificate_recorder *r, uint32_t n, const struct trace *trace)
{
	struct certificate *all = &r->all;
	const struct certificate_end end = {
	    .node = n, .reason = trace->end, .value = trace->end_value, .thread = trace->end_thread};
	if (all->nodes[n].conclusion != CERTIFICATE_NONE) {
		const struct certificate_end *then = &all->ends[all->nodes[n].conclusion];
		all->redundant++;
		if (then->reason != end.reason || then->value != end.value)
			r->refuses = "executions that begin alike end in different ways";
		return;
	}
	if (!ARRAY_GROW(all->ends, all->ends_length, all->ends_room)) {
		r->failed = true;
		return;
	}
	all->nodes[n].conclusion = all->ends_length;
	all->ends[all->ends_length++] = end;
}

static bool is_covered(enum end_reason reason)
{
	return ends_maximal(reason) || reason == END_SPIN || reason == END_REDUNDANT || reason == END_DEPTH ||
	       end_reason_loops(reason);
}

/* The node is this state. */
static void note_state(struct certificate_recorder *r, uint32_t n, const struct state_visit *visit)
{
	struct certificate *all = &r->all;
	const struct certificate_met met = {{visit->digest[0], visit->digest[1]}};
	if (!ARRAY_GROW(all->met, all->met_length, all->met_room)) {
		r->failed = true;
		return;
	}
	const uint32_t number = intern_find(&r->met, all->met, &met, sizeof met);
	if (number == all->met_length)
		all->met[all->met_length++] = met;
	r->failed |= number == UINT32_MAX;
	all->nodes[n].met = number;
}

static void insert(struct certificate_recorder *r, const struct trace *trace, const size_t *following,
		   const struct state_visit *visits, size_t visits_length)
{
	uint32_t n = 0;
	for (size_t i = 0; i <= trace->length && !r->failed; i++) {
		if (visits_length > 0 && visits->before == i) {
			note_state(r, n, visits++);
			visits_length--;
		}
		if (i == trace->length)
			break;
		uint32_t child = find_child(r, n, transition_step(&trace->at[i]));
		if (child == CERTIFICATE_NONE) {
			child = new_node(r, n, trace, i, following[i]);
		} else if (!same_node(&r->all, &r->all.nodes[child], trace, i, following[i])) {
			r->refuses = "executions that begin alike go on in different ways";
			return;
		}
		n = child;
	}
	if (!r->failed)
		conclude(r, n, trace);
}

void certificate_record(struct certificate_recorder *r, const struct trace *trace,
			const struct policy *policy, const struct state_visit *visits, size_t visits_length)
{
	if (r->failed || r->refuses)
		return;
	if (!is_covered(trace->end)) {
		r->refuses = "an execution came to an end that no certificate speaks of";
		return;
	}
	size_t *following = trace_following(trace);
	r->failed |= !following;
	if (!following)
		return;
	const size_t *first = following + trace->length;
	for (size_t i = 0; i < trace->length; i++)
		if (trace->at[i].flags & TRANSITION_ORDERED)
			r->refuses = "time-outs fired in order, which isn't known of a state by itself";
	r->all.ends_count |= policy->ends_count;
	if (r->all.nodes_length == 0)
		r->failed |= !add_root(r, trace, first);
	else if (!same_beginning(&r->all, trace, first))
		r->refuses = "executions begin in different ways";
	if (!r->failed && !r->refuses)
		insert(r, trace, following, visits, visits_length);
	free(following);
}

/* Where each node goes in the order of a walk; the end of each in that order is known when the walk leaves it. */
static void put_in_order(const struct certificate_recorder *r, struct certificate *to, uint32_t *place)
{
	const struct certificate *all = &r->all;
	uint32_t n = 0;
	while (n != CERTIFICATE_NONE) {
		place[n] = to->nodes_length;
		struct certificate_node *node = &to->nodes[to->nodes_length++];
		*node = all->nodes[n];
		node->parent = n ? place[all->nodes[n].parent] : CERTIFICATE_NONE;
		uint32_t next = r->links[n].child;
		while (next == CERTIFICATE_NONE && n != CERTIFICATE_NONE) {
			to->nodes[place[n]].end = to->nodes_length;
			next = r->links[n].sibling;
			n = all->nodes[n].parent;
		}
		n = next;
	}
}

/* States at which nothing was cut are of no use. */
static bool keep_met(struct certificate *to)
{
	uint32_t *number = calloc((size_t)to->met_length + 1, sizeof *number), length = 0;
	if (!number)
		return false;
	for (uint32_t e = 0; e < to->ends_length; e++) {
		const uint32_t met = to->nodes[to->ends[e].node].met;
		if (to->ends[e].reason == END_REDUNDANT && met != CERTIFICATE_NONE)
			number[met] = 1;
	}
	for (uint32_t m = 0; m < to->met_length; m++) {
		if (!number[m])
			continue;
		to->met[length] = to->met[m];
		number[m] = ++length;
	}
	for (uint32_t n = 0; n < to->nodes_length; n++)
		if (to->nodes[n].met != CERTIFICATE_NONE)
			to->nodes[n].met =
			    number[to->nodes[n].met] ? number[to->nodes[n].met] - 1 : CERTIFICATE_NONE;
	to->met_length = length;
	free(number);
	return true;
}

bool certificate_recorder_finish(struct certificate_recorder *r, struct certificate *to)
{
	const uint32_t length = r->all.nodes_length;
	uint32_t *place = calloc((size_t)length + 1, sizeof *place);
	struct certificate_node *nodes = calloc((size_t)length + 1, sizeof *nodes);
	if (!place || !nodes || r->failed || !length) {
		free(place);
		free(nodes);
		return false;
	}
	*to = r->all;
	to->nodes = nodes;
	to->nodes_length = 0;
	to->nodes_room = length + 1;
	put_in_order(r, to, place);
	for (uint32_t e = 0; e < to->ends_length; e++)
		to->ends[e].node = place[to->ends[e].node];
	free(r->all.nodes);
	certificate_init(&r->all);
	certificate_recorder_clear(r);
	free(place);
	return keep_met(to);
}

bool certificate_same(const struct certificate *certificate, uint32_t end, const struct trace *trace,
		      size_t *at)
{
	size_t length, i = 0;
	struct step *steps = certificate_steps(certificate, end, &length);
	size_t *following = trace_following(trace);
	bool same = steps && following && same_beginning(certificate, trace, following + trace->length);
	uint32_t n = 0;
	for (; same && i < length; i += same) {
		const uint32_t child =
		    i < trace->length ? child_with(certificate, n, steps[i]) : CERTIFICATE_NONE;
		same = child != CERTIFICATE_NONE && step_equal(steps[i], transition_step(&trace->at[i])) &&
		       same_node(certificate, &certificate->nodes[child], trace, i, following[i]);
		n = child;
	}
	*at = i;
	if (same && (trace->length != length || trace->end != certificate->ends[end].reason ||
		     trace->end_value != certificate->ends[end].value)) {
		*at = SIZE_MAX;
		same = false;
	}
	free(steps);
	free(following);
	return same;
}
