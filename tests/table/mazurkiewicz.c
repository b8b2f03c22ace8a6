#include "mazurkiewicz.h"

#include "fair_reference.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS	    8
#define OBJECTS	    16
#define MOST_EVENTS 64
#define MOST_USES   20

/* How an event uses a thing: 'r' and 'a' commute with their like, 'w' with nothing. */
struct use {
	/* m: object, p: a semaphore's posts, t: thread, j: its being joined, k: woken, b: births, *: everything */
	char class;
	uint32_t number;
	char mode;
};

struct event {
	enum op_kind kind;
	uint32_t thread;
	int32_t choice;
	struct use uses[MOST_USES];
	uint32_t length;
};

struct place {
	struct table_state state;
	struct model_block block;
	struct fair_reference *fair;
	struct event events[MOST_EVENTS];
	uint32_t length;
	uint32_t yields[THREADS];
	uint32_t taken[TABLE_OBJECTS]; /* of each semaphore since it was initialised, by waits */
	uint32_t first[TABLE_OBJECTS]; /* its value then */
	bool ended;
};

static void use(struct event *event, char class, uint32_t number, char mode)
{
	assert(event->length < MOST_USES);
	event->uses[event->length++] = (struct use){class, number, mode};
}

static bool asleep(const struct model *m, uint32_t t)
{
	enum op_kind kind = model_pending(m, t)->kind;
	return kind == OP_COND_ASLEEP || kind == OP_FUTEX_ASLEEP || kind == OP_BARRIER_ASLEEP;
}

/* Does the order in which threads wait for this object matter? */
static bool ordered(const struct object_state *state)
{
	return state->wakeup != WAKE_ANY || (state->class == CLASS_RWLOCK && state->type == RWLOCK_WRITERS);
}

static void note_rwlock(struct event *event, const struct op *op, const struct effect *effect,
			const struct object_state *before)
{
	bool reads = op->kind == OP_RWLOCK_RDLOCK || op->kind == OP_RWLOCK_TRYRDLOCK ||
		     op->kind == OP_RWLOCK_TIMEDRDLOCK;
	bool gives_back = op->kind == OP_RWLOCK_UNLOCK && before->owner != event->thread && before->count > 0;
	bool in_vain = event->choice == CHOICE_TIMEOUT ||
		       (effect->yield && (before->owner != NO_THREAD || before->count > 0));
	char mode = ordered(before) ? 'w' : in_vain ? 'r' : reads || gives_back ? 'a' : 'w';
	use(event, 'm', op->object, mode);
}

/*
 * The waits that take the units of the beginning commute with all but others. What fails fails because of all waits
 * and posts before.
 */
static void note_semaphore(struct place *place, struct event *event, const struct op *op,
			   const struct effect *effect, const struct object_state *before)
{
	uint32_t *taken = &place->taken[op->object], first = place->first[op->object];
	bool waits = op->kind == OP_SEM_WAIT || op->kind == OP_SEM_TRYWAIT || op->kind == OP_SEM_TIMEDWAIT;
	bool succeeds = waits && !effect->asleep && effect->result == 0;
	char mode = succeeds || effect->asleep || op->kind == OP_SEM_INIT ? 'w' : 'r';
	if (op->kind == OP_SEM_INIT && effect->result == 0) {
		*taken = 0;
		place->first[op->object] = (uint32_t)op->arg;
	}
	if (op->kind == OP_SEM_POST) {
		use(event, 'p', op->object, 'a');
	} else if (succeeds && (*taken)++ < first && !ordered(before)) {
		use(event, 'm', op->object, 'a');
	} else {
		use(event, 'm', op->object, mode);
		use(event, 'p', op->object, mode);
	}
}

