/* The model of a certificate's executions. What a file says is looked at before the model hears of it. */
#include "supervisor/certificate/play.h"

#include <fmc/supervisor/bitset.h>
#include <fmc/supervisor/fair_footprint.h>
#include <fmc/supervisor/model.h>
#include <fmc/tracer/array.h>

#include <string.h>

#define MOST_THREADS 4096
#define MOST_OBJECTS (1u << 20)

static size_t aligned(size_t size)
{
	return (size + 15) & ~(size_t)15;
}

/* The most threads and objects of any execution. Nodes come after their parents. */
static bool count(struct play *play)
{
	const struct certificate *c = play->certificate;
	struct {
		uint64_t threads, objects;
	} *at = calloc(c->nodes_length, sizeof *at);
	uint64_t threads = 0, objects = 0;
	for (uint32_t n = 0; at && n < c->nodes_length; n++) {
		const struct certificate_node *node = &c->nodes[n];
		at[n].threads = (n ? at[node->parent].threads : c->begin_length) + node->births;
		at[n].objects = (n ? at[node->parent].objects : 0) + node->objects;
		threads = at[n].threads > threads ? at[n].threads : threads;
		objects = at[n].objects > objects ? at[n].objects : objects;
	}
	const bool counted = at != NULL;
	free(at);
	play->threads = threads <= MOST_THREADS ? (uint32_t)threads : MOST_THREADS + 1;
	play->objects = objects <= MOST_OBJECTS ? (uint32_t)objects : MOST_OBJECTS + 1;
	return counted && play->threads <= MOST_THREADS && play->objects <= MOST_OBJECTS;
}

bool play_init(struct play *play, const struct certificate *certificate, bool fair)
{
	*play = (struct play){.certificate = certificate, .fair = fair};
	if (!count(play))
		return false;
	if (play->threads == 0)
		play->threads = 1;
	play->words = bitset_words(play->threads);
	play->model_bytes = aligned(model_bytes(play->threads, play->objects));
	play->fair_bytes = fair ? aligned(fair_bytes(play->threads)) : 0;
	play->set_bytes = aligned(play->words * sizeof(uint64_t));
	play->bytes = play->model_bytes + play->fair_bytes + play->set_bytes + aligned(2 * sizeof(uint32_t));
	return true;
}

struct state play_at(const struct play *play, unsigned char *block)
{
	struct state state = {.model = (struct model *)(void *)block};
	block += play->model_bytes;
	state.fair = play->fair ? (struct fair *)(void *)block : NULL;
	block += play->fair_bytes;
	state.enabled = (uint64_t *)(void *)block;
	block += play->set_bytes;
	state.born = (uint32_t *)(void *)block;
	state.ended = state.born + 1;
	return state;
}

static bool owner_is_sound(const struct play *play, uint32_t owner)
{
	return owner == NO_THREAD || owner < play->threads;
}

static bool is_sound(const struct play *play, const struct object_state *object)
{
	const bool known = object->class >= CLASS_MUTEX && object->class < CLASS_USER + class_added() &&
			   object->class != CLASSES;
	if (!known || object->wakeup >= WAKEUPS || !owner_is_sound(play, object->owner))
		return false;
	switch (object->class) {
	case CLASS_MUTEX:
		return (object->owner != NO_THREAD) == (object->count > 0);
	case CLASS_SEM:
		return object->count <= INT32_MAX;
	default:
		return true;
	}
}

const char *play_objects(const struct play *play, struct state *state, const struct certificate_node *node)
{
	const struct certificate *c = play->certificate;
	for (uint32_t k = 0; k < node->objects; k++) {
		const struct object_state *object = &c->states[c->seen[node->first + k]];
		if (!is_sound(play, object))
			return "an object's state is impossible";
		if (model_add_object(state->model, object) == NO_OBJECT)
			return "there are too many objects";
	}
	return NULL;
}

