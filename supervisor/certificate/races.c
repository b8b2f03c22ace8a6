/*
 * Which reversals the tree has to have. A step of thread p races with an earlier event i that it depends on directly, and can be
 * reversed with it if p could have gone on before i, after all that came between them and doesn't happen after i (Abdulla et al.,
 * JACM 2017, section 3). If p waited for what i did, an earlier event may be the one: of an unlock the lock before it.
 */
#include "supervisor/certificate/checker.h"

#include <fmc/supervisor/model.h>
#include <fmc/tracer/array.h>

/* What a step is that races. */
struct racer {
	uint32_t thread;
	uint32_t own;	 /* the last event of its thread, or NO_EVENT */
	uint32_t joined; /* the thread that it can't do without the end of; NO_THREAD: none */
	const struct certificate_node *step; /* of the tree; NULL: it wasn't taken */
	bool spurious;			     /* it is a spurious wakeup */
	uint32_t node;			     /* where it was found */
};

static void add_id(struct query *query, struct digest id)
{
	for (uint32_t i = 0; i < query->ids_length; i++)
		if (digest_equal(query->ids[i], id))
			return;
	query->ids[query->ids_length++] = id;
}

static void add_ahead(struct checker *ck, struct query *query, struct without without, uint32_t own)
{
	add_id(query, history_ahead(&ck->history, without, own, query->step.thread, (enum op_kind)query->kind,
				    query->step.choice, (struct accesses){ck->ahead.at, ck->ahead.length}));
}

/* The digests of the step, whose footprint is in ck->ahead, when some events are left out. */
static void make_ids(struct checker *ck, struct query *query, struct without without, uint32_t own)
{
	const uint32_t length = ck->ahead.length;
	add_ahead(ck, query, without, own);
	if (ck->certificate->ends_count) {
		dependence_exited(&ck->ahead);
		add_ahead(ck, query, without, own);
		ck->ahead.length = length;
	}
	dependence_ended(&ck->ahead);
	add_ahead(ck, query, without, own);
	ck->failed |= ck->ahead.failed;
}

/* Ask unless the same has been asked. */
static bool ask(struct checker *ck, struct query *query)
{
	bool added;
	if (!digests_add(&ck->asked, digest_sum(query->sum, query->ids[0]), &added))
		return checker_no_memory(ck);
	ck->report->reversals++;
	if (!added) {
		ck->sequences_length = query->first;
		return true;
	}
	if (!ARRAY_GROW(ck->queries, ck->queries_length, ck->queries_room))
		return checker_no_memory(ck);
	ck->queries[ck->queries_length++] = *query;
	return !ck->failed || checker_no_memory(ck);
}

static struct digest sum_before(const struct checker *ck, uint32_t event)
{
	return event ? ck->history.events[event - 1].sum : (struct digest){0, 0};
}

static uint32_t node_before(const struct checker *ck, uint32_t event)
{
	return event ? ck->history.events[event - 1].node : 0;
}

/* All objects that the path has from event i on are there. */
static void add_objects(struct checker *ck, struct state *state, uint32_t i)
{
	for (uint32_t k = i; k < ck->history.length; k++)
		(void)play_objects(&ck->play, state, &ck->certificate->nodes[ck->history.events[k].node]);
}

/* Does event k do in this state what it did? */
static bool repeat(struct checker *ck, struct state *state, uint32_t k)
{
	const struct certificate_node *node = &ck->certificate->nodes[ck->history.events[k].node];
	const uint32_t t = node->step.thread;
	const struct state then = checker_state(ck, k);
	const struct op *now = model_pending(state->model, t), *before = model_pending(then.model, t);
	return now->kind == before->kind && now->object == before->object &&
	       now->object2 == before->object2 && play_is_open(&ck->play, state, node->step) &&
	       play_step(&ck->play, state, node, NULL, NULL) == NULL;
}

/* Which step the racer takes in this state; false: none. */
static bool goes_on(const struct checker *ck, const struct racer *racer, const struct state *state,
		    struct step *step)
{
	const bool runs = play_may_run(state, racer->thread);
	*step = (struct step){racer->thread, CHOICE_SPURIOUS};
	if ((racer->spurious || !runs) && play_is_open(&ck->play, state, *step))
		return true;
	if (racer->spurious || !runs)
		return false;
	step->choice = model_choice(state->model, racer->thread, 0);
	if (racer->step && model_has_choice(state->model, racer->thread, racer->step->step.choice))
		step->choice = racer->step->step.choice;
	return true;
}