/* Uses that follow from the operation and its result. */
static void note_operation(struct event *event, const struct op *op, const struct effect *effect,
			   uint32_t woken, const struct object_state *before)
{
	bool timed_out = event->choice == CHOICE_TIMEOUT;
	switch (op->kind) {
	case OP_THREAD_START:
		use(event, 'k', event->thread, 'w');
		return;
	case OP_THREAD_CREATE:
		use(event, 'b', 0, 'w');
		return;
	case OP_THREAD_JOIN:
	case OP_THREAD_TIMEDJOIN:
	case OP_THREAD_TRYJOIN:
		use(event, 't', op->object, timed_out || effect->yield ? 'r' : 'w');
		use(event, 'j', op->object, timed_out || effect->yield ? 'r' : 'w');
		return;
	case OP_THREAD_DETACH:
		use(event, op->object == NO_OBJECT ? '*' : 'j', op->object == NO_OBJECT ? 0 : op->object,
		    'w');
		return;
	case OP_MUTEX_TRYLOCK:
	case OP_MUTEX_TIMEDLOCK:
	case OP_SPIN_TRYLOCK:
		use(event, 'm', op->object,
		    timed_out || (effect->result == 16 && before->owner != NO_THREAD) ? 'r' : 'w');
		return;
	case OP_COND_WAIT:
	case OP_COND_TIMEDWAIT:
		use(event, 'm', op->object, 'w');
		use(event, 'm', op->object2, 'w');
		return;
	case OP_COND_ASLEEP:
	case OP_FUTEX_ASLEEP:
		use(event, 'm', op->object, 'w');
		if (event->choice == CHOICE_SPURIOUS)
			use(event, '*', 0, 'w');
		return;
	case OP_COND_RELOCK:
		use(event, 'm', op->object2, 'w');
		use(event, 'k', event->thread, 'w');
		return;
	case OP_BARRIER_WAIT:
		/* Who has to wait is told the same, whoever came before. */
		use(event, 'm', op->object, effect->asleep ? 'a' : 'w');
		return;
	case OP_FUTEX_RESUME:
	case OP_BARRIER_RESUME:
		use(event, 'k', event->thread, 'w');
		return;
	case OP_RWLOCK_RDLOCK:
	case OP_RWLOCK_TRYRDLOCK:
	case OP_RWLOCK_TIMEDRDLOCK:
	case OP_RWLOCK_WRLOCK:
	case OP_RWLOCK_TRYWRLOCK:
	case OP_RWLOCK_TIMEDWRLOCK:
	case OP_RWLOCK_UNLOCK:
		note_rwlock(event, op, effect, before);
		return;
	case OP_SIGNAL_SEND:
		use(event, '*', 0, 'w');
		return;
	case OP_TIMER_SET:
		use(event, 'j', op->object, 'w');
		return;
	case OP_SIGNAL_TAKE:
		return;
	case OP_YIELD:
	case OP_SLEEP:
		return;
	case OP_PROCESS_EXIT:
		use(event, '*', 0, 'w');
		return;
	default:
		if (op->object == NO_OBJECT)
			use(event, '*', 0, 'w');
		else
			use(event, 'm', op->object, 'w');
		if (op->object2 != NO_OBJECT)
			use(event, 'm', op->object2, 'w');
	}
	if (woken > 0 ||
	    (op->kind != OP_COND_SIGNAL && op->kind != OP_COND_BROADCAST && op->kind != OP_FUTEX_WAKE))
		return;
	/* Woke nobody. What slept and was not matched is of no importance to others who look only. */
	event->uses[event->length - 1].mode = 'r';
}

/* What was so before the transition. */
struct before {
	struct object_state object;
	struct op under;
	bool slept[THREADS];
	uint32_t queue[THREADS]; /* the ordered mutex that it has to take when it is woken by this */
};

static void look(struct before *before, const struct model *m, uint32_t t, const struct op *op)
{
	before->under = *model_under(m, t);
	enum object_class class = op_class(op->kind);
	if (op->object != NO_OBJECT && class != CLASS_NONE && class != CLASS_THREAD)
		model_object_state(m, op->object, &before->object);
	for (uint32_t u = 0; u < model_threads(m); u++) {
		const struct op *other = model_pending(m, u);
		struct object_state mutex;
		before->slept[u] = asleep(m, u);
		before->queue[u] = NO_OBJECT;
		if (class != CLASS_COND || other->kind != OP_COND_ASLEEP || other->object != op->object)
			continue;
		model_object_state(m, other->object2, &mutex);
		if (ordered(&mutex))
			before->queue[u] = other->object2;
	}
}

/* In place of taking the signal it could do this: nothing that has to do with that commutes. */
static void note_put_off(struct event *event, const struct op *under)
{
	const enum object_class class = op_class(under->kind);
	if (under->kind == OP_YIELD)
		return;
	if (class == CLASS_NONE || class == CLASS_THREAD || op_interruptible(under->kind)) {
		use(event, '*', 0, 'w');
		return;
	}
	use(event, 'm', under->object, 'w');
	if (class == CLASS_SEM)
		use(event, 'p', under->object, 'w');
}

/* Everyone reads '*', so that one who writes it conflicts with all. */
static void note(struct place *place, struct event *event, const struct op *op, const struct effect *effect,
		 const struct before *before)
{
	const struct model *after = place->block.model;
	uint32_t woken = 0;
	for (uint32_t u = 0; u < model_threads(after); u++)
		woken += u != event->thread && before->slept[u] && !asleep(after, u);
	if (op->kind == OP_SIGNAL_SEND && model_disarmed(after, event->thread))
		use(event, 'j', event->thread, 'w');
	else if (op_class(op->kind) == CLASS_SEM)
		note_semaphore(place, event, op, effect, &before->object);
	else
		note_operation(event, op, effect, woken, &before->object);
	if (op->kind == OP_SIGNAL_TAKE)
		note_put_off(event, &before->under);
	if (op->flags & OP_QUEUED)
		use(event, 'm', op->kind == OP_COND_RELOCK ? op->object2 : op->object, 'w');
	for (uint32_t u = 0; u < model_threads(after); u++) {
		if (u != event->thread && before->slept[u] && !asleep(after, u))
			use(event, 'k', u, 'w');
		if (before->queue[u] != NO_OBJECT)
			use(event, 'm', before->queue[u], 'w');
	}
	bool global = false;
	for (uint32_t i = 0; i < event->length; i++)
		global |= event->uses[i].class == '*';
	if (!global)
		use(event, '*', 0, 'r');
}

