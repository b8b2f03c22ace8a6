/*
 * Trees with which bounded partial-order reduction comes to its end (Coons, Musuvathi and McKinley, OOPSLA 2013, section 4): for the pending
 * operation of each thread in each state, and for each other thread, where that one last did something that it depends on, and where that one
 * was switched to before, it has been tried, or everything has that was open. And in each state whoever goes on where nobody is preempted: for
 * want of it an execution would be missing that costs nothing.
 */
#include "supervisor/certificate/checker.h"

#include <fmc/supervisor/bitset.h>
#include <fmc/supervisor/model.h>

#include <stdlib.h>

/* What the path has come to after so many steps. */
static uint32_t node_at(const struct checker *ck, uint32_t depth)
{
	return depth ? ck->history.events[depth - 1].node : 0;
}

static uint64_t *tried_at(struct checker *ck, uint32_t depth)
{
	return ck->tried + (size_t)depth * ck->play.words;
}

/* A step that is open there and within the bound has been taken. */
static bool is_taken(struct checker *ck, const struct state *state, uint32_t node, struct step step)
{
	const struct certificate *c = ck->certificate;
	const uint32_t last = node ? c->nodes[node].step.thread : NO_THREAD;
	const uint32_t cost = ck->marks[node].cost + play_preempts(state, last, step);
	return cost > c->bound || child_with(c, node, step) != CERTIFICATE_NONE ||
	       checker_flaw(
		   ck, node,
		   "T%u's %s with choice %d is open after this with %u preemption%s, and isn't taken",
		   step.thread + 1, op_name((enum op_kind)model_pending(state->model, step.thread)->kind),
		   step.choice, cost, cost == 1 ? "" : "s");
}

/* On the path, after so many steps: the thread has been tried, with each of its choices, or everybody. */
static bool ask(struct checker *ck, uint32_t depth, uint32_t thread)
{
	const struct state state = checker_state(ck, depth);
	if (bitset_has(tried_at(ck, depth), thread))
		return true;
	bitset_add(tried_at(ck, depth), thread);
	const uint32_t length = play_open(&ck->play, &state, &ck->open, &ck->open_room);
	if (length == UINT32_MAX)
		return checker_no_memory(ck);
	bool open = false;
	for (uint32_t s = 0; s < length; s++)
		open |= ck->open[s].thread == thread;
	for (uint32_t s = 0; s < length; s++) {
		if (open && ck->open[s].thread != thread)
			continue;
		ck->report->alternatives++;
		if (!is_taken(ck, &state, node_at(ck, depth), ck->open[s]))
			return false;
	}
	return true;
}

/* Where the thread of event i was switched to. */
static uint32_t block_start(const struct history *h, uint32_t i)
{
	while (i > 0 && h->events[i - 1].thread == h->events[i].thread)
		i--;
	return i;
}

/* The footprint of something that `thread` would do next is in ck->ahead. */
static bool ask_before(struct checker *ck, uint32_t thread)
{
	const struct history *h = &ck->history;
	const struct accesses next = {ck->ahead.at, ck->ahead.length};
	uint64_t *passed = tried_at(ck, ck->depth_most + 1);
	bitset_clear(passed, ck->play.words);
	for (uint32_t i = h->length; i-- > 0;) {
		const struct event *event = &h->events[i];
		const struct accesses then = {h->accesses + event->first, event->accesses};
		if (event->thread == thread || bitset_has(passed, event->thread) ||
		    !dependence_conflict(then, next, ck->fair))
			continue;
		bitset_add(passed, event->thread);
		if (!ask(ck, i, thread) || !ask(ck, block_start(h, i), thread))
			return false;
	}
	return true;
}

static bool ask_for_thread(struct checker *ck, uint32_t t)
{
	const struct state state = checker_state(ck, ck->history.length);
	const uint32_t choices = model_choices(state.model, t);
	for (uint32_t i = 0; i < (choices ? choices : 1); i++) {
		struct state then = checker_try(ck, ck->history.length);
		const struct step step = {t, choices ? model_choice(state.model, t, i) : CHOICE_DEFAULT};
		play_ahead(&ck->play, &then, step, NULL, &ck->ahead);
		if (ck->ahead.failed)
			return checker_no_memory(ck);
		if (!ask_before(ck, t))
			return false;
	}
	return true;
}

/* Who goes on where it is left to itself. */
static bool ask_for_next(struct checker *ck, uint32_t node)
{
	const uint32_t depth = ck->history.length;
	const uint32_t last = node ? ck->certificate->nodes[node].step.thread : NO_THREAD;
	const struct state state = checker_state(ck, depth);
	const uint32_t length = play_open(&ck->play, &state, &ck->open, &ck->open_room);
	if (length == UINT32_MAX)
		return checker_no_memory(ck);
	uint32_t s = 0;
	while (s < length && play_delays(last, ck->open[s], ck->open, length) > 0)
		s++;
	return s == length || ask(ck, depth, ck->open[s].thread);
}

/* The costs of the states after it have to be known before these are come to. */
static bool begin(struct checker *ck, uint32_t node, const struct state *state)
{
	const struct certificate *c = ck->certificate;
	const uint32_t last = node ? c->nodes[node].step.thread : NO_THREAD;
	if (!ck->tried)
		ck->tried = calloc((size_t)ck->depth_most + 2, ck->play.words * sizeof *ck->tried);
	if (!ck->tried)
		return checker_no_memory(ck);
	bitset_clear(tried_at(ck, ck->history.length), ck->play.words);
	for (uint32_t child = first_child(c, node); child != CERTIFICATE_NONE; child = next_child(c, child))
		ck->marks[child].cost =
		    ck->marks[node].cost + play_preempts(state, last, c->nodes[child].step);
	return true;
}

bool conservative_visit(struct checker *ck, uint32_t node)
{
	const struct state state = checker_state(ck, ck->history.length);
	const struct certificate *c = ck->certificate;
	bool ok = begin(ck, node, &state);
	for (uint32_t t = 0; ok && t < *state.born; t++)
		if (!model_exited(state.model, t) && model_pending(state.model, t)->kind != OP_NONE)
			ok = ask_for_thread(ck, t);
	for (uint32_t child = first_child(c, node); ok && child != CERTIFICATE_NONE;
	     child = next_child(c, child))
		ok = ask(ck, ck->history.length, c->nodes[child].step.thread);
	return ok && (first_child(c, node) == CERTIFICATE_NONE || ask_for_next(ck, node));
}
