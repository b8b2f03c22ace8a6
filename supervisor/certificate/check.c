/* The walk through a certificate's tree: everything in it has to be possible, and to end as it says; races.c and bounds.c ask what is missing. */
#include "supervisor/certificate/checker.h"

#include <fmc/breakpoints/plugin.h>
#include <fmc/supervisor/model.h>
#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

/* Depths, whose going on may be for nothing, and which nodes have an execution below them that wasn't cut short. */
static void measure(struct checker *ck)
{
	const struct certificate *c = ck->certificate;
	ck->marks[0].free = NO_THREAD;
	for (uint32_t n = 1; n < c->nodes_length; n++) {
		ck->marks[n].depth = ck->marks[c->nodes[n].parent].depth + 1;
		ck->marks[n].free = c->method == CERTIFICATE_DELAYS ? c->nodes[n].step.thread : NO_THREAD;
		if (ck->marks[n].depth > ck->depth_most)
			ck->depth_most = ck->marks[n].depth;
	}
	for (uint32_t n = c->nodes_length; n-- > 0;) {
		const uint32_t end = c->nodes[n].conclusion;
		ck->marks[n].complete |= end != CERTIFICATE_NONE && c->ends[end].reason != END_REDUNDANT;
		if (n > 0)
			ck->marks[c->nodes[n].parent].complete |= ck->marks[n].complete;
	}
}

static bool prepare(struct checker *ck)
{
	const struct certificate *c = ck->certificate;
	ck->marks = calloc(c->nodes_length, sizeof *ck->marks);
	if (!ck->marks)
		return checker_no_memory(ck);
	measure(ck);
	if (!play_init(&ck->play, c, ck->fair))
		return checker_flaw(ck, 0, "it has more threads or objects than there can be");
	ck->states = calloc((size_t)ck->depth_most + 2, ck->play.bytes);
	return (ck->states && history_init(&ck->history, ck->play.threads, ck->fair) && met_begin(ck)) ||
	       checker_no_memory(ck);
}

static void release(struct checker *ck)
{
	history_release(&ck->history);
	free(ck->states);
	free(ck->marks);
	free(ck->open);
	free(ck->met);
	free(ck->firsts);
	free(ck->tried);
	free(ck->cursors);
	free(ck->queries);
	free(ck->sequences);
	free(ck->wants);
	digests_release(&ck->asked);
	footprint_release(&ck->footprint);
	footprint_release(&ck->ahead);
}

static bool everybody_has_exited(const struct state *state)
{
	for (uint32_t t = 0; t < *state->born; t++)
		if (!model_exited(state->model, t))
			return false;
	return true;
}

static bool somebody_goes_on(const struct state *state)
{
	for (uint32_t t = 0; t < *state->born; t++)
		if (!*state->ended && model_enabled(state->model, t))
			return true;
	return false;
}

/* Do threads wait for each other, whatever others do? */
static bool is_in_circle(const struct state *state)
{
	for (uint32_t t = 0; t < *state->born; t++)
		if (model_in_circle(state->model, t))
			return true;
	return false;
}

/* Is what executions would have done after their ends needed for which others are asked for? */
static bool reduces(const struct certificate *c)
{
	return c->method == CERTIFICATE_REVERSAL || c->method == CERTIFICATE_CONSERVATIVE;
}

/* Is what follows left to another node with the same state? */
static bool is_cut_at_state(const struct checker *ck, uint32_t node)
{
	const struct certificate *c = ck->certificate;
	return c->method == CERTIFICATE_EVERY && c->nodes[node].met != CERTIFICATE_NONE &&
	       first_child(c, node) == CERTIFICATE_NONE;
}

/* Why an execution can't end there in this way; NULL if it can. */
static const char *doubt_end(const struct checker *ck, uint32_t node, const struct certificate_end *end)
{
	const struct certificate *c = ck->certificate;
	const struct state state = checker_state(ck, ck->history.length);
	const bool leaf = first_child(c, node) == CERTIFICATE_NONE;
	switch (end->reason) {
	case END_EXIT:
	case END_SIGNAL:
	case END_MISUSE:
	case END_SPIN:
		if (!leaf)
			return "an execution ends where another one goes on";
		return *state.ended || (end->reason == END_EXIT && everybody_has_exited(&state))
			   ? NULL
			   : "an execution ends where threads are left that could go on";
	case END_DEADLOCK:
		if (is_in_circle(&state) && somebody_goes_on(&state))
			return !reduces(c) ? NULL
					   : "threads wait for each other in a circle, "
					     "and what others could do then wasn't run";
		return somebody_goes_on(&state)	      ? "a deadlock where a thread could go on"
		       : everybody_has_exited(&state) ? "a deadlock where every thread has exited"
						      : NULL;
	case END_REDUNDANT:
		return c->method == CERTIFICATE_REVERSAL || is_cut_at_state(ck, node)
			   ? NULL
			   : "an execution is cut short for no stated reason";
	case END_DEPTH:
		return !reduces(c) && c->max_depth != 0 && ck->marks[node].depth >= c->max_depth
			   ? NULL
			   : "an execution is cut before the depth that is stated";
	case END_LIVELOCK:
	case END_NO_YIELD:
	case END_GOES_ON:
		return leaf ? NULL : "an execution ends in a loop where another one goes on";
	default:
		return "an execution ends in a way that no certificate speaks of";
	}
}