/* Performs one transition; returns true iff it was a yield. */
static bool perform(const struct table_program *program, struct place *place, uint32_t t, int32_t choice)
{
	struct op op = *model_pending(place->block.model, t);
	struct observation seen = {0, 0};
	struct before before = {0};
	assert(place->length < MOST_EVENTS);
	struct event *event = &place->events[place->length++];
	*event = (struct event){.kind = op.kind, .thread = t, .choice = choice};
	use(event, 't', t, 'w');
	look(&before, place->block.model, t, &op);
	if (op.kind == OP_FUTEX_WAIT || op.kind == OP_FUTEX_REQUEUE || op.kind == OP_FUTEX_WAKE_OP)
		table_observe(program, &place->state, &op, &seen);
	struct effect effect;
	model_perform(place->block.model, t, choice, &seen, &effect);
	note(place, event, &op, &effect, &before);
	if (effect.asleep)
		return effect.yield;
	struct outcome outcome;
	table_perform(program, &place->state, &place->block, t, &op, &effect, &outcome);
	for (uint32_t i = 0; i < outcome.births; i++)
		use(event, 'k', outcome.created + i, 'w');
	if (outcome.kind == OUTCOME_PENDING) {
		model_set_pending(place->block.model, t, &outcome.next);
	} else if (outcome.kind == OUTCOME_EXITED) {
		model_thread_exit(place->block.model, t);
	} else {
		place->ended = true;
		for (uint32_t i = 0; i < event->length; i++)
			if (event->uses[i].class == '*')
				event->uses[i].mode = 'w';
	}
	return effect.yield;
}

static bool take(const struct table_program *program, struct place *place, uint32_t t, int32_t choice)
{
	const bool yield = perform(program, place, t, choice);
	table_aim_all(program, &place->state, place->block.model);
	return yield;
}

static uint64_t fold(uint64_t digest, uint64_t word)
{
	digest = (digest ^ word) * UINT64_C(0xff51afd7ed558ccd);
	return digest ^ digest >> 31;
}

/*
 * The history of one thing: groups of uses that commute, each as an unordered set. Its digest is that of the
 * sequence of the groups.
 */
static uint64_t history(const struct place *place, const struct use *thing)
{
	uint64_t digest = fold(fold(1, (uint64_t)thing->class), thing->number), group = 0;
	char mode = 0;
	uint32_t index[THREADS] = {0};
	for (uint32_t e = 0; e < place->length; e++) {
		const struct event *event = &place->events[e];
		uint64_t name = fold(fold(7, event->thread), index[event->thread]++);
		char used = 0;
		for (uint32_t i = 0; i < event->length; i++)
			if (event->uses[i].class == thing->class && event->uses[i].number == thing->number)
				used = used && used != event->uses[i].mode ? 'w' : event->uses[i].mode;
		if (!used)
			continue;
		if (mode && (used != mode || used == 'w')) {
			digest = fold(digest, group);
			group = 0;
		}
		mode = used;
		group += fold(name, (uint64_t)used);
	}
	return fold(digest, group);
}

static uint64_t canonical(const struct place *place)
{
	uint64_t digest = 0;
	uint32_t index[THREADS] = {0};
	for (uint32_t e = 0; e < place->length; e++) {
		const struct event *event = &place->events[e];
		digest += fold(fold(fold(3, event->thread), index[event->thread]++),
			       (uint64_t)(int64_t)event->choice);
		for (uint32_t i = 0; i < event->length; i++) {
			bool first = true;
			for (uint32_t d = 0; d <= e && first; d++)
				for (uint32_t k = 0; k < (d == e ? i : place->events[d].length); k++)
					first &= place->events[d].uses[k].class != event->uses[i].class ||
						 place->events[d].uses[k].number != event->uses[i].number;
			if (first)
				digest += history(place, &event->uses[i]);
		}
	}
	return digest;
}

static void copy(struct place *to, const struct place *from)
{
	*to = *from;
	void *memory = malloc(model_bytes(THREADS, OBJECTS));
	to->block.model = model_copy(memory, THREADS, OBJECTS, from->block.model);
	if (from->fair) {
		to->fair = malloc(fair_reference_bytes(THREADS));
		memcpy(to->fair, from->fair, fair_reference_bytes(THREADS));
	}
}