/* Is it an operation on a thus named thing that is there? */
static bool reaches(const struct state *state, enum object_class class, uint32_t object)
{
	if (class == CLASS_NONE || object == NO_OBJECT)
		return true;
	if (class == CLASS_THREAD)
		return object < *state->born;
	return object < model_objects(state->model) && model_object_class(state->model, object) == class;
}

static bool may_pend(const struct state *state, const struct op *op)
{
	return op->kind != OP_NONE && op_known(op->kind) && !op_is_by_model(op->kind) &&
	       !(op->flags & (OP_QUEUED | OP_WAITS)) && reaches(state, op_class(op->kind), op->object) &&
	       reaches(state, op_class2(op->kind), op->object2);
}

static void be_born(struct state *state)
{
	const struct op start = {.kind = OP_THREAD_START, .object = NO_OBJECT, .object2 = NO_OBJECT};
	model_set_pending(state->model, (*state->born)++, &start);
	if (state->fair)
		fair_add_thread(state->fair);
}

/* What threads wait for outside has come for those that the node names, and for nobody else. */
static const char *note_ready(const struct play *play, struct state *state,
			      const struct certificate_node *node)
{
	const struct certificate *c = play->certificate;
	struct certificate_set set = {0, 0};
	if (node->ready != CERTIFICATE_NONE)
		set = c->sets[node->ready];
	uint32_t k = 0;
	for (uint32_t t = 0; t < *state->born; t++) {
		struct op op = *model_pending(state->model, t);
		const bool named = k < set.length && c->ready[set.first + k] == t;
		k += named;
		if (!op_waits_outside(op.kind)) {
			if (named)
				return "a thread is said to wait for the outside that doesn't";
			continue;
		}
		op.flags = (uint16_t)(named ? op.flags | OP_READY : op.flags & ~OP_READY);
		model_set_pending(state->model, t, &op);
	}
	return k < set.length ? "a thread is said to wait for the outside that isn't there" : NULL;
}

static void compute_enabled(const struct play *play, struct state *state)
{
	bitset_clear(state->enabled, play->words);
	for (uint32_t t = 0; t < *state->born; t++)
		if (model_enabled(state->model, t))
			bitset_add(state->enabled, t);
}

/* Operations that the model sets itself, of threads that are found in the middle of a run. */
static bool may_be_found(const struct play *play, const struct state *state, const struct op *op)
{
	const bool asleep =
	    op->kind == OP_COND_ASLEEP || op->kind == OP_COND_RELOCK || op->kind == OP_BARRIER_ASLEEP;
	if (!play->certificate->found || !asleep)
		return may_pend(state, op);
	return op->object != NO_OBJECT && reaches(state, op_class(op->kind), op->object) &&
	       reaches(state, op_class2(op->kind), op->object2) &&
	       (op_class2(op->kind) == CLASS_NONE || op->object2 != NO_OBJECT);
}

static const char *begin_thread(const struct play *play, struct state *state, uint32_t t)
{
	const struct certificate *c = play->certificate;
	if (c->begin[t] == CERTIFICATE_EXITED) {
		model_thread_exit(state->model, t);
		return NULL;
	}
	const struct op *op = &c->ops[c->begin[t]];
	if (!may_be_found(play, state, op))
		return "a thread begins with an operation that can't be";
	if (c->found)
		model_set_found(state->model, t, op);
	else
		model_set_pending(state->model, t, op);
	return NULL;
}

const char *play_begin(const struct play *play, unsigned char *block)
{
	const struct certificate *c = play->certificate;
	struct effect effect;
	memset(block, 0, play->bytes);
	model_init(block, play->threads, play->objects);
	struct state state = play_at(play, block);
	for (uint32_t t = 0; t < play->threads; t++) {
		model_add_thread(state.model);
		model_perform(state.model, t, CHOICE_DEFAULT, NULL, &effect);
	}
	if (state.fair)
		fair_init(state.fair, play->threads, c->fair_k);
	const char *why = play_objects(play, &state, &c->nodes[0]);
	for (uint32_t t = 0; t < c->begin_length; t++)
		be_born(&state);
	for (uint32_t t = 0; t < c->begin_length && !why; t++)
		why = begin_thread(play, &state, t);
	if (!why)
		why = note_ready(play, &state, &c->nodes[0]);
	*state.ended = c->begin_length == 0;
	compute_enabled(play, &state);
	return why;
}