static bool check_digests(struct checker *ck, uint32_t node, struct certificate_end *end)
{
	const struct history *h = &ck->history;
	const struct state state = checker_state(ck, h->length);
	const uint64_t trace = h->length ? h->events[h->length - 1].sum.low : 0;
	const uint64_t digest = model_digest(state.model);
	if (ck->fill) {
		end->trace = trace;
		end->state = digest;
	}
	/* With the priorities or without them it is another one, and which it is is known at the end of the walk. */
	if (end->trace != trace && ck->differs == CERTIFICATE_NONE)
		ck->differs = node;
	return end->state == digest ||
	       checker_flaw(ck, node, "the execution ends in another state than it says");
}

static bool visit_end(struct checker *ck, uint32_t node)
{
	const struct certificate *c = ck->certificate;
	struct certificate_end *end = &c->ends[c->nodes[node].conclusion];
	const char *doubt = doubt_end(ck, node, end);
	if (doubt)
		return checker_flaw(ck, node, "%s", doubt);
	if (!check_digests(ck, node, end))
		return false;
	ck->report->executions++;
	return c->method != CERTIFICATE_REVERSAL || !ends_maximal(end->reason) || races_at_end(ck, node);
}

/* Is what is after this state run in every way that is asked for, or needn't it be? */
static bool visit(struct checker *ck, uint32_t node)
{
	const struct certificate *c = ck->certificate;
	const struct state state = checker_state(ck, ck->history.length);
	const uint32_t conclusion = c->nodes[node].conclusion;
	const bool leaf = first_child(c, node) == CERTIFICATE_NONE;
	if (leaf && conclusion == CERTIFICATE_NONE)
		return checker_flaw(ck, node, "an execution has no end");
	if ((conclusion != CERTIFICATE_NONE && !visit_end(ck, node)) || !met_visit(ck, node))
		return false;
	if (c->method == CERTIFICATE_CONSERVATIVE)
		return conservative_visit(ck, node);
	if (leaf && (c->ends[conclusion].reason != END_REDUNDANT || is_cut_at_state(ck, node)))
		return true;
	ck->open_length = play_open(&ck->play, &state, &ck->open, &ck->open_room);
	if (ck->open_length == UINT32_MAX)
		return checker_no_memory(ck);
	ck->report->alternatives += ck->open_length;
	return c->method == CERTIFICATE_REVERSAL ? races_of_choices(ck, node) : bounds_visit(ck, node);
}

/* Has a thread had two counted yields? Before that nobody has had to wait for another's sake ([FAIR], the first window is empty). */
static void count_yield(struct checker *ck, struct event *event, bool yields)
{
	const uint32_t k = ck->certificate->fair_k;
	event->yields = (event->own == NO_EVENT ? 0 : ck->history.events[event->own].yields) + yields;
	ck->twice |= k != 0 && event->yields / k >= 2;
}