/* The first of the two, which are in no order. */
static uint32_t first_without(struct without without)
{
	return without.other < without.one ? without.other : without.one;
}

/* The events after event i that are kept, in the state before it: *possible, if they are. Into ck->sequences. False without memory. */
static bool repeat_rest(struct checker *ck, struct state *state, uint32_t i, struct without without,
			struct query *query, bool *possible)
{
	*possible = true;
	add_objects(ck, state, i);
	for (uint32_t k = i + 1; k < ck->history.length && *possible; k++) {
		if (!history_keeps(&ck->history, k, without))
			continue;
		*possible = repeat(ck, state, k);
		if (!ARRAY_GROW(ck->sequences, ck->sequences_length, ck->sequences_room))
			return checker_no_memory(ck);
		ck->sequences[ck->sequences_length++] = ck->history.events[k].node;
		query->sum = digest_sum(query->sum, ck->history.events[k].id);
	}
	query->length = ck->sequences_length - query->first;
	return true;
}

/* Ask for the racer's step in place of some events, where it can be taken then: *possible. */
static bool ask_without(struct checker *ck, const struct racer *racer, struct without without, bool *possible)
{
	const uint32_t i = first_without(without);
	struct query query = {.at = node_before(ck, i),
			      .first = ck->sequences_length,
			      .against = ck->history.events[i].node,
			      .for_node = racer->node,
			      .sum = sum_before(ck, i)};
	struct state state = checker_try(ck, i);
	if (!repeat_rest(ck, &state, i, without, &query, possible))
		return false;
	*possible = *possible && goes_on(ck, racer, &state, &query.step);
	if (!*possible) {
		ck->sequences_length = query.first;
		return true;
	}
	query.kind = model_pending(state.model, racer->thread)->kind;
	play_ahead(&ck->play, &state, query.step, racer->step, &ck->ahead);
	make_ids(ck, &query, without, racer->own);
	return ask(ck, &query);
}

/*
 * A join waits for its thread's end, and nothing that the thread did itself can be left out, unless something else replaces the end:
 * another join, a detachment, a cancellation. Only its own operations on threads count then.
 */
static uint32_t joined_thread(const struct checker *ck, uint32_t thread, const struct op *op)
{
	if (op->kind != OP_THREAD_JOIN || op->object == NO_OBJECT)
		return NO_THREAD;
	for (uint32_t k = 0; k < ck->history.length; k++) {
		const struct event *event = &ck->history.events[k];
		const bool other = event->thread != thread && event->object == op->object &&
				   op_class((enum op_kind)event->kind) == CLASS_THREAD;
		if (other || event->kind == OP_THREAD_DETACH || event->kind == OP_THREAD_CANCEL)
			return NO_THREAD;
	}
	return op->object;
}

static bool is_hopeless(const struct checker *ck, const struct racer *racer, uint32_t i)
{
	const struct event *event = &ck->history.events[i];
	return event->thread == racer->joined && op_class((enum op_kind)event->kind) != CLASS_THREAD;
}

/* Each access's place in the entries of its key: none of its own group races with it. */
static bool open_cursors(struct checker *ck, struct accesses footprint)
{
	if (!ARRAY_RESERVE(ck->cursors, footprint.length, ck->cursors_room))
		return checker_no_memory(ck);
	for (uint32_t a = 0; a < footprint.length; a++)
		ck->cursors[a] = history_counts(&ck->history, footprint.at[a].key)
				     ? history_group(&ck->history, &footprint.at[a])
				     : NO_EVENT;
	return true;
}

/* Is this event before one that has been dealt with: the racer's own last one, or one that was reversed? */
static bool is_covered(const struct checker *ck, const struct racer *racer, const uint32_t *passed,
		       uint32_t length, uint32_t event)
{
	if (racer->own != NO_EVENT && history_before(&ck->history, event, racer->own))
		return true;
	for (uint32_t k = 0; k < length; k++)
		if (history_before(&ck->history, event, passed[k]))
			return true;
	return false;
}

/* Passed events: one a thread, as the clocks of its later ones have the earlier ones in them. */
struct passed {
	uint32_t *at;
	uint32_t length, room;
};