static void release(struct place *place)
{
	model_block_release(&place->block);
	free(place->fair);
	free(place);
}

static struct place *start(const struct table_program *program, uint32_t fair_k)
{
	struct place *place = calloc(1, sizeof *place);
	void *memory = malloc(model_bytes(THREADS, OBJECTS));
	place->block.model = model_init(memory, THREADS, OBJECTS);
	struct outcome first;
	table_start(program, &place->state, &place->block, &first);
	table_aim_all(program, &place->state, place->block.model);
	for (uint32_t o = 0; o < program->object_count; o++)
		place->first[o] = program->objects[o].count;
	if (fair_k) {
		place->fair = malloc(fair_reference_bytes(THREADS));
		fair_reference_init(place->fair, THREADS, fair_k);
	}
	return place;
}

static void find_enabled(const struct model *model, bool enabled[REFERENCE_THREADS])
{
	memset(enabled, 0, REFERENCE_THREADS * sizeof *enabled);
	for (uint32_t t = 0; t < model_threads(model); t++)
		enabled[t] = model_enabled(model, t);
}

/* What two merged prefixes have in common: with fairness also the priorities. */
static uint64_t identity(const struct place *place)
{
	uint64_t digest = canonical(place);
	const unsigned char *bytes = (const unsigned char *)place->fair;
	for (size_t i = 0; place->fair && i < fair_reference_bytes(THREADS); i++)
		digest = fold(digest, bytes[i]);
	return digest;
}

static void explore(struct mazurkiewicz *all, const struct place *here);

static void follow(struct mazurkiewicz *all, const struct place *here, const bool *enabled, uint32_t t,
		   int32_t choice)
{
	struct place *next = malloc(sizeof *next);
	copy(next, here);
	bool yield = take(all->program, next, t, choice);
	all->crashes |= next->ended && next->events[next->length - 1].kind != OP_PROCESS_EXIT;
	all->yields_twice |= yield && ++next->yields[t] == 2;
	bool after[REFERENCE_THREADS];
	find_enabled(next->block.model, after);
	if (next->fair)
		fair_reference_step(next->fair, t, yield, enabled, after);
	explore(all, next);
	release(next);
}

static void explore(struct mazurkiewicz *all, const struct place *here)
{
	const struct model *model = here->block.model;
	bool enabled[REFERENCE_THREADS], any = false, left = false;
	if (all->gave_up || !hash_set_add(&all->prefixes, identity(here) | 1))
		return;
	all->gave_up |= all->prefixes.count > all->limit || here->length >= all->max_depth;
	find_enabled(model, enabled);
	for (uint32_t t = 0; t < model_threads(model); t++) {
		any |= enabled[t];
		left |= !model_exited(model, t);
	}
	if (here->ended || !any) {
		if (hash_set_add(&all->traces, canonical(here) | 1))
			all->deadlocks += !here->ended && left;
		hash_set_add(&all->finals, state_digest(model, &here->state));
		return;
	}
	for (uint32_t t = 0; t < model_threads(model); t++) {
		if (!enabled[t] || (here->fair && !fair_reference_may_run(here->fair, enabled, t)))
			continue;
		for (uint32_t i = 0; i < model_choices(model, t) && !all->gave_up; i++)
			follow(all, here, enabled, t, model_choice(model, t, i));
	}
	for (uint32_t t = 0; t < model_threads(model) && !all->gave_up; t++)
		if (model_spurious(model, t)) {
			all->spurious = true;
			follow(all, here, enabled, t, CHOICE_SPURIOUS);
		}
}

void mazurkiewicz_run(struct mazurkiewicz *all)
{
	hash_set_init(&all->traces);
	hash_set_init(&all->finals);
	hash_set_init(&all->prefixes);
	assert(all->max_depth < MOST_EVENTS);
	struct place *root = start(all->program, all->fair_k);
	explore(all, root);
	release(root);
}

void mazurkiewicz_release(struct mazurkiewicz *all)
{
	hash_set_release(&all->traces);
	hash_set_release(&all->finals);
	hash_set_release(&all->prefixes);
}

uint64_t mazurkiewicz_digest(const struct table_program *program, const struct step *steps, size_t length,
			     uint64_t *final)
{
	struct place *place = start(program, 0);
	for (size_t i = 0; i < length; i++) {
		assert(model_has_choice(place->block.model, steps[i].thread, steps[i].choice));
		take(program, place, steps[i].thread, steps[i].choice);
	}
	uint64_t digest = canonical(place) | 1;
	*final = state_digest(place->block.model, &place->state);
	release(place);
	return digest;
}