/* Take the step to this node, from its parent's state, which is the present one. */
static bool enter(struct checker *ck, uint32_t node)
{
	const struct certificate_node *to = &ck->certificate->nodes[node];
	const uint32_t depth = ck->history.length;
	const struct state before = checker_state(ck, depth);
	const struct op op =
	    *model_pending(before.model, to->step.thread < *before.born ? to->step.thread : 0);
	bool yields;
	if (to->step.thread >= *before.born || !play_is_open(&ck->play, &before, to->step))
		return checker_flaw(ck, node, "T%u can't do that there, with choice %d", to->step.thread + 1,
				    to->step.choice);
	memcpy(ck->states + (depth + 1) * ck->play.bytes, ck->states + depth * ck->play.bytes,
	       ck->play.bytes);
	struct state after = checker_state(ck, depth + 1);
	const char *why = play_step(&ck->play, &after, to, &ck->footprint, &yields);
	if (why)
		return checker_flaw(ck, node, "T%u: %s", to->step.thread + 1, why);
	if (ck->footprint.failed)
		return checker_no_memory(ck);
	met_objects(ck, node, model_objects(before.model));
	if (ck->certificate->method == CERTIFICATE_REVERSAL && ck->marks[node].complete &&
	    !races_of_step(ck, node))
		return false;
	const struct accesses footprint = {ck->footprint.at, ck->footprint.length};
	if (!history_push(&ck->history, to->step.thread, (enum op_kind)op.kind, to->step.choice, footprint))
		return checker_no_memory(ck);
	struct event *event = &ck->history.events[depth];
	event->node = node;
	event->object = op.object;
	count_yield(ck, event, yields);
	ck->marks[node].id = event->id;
	ck->marks[node].sum = event->sum;
	ck->marks[node].kind = op.kind;
	return true;
}

static bool walk(struct checker *ck)
{
	const struct certificate *c = ck->certificate;
	const char *why = play_begin(&ck->play, ck->states);
	if (why)
		return checker_flaw(ck, 0, "%s", why);
	met_objects(ck, 0, 0);
	bool ok = visit(ck, 0);
	for (uint32_t n = 1; ok && n < c->nodes_length && (ck->fair || !ck->twice); n++) {
		while (ck->history.length > ck->marks[c->nodes[n].parent].depth)
			history_pop(&ck->history);
		ok = enter(ck, n) && visit(ck, n);
	}
	ck->report->transitions = c->nodes_length - 1;
	return ok;
}

/* The main thread's exit while others go on: their ends depend on each other. */
static bool outlives_main(const struct certificate *c)
{
	if (c->begin_length != 1 && !c->found)
		return false;
	for (uint32_t n = 1; n < c->nodes_length; n++)
		if (c->nodes[n].step.thread == 0 && c->nodes[n].next == CERTIFICATE_EXITED &&
		    first_child(c, n) != CERTIFICATE_NONE)
			return true;
	return false;
}

/* May independent operations be told by what they are known to touch? */
static bool may_reduce(struct checker *ck)
{
	const struct certificate *c = ck->certificate;
	for (uint32_t i = 0; i < c->ops_length; i++) {
		if (c->ops[i].kind >= OP_USER && !plugin_path())
			return checker_flaw(ck, 0, "it has operations of a plug-in, which isn't loaded");
		ck->hides |= certificate_hides(c, &c->ops[i]);
	}
	const bool outlives = outlives_main(c);
	if (reduces(c) && ck->hides)
		return checker_flaw(ck, 0,
				    "its method isn't sound for programs that share memory or wait for the "
				    "outside between their operations, as this one does");
	if (reduces(c) && outlives && !c->ends_count)
		return checker_flaw(ck, 0,
				    "its main thread exits while others go on, and the order of their ends "
				    "isn't taken into account");
	ck->hides |= outlives;
	return true;
}

static bool check(struct checker *ck)
{
	const struct certificate *c = ck->certificate;
	if (!prepare(ck) || !may_reduce(ck))
		return false;
	if (c->method == CERTIFICATE_REVERSAL && !ck->marks[0].complete)
		return checker_flaw(ck, 0, "it has no whole execution");
	if (!walk(ck))
		return false;
	if (ck->twice && !ck->fair)
		return true;
	if (ck->differs != CERTIFICATE_NONE)
		return checker_flaw(ck, ck->differs, "the execution has another digest than it says");
	switch (c->method) {
	case CERTIFICATE_REVERSAL:
		return lookup_all(ck);
	case CERTIFICATE_BOUND:
	case CERTIFICATE_DELAYS:
		return bounds_conclude(ck);
	default:
		return met_conclude(ck);
	}
}

enum status certificate_check(struct certificate *certificate, bool fill, struct certificate_report *report)
{
	bool fair = certificate->fair_k != 0 && certificate->method != CERTIFICATE_REVERSAL, again, ok,
	     failed;
	do {
		struct checker ck = {.certificate = certificate,
				     .report = report,
				     .fill = fill,
				     .fair = fair,
				     .differs = CERTIFICATE_NONE};
		*report = (struct certificate_report){0};
		ok = check(&ck);
		failed = ck.failed;
		/* Whether the priorities count isn't known before the yields are. */
		again = ok && ck.twice && !fair;
		fair = true;
		release(&ck);
	} while (again);
	return ok ? STATUS_OK : failed ? STATUS_NO_MEMORY : STATUS_MALFORMED;
}