/*
 * Could the event of this entry, of an earlier group, have been made impossible or another one by the access? What conflicts with it, and
 * limited additions: what lies between them may have been what gave room for both.
 */
static bool is_candidate(const struct entry *entry, const struct access *access)
{
	return dependence_modes_conflict(entry->mode, access->mode) || entry->limited;
}

/* Go back to the next entry that may be a candidate; what is before a write comes before that. */
static void settle_cursor(const struct checker *ck, const struct racer *racer, const struct passed *passed,
			  const struct access *access, uint32_t *cursor)
{
	const struct history *h = &ck->history;
	while (*cursor != NO_EVENT) {
		const struct entry *entry = &h->entries[*cursor];
		if (!is_candidate(entry, access)) {
			*cursor = entry->mode == TOUCH_READ ? entry->group : entry->before;
			continue;
		}
		if (!is_covered(ck, racer, passed->at, passed->length, entry->event))
			return;
		*cursor = entry->mode == TOUCH_WRITE ? NO_EVENT : entry->before;
	}
}

/* The latest candidate that is left, or NO_EVENT; the cursors go beyond it. */
static uint32_t next_candidate(struct checker *ck, const struct racer *racer, const struct passed *passed,
			       struct accesses footprint)
{
	const struct history *h = &ck->history;
	uint32_t latest = NO_EVENT;
	for (uint32_t a = 0; a < footprint.length; a++) {
		settle_cursor(ck, racer, passed, &footprint.at[a], &ck->cursors[a]);
		if (ck->cursors[a] == NO_EVENT)
			continue;
		const uint32_t event = h->entries[ck->cursors[a]].event;
		if (latest == NO_EVENT || event > latest)
			latest = event;
	}
	for (uint32_t a = 0; a < footprint.length && latest != NO_EVENT; a++)
		if (ck->cursors[a] != NO_EVENT && h->entries[ck->cursors[a]].event == latest)
			ck->cursors[a] = h->entries[ck->cursors[a]].before;
	return latest;
}

static bool races(struct checker *ck, const struct racer *racer, struct accesses footprint)
{
	struct passed passed = {0};
	if (!open_cursors(ck, footprint))
		return false;
	bool ok = true;
	for (uint32_t i; ok && (i = next_candidate(ck, racer, &passed, footprint)) != NO_EVENT;) {
		bool reversed = false;
		if (is_hopeless(ck, racer, i))
			continue;
		ok = ask_without(ck, racer, (struct without){i, NO_EVENT}, &reversed);
		if (ok && reversed && !ARRAY_GROW(passed.at, passed.length, passed.room))
			ok = checker_no_memory(ck);
		if (ok && reversed)
			passed.at[passed.length++] = i;
	}
	free(passed.at);
	return ok;
}

bool races_of_step(struct checker *ck, uint32_t node)
{
	const struct certificate_node *step = &ck->certificate->nodes[node];
	const struct accesses footprint = {ck->footprint.at, ck->footprint.length};
	const struct state before = checker_state(ck, ck->history.length);
	struct racer racer = {.thread = step->step.thread,
			      .own = ck->history.latest[step->step.thread],
			      .step = step,
			      .spurious = step->step.choice == CHOICE_SPURIOUS,
			      .node = node};
	racer.joined = joined_thread(ck, racer.thread, model_pending(before.model, racer.thread));
	return races(ck, &racer, footprint);
}

/* A thread that is left over would have done this next. */
static bool races_of_pending(struct checker *ck, uint32_t node, uint32_t t, bool spurious)
{
	const struct state end = checker_state(ck, ck->history.length);
	const struct op *op = model_pending(end.model, t);
	struct racer racer = {.thread = t,
			      .own = ck->history.latest[t],
			      .joined = joined_thread(ck, t, op),
			      .spurious = spurious,
			      .node = node};
	struct step step = {t, CHOICE_DEFAULT};
	if (spurious)
		step.choice = CHOICE_SPURIOUS;
	else if (model_enabled(end.model, t))
		step.choice = model_choice(end.model, t, 0);
	struct state state = checker_try(ck, ck->history.length);
	play_ahead(&ck->play, &state, step, NULL, &ck->footprint);
	ck->failed |= ck->footprint.failed;
	return races(ck, &racer, (struct accesses){ck->footprint.at, ck->footprint.length});
}