bool play_may_run(const struct state *state, uint32_t t)
{
	if (*state->ended || t >= *state->born || !bitset_has(state->enabled, t))
		return false;
	for (uint32_t u = 0; state->fair && u < *state->born; u++)
		if (fair_yields_to(state->fair, t, u) && bitset_has(state->enabled, u))
			return false;
	return true;
}

/* Fairness owes nobody a spurious wakeup, and where it alone would keep the program going a real one may hang. */
static bool may_wake(const struct play *play, const struct state *state, uint32_t t)
{
	return !*state->ended && t < *state->born && !bitset_empty(state->enabled, play->words) &&
	       model_spurious(state->model, t);
}

bool play_is_open(const struct play *play, const struct state *state, struct step step)
{
	if (step.choice == CHOICE_SPURIOUS)
		return may_wake(play, state, step.thread);
	return play_may_run(state, step.thread) && model_has_choice(state->model, step.thread, step.choice);
}

static bool add_step(struct step **steps, uint32_t *length, uint32_t *room, struct step step)
{
	if (!ARRAY_GROW(*steps, *length, *room))
		return false;
	(*steps)[(*length)++] = step;
	return true;
}

uint32_t play_open(const struct play *play, const struct state *state, struct step **steps, uint32_t *room)
{
	uint32_t length = 0;
	for (uint32_t t = 0; t < *state->born; t++) {
		const uint32_t choices = play_may_run(state, t) ? model_choices(state->model, t) : 0;
		for (uint32_t i = 0; i < choices; i++)
			if (!add_step(steps, &length, room,
				      (struct step){t, model_choice(state->model, t, i)}))
				return UINT32_MAX;
		if (may_wake(play, state, t) &&
		    !add_step(steps, &length, room, (struct step){t, CHOICE_SPURIOUS}))
			return UINT32_MAX;
	}
	return length;
}

bool play_preempts(const struct state *state, uint32_t last, struct step step)
{
	return last != NO_THREAD && step.thread != last && play_may_run(state, last) &&
	       model_ready(state->model, last);
}

/* What the best of the thread's open steps is: 0 goes on, 1 is a time-out, 2 a spurious wakeup. */
static uint32_t rank_of(uint32_t thread, const struct step *open, uint32_t length)
{
	uint32_t rank = 2;
	for (uint32_t s = 0; s < length; s++) {
		const uint32_t its = open[s].choice >= 0 ? 0 : open[s].choice == CHOICE_SPURIOUS ? 2 : 1;
		if (open[s].thread == thread && its < rank)
			rank = its;
	}
	return rank;
}

uint32_t play_delays(uint32_t last, struct step step, const struct step *open, uint32_t length)
{
	const uint32_t from = last == NO_THREAD ? 0 : last;
	const uint32_t own = rank_of(step.thread, open, length);
	uint32_t delays = 0;
	for (uint32_t s = 0; s < length; s++) {
		const uint32_t other = open[s].thread;
		if (other == step.thread || (s > 0 && open[s - 1].thread == other))
			continue;
		const uint32_t its = rank_of(other, open, length);
		delays += its < own || (its == own && other - from < step.thread - from);
	}
	return delays;
}

/* Is t the last thread that hasn't ended, and about to end the process because it knows? */
static bool finds_itself_alone(const struct state *state, uint32_t t, const struct op *next)
{
	for (uint32_t u = 0; u < *state->born; u++)
		if (u != t && !model_exited(state->model, u))
			return false;
	return next->kind == OP_PROCESS_EXIT;
}