/*
 * Instead of going on with event e the thread could have woken up without a reason, as long as others went on. Nothing commutes with
 * that, so it has to be asked for after all else that doesn't happen after e; where nobody could go on then, after one event less. What
 * comes after still less is asked for where that is found.
 */
static bool races_of_sleep(struct checker *ck, uint32_t node, uint32_t e)
{
	const struct event *event = &ck->history.events[e];
	const struct racer racer = {
	    .thread = event->thread, .own = event->own, .joined = NO_THREAD, .spurious = true, .node = node};
	bool possible;
	if (!ask_without(ck, &racer, (struct without){e, NO_EVENT}, &possible))
		return false;
	for (uint32_t i = ck->history.length; i-- > 0 && !possible;) {
		const struct without both = {e, i};
		bool fewer;
		if (!history_keeps(&ck->history, i, (struct without){e, NO_EVENT}) ||
		    (event->own != NO_EVENT && history_before(&ck->history, i, event->own)))
			continue;
		if (!ask_without(ck, &racer, both, &fewer))
			return false;
	}
	return true;
}

static bool races_of_sleeps(struct checker *ck, uint32_t node)
{
	for (uint32_t e = 0; e < ck->history.length; e++) {
		const struct state before = checker_state(ck, e);
		const uint32_t t = ck->history.events[e].thread;
		const uint32_t own = ck->history.events[e].own;
		const bool spurious =
		    ck->certificate->nodes[ck->history.events[e].node].step.choice == CHOICE_SPURIOUS;
		/* As it stood when it fell asleep: another thread may have woken it since. */
		const struct state asleep = own == NO_EVENT ? before : checker_state(ck, own + 1);
		if (!spurious && model_spurious(asleep.model, t) && !races_of_sleep(ck, node, e))
			return false;
	}
	return true;
}

bool races_at_end(struct checker *ck, uint32_t node)
{
	if (!races_of_sleeps(ck, node))
		return false;
	const struct state end = checker_state(ck, ck->history.length);
	for (uint32_t t = 0; t < *end.born; t++) {
		if (model_pending(end.model, t)->kind == OP_NONE)
			continue;
		if (!races_of_pending(ck, node, t, false) ||
		    (model_spurious(end.model, t) && !races_of_pending(ck, node, t, true)))
			return false;
	}
	return true;
}

/* The step is open in the present state, that of the node, and has to be taken there or elsewhere. */
static bool ask_for(struct checker *ck, uint32_t node, struct step step)
{
	struct state state = checker_try(ck, ck->history.length);
	uint32_t seen = first_child(ck->certificate, node);
	while (seen != CERTIFICATE_NONE && ck->certificate->nodes[seen].step.thread != step.thread)
		seen = next_child(ck->certificate, seen);
	struct query query = {.at = node,
			      .first = ck->sequences_length,
			      .step = step,
			      .kind = model_pending(state.model, step.thread)->kind,
			      .against = CERTIFICATE_NONE,
			      .for_node = node,
			      .sum = sum_before(ck, ck->history.length)};
	play_ahead(&ck->play, &state, step, seen != CERTIFICATE_NONE ? &ck->certificate->nodes[seen] : NULL,
		   &ck->ahead);
	make_ids(ck, &query, (struct without){NO_EVENT, NO_EVENT}, ck->history.latest[step.thread]);
	return ask(ck, &query);
}

static bool thread_moves(const struct certificate *c, uint32_t node, uint32_t thread)
{
	for (uint32_t child = first_child(c, node); child != CERTIFICATE_NONE; child = next_child(c, child))
		if (c->nodes[child].step.thread == thread)
			return true;
	return false;
}

bool races_of_choices(struct checker *ck, uint32_t node)
{
	const struct certificate *c = ck->certificate;
	const uint32_t conclusion = c->nodes[node].conclusion;
	const bool asleep = conclusion != CERTIFICATE_NONE && c->ends[conclusion].reason == END_REDUNDANT;
	for (uint32_t s = 0; s < ck->open_length; s++) {
		const struct step step = ck->open[s];
		const bool other = step.choice == CHOICE_SPURIOUS || thread_moves(c, node, step.thread);
		if ((other || asleep) && child_with(c, node, step) == CERTIFICATE_NONE &&
		    !ask_for(ck, node, step))
			return false;
	}
	return true;
}