/* What came of the code after the operation, as far as others notice. */
static void touch_outcome(const struct play *play, const struct state *state,
			  const struct certificate_node *node, bool asleep, struct footprint *footprint)
{
	const struct certificate *c = play->certificate;
	const uint32_t t = node->step.thread;
	const bool pending = node->next <= CERTIFICATE_MOST && !asleep;
	for (uint32_t i = 0; i < node->births; i++)
		dependence_born(footprint, *state->born + i);
	if (c->ends_count && (node->next == CERTIFICATE_EXITED ||
			      (pending && finds_itself_alone(state, t, &c->ops[node->next]))))
		dependence_exited(footprint);
	if (node->next == CERTIFICATE_GONE)
		dependence_ended(footprint);
}

/* The thread goes on to its next operation. */
static const char *settle(const struct play *play, struct state *state, const struct certificate_node *node,
			  bool asleep)
{
	const uint32_t t = node->step.thread;
	for (uint32_t i = 0; i < node->births; i++)
		be_born(state);
	if (asleep)
		return node->next <= CERTIFICATE_MOST || node->next == CERTIFICATE_ASLEEP
			   ? NULL
			   : "a thread goes on that the model says falls asleep";
	switch (node->next) {
	case CERTIFICATE_ASLEEP:
		return "a thread falls asleep that the model says goes on";
	case CERTIFICATE_EXITED:
		model_thread_exit(state->model, t);
		return NULL;
	case CERTIFICATE_GONE:
		*state->ended = true;
		return NULL;
	default:
		if (!may_pend(state, &play->certificate->ops[node->next]))
			return "a thread comes to an operation that can't be";
		model_set_pending(state->model, t, &play->certificate->ops[node->next]);
		return NULL;
	}
}

/* Room for sets on the stack, as many as threads may need. */
struct set {
	uint64_t words[MOST_THREADS / BITSET_WORD_BITS];
};

const char *play_step(const struct play *play, struct state *state, const struct certificate_node *node,
		      struct footprint *footprint, bool *yields)
{
	const struct observation seen = {node->word, node->word2};
	struct effect effect;
	struct set before;
	const char *why = NULL;
	const uint32_t t = node->step.thread;
	const struct op op = *model_pending(state->model, t);
	if (footprint)
		dependence_begin(footprint, state->model, t, node->step.choice);
	model_perform(state->model, t, node->step.choice, &seen, &effect);
	if (footprint) {
		dependence_performed(footprint, state->model, t);
		touch_outcome(play, state, node, effect.asleep, footprint);
		why = play_objects(play, state, node);
	}
	if (yields)
		*yields = effect.yield;
	bitset_copy(before.words, state->enabled, play->words);
	if (!why)
		why = settle(play, state, node, effect.asleep);
	if (!why)
		why = note_ready(play, state, node);
	compute_enabled(play, state);
	if (!why && state->fair) {
		const struct turn turn = fair_turn(state->model, t, &op, node->word, effect.yield);
		if (footprint)
			fair_footprint(footprint, state->fair, &turn, before.words, state->enabled);
		fair_take(state->fair, &turn, before.words, state->enabled);
	}
	return why;
}

void play_ahead(const struct play *play, struct state *state, struct step step,
		const struct certificate_node *seen, struct footprint *footprint)
{
	const struct observation observation = {seen ? seen->word : 0, seen ? seen->word2 : 0};
	const struct op op = *model_pending(state->model, step.thread);
	struct effect effect;
	struct set before;
	dependence_begin(footprint, state->model, step.thread, step.choice);
	if (!model_has_choice(state->model, step.thread, step.choice))
		return;
	model_perform(state->model, step.thread, step.choice, &observation, &effect);
	dependence_performed(footprint, state->model, step.thread);
	if (!state->fair)
		return;
	bitset_copy(before.words, state->enabled, play->words);
	compute_enabled(play, state);
	const struct turn turn = fair_turn(state->model, step.thread, &op, observation.word, effect.yield);
	fair_footprint(footprint, state->fair, &turn, before.words, state->enabled);
}
