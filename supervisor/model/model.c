/*
 * The model as a block of memory, threads and objects coming and going, and the way from an operation to its
 * family (family.h). What the operations mean is in the rooms objects, memory and threads, and in signal.c.
 */
#include "supervisor/memory/buffer.h"
#include "supervisor/memory/memory.h"
#include "supervisor/model/families.h"
#include "supervisor/objects/objects.h"
#include "supervisor/state/family.h"
#include "supervisor/state/state.h"

static uint32_t user_bytes(void)
{
	return class_added() > 0 ? OBJECT_USER_BYTES : 0;
}

size_t model_bytes(uint32_t threads, uint32_t objects)
{
	return model_user_offset(threads, objects) + (size_t)objects * user_bytes();
}

struct model *model_init(void *memory, uint32_t threads, uint32_t objects)
{
	struct model *m = memory;
	FMC_ASSERT((uintptr_t)memory % 16 == 0);
	m->thread_room = threads;
	m->object_room = objects;
	m->threads = m->objects = 0;
	m->user_bytes = user_bytes();
	m->apart = false;
	return m;
}

struct model *model_copy(void *memory, uint32_t threads, uint32_t objects, const struct model *from)
{
	FMC_ASSERT(threads >= from->threads && objects >= from->objects);
	struct model *m = model_init(memory, threads, objects);
	m->threads = from->threads;
	m->objects = from->objects;
	m->apart = from->apart;
	if (m->threads > 0)
		__builtin_memcpy(model_thread(m, 0), model_thread_const(from, 0),
				 m->threads * sizeof(struct model_thread));
	if (m->objects > 0)
		__builtin_memcpy(model_object(m, 0), model_object_const(from, 0),
				 m->objects * sizeof(struct model_object));
	if (m->objects > 0 && m->user_bytes > 0)
		__builtin_memcpy(model_user(m, 0), model_user_const(from, 0),
				 (size_t)m->objects * m->user_bytes);
	return m;
}

uint32_t model_add_thread(struct model *m)
{
	if (m->threads == m->thread_room)
		return NO_THREAD;
	uint32_t t = m->threads++;
	*model_thread(m, t) = (struct model_thread){
	    .op = {.kind = OP_THREAD_START, .object = NO_OBJECT, .object2 = NO_OBJECT},
	    .next = NO_THREAD,
	    .prev = NO_THREAD,
	    .run = THREAD_STOPPED,
	    .parent = NO_THREAD,
	};
	return t;
}

uint32_t model_add_object(struct model *m, const struct object_state *state)
{
	FMC_ASSERT(state->class >= CLASS_MUTEX && state->class < CLASS_ALL && state->class != CLASSES);
	if (m->objects == m->object_room)
		return NO_OBJECT;
	uint32_t object = m->objects++;
	struct model_object *o = model_object(m, object);
	*o = (struct model_object){
	    .class = (uint8_t)state->class,
	    .type = (uint8_t)state->type,
	    .wakeup = (uint8_t)state->wakeup,
	    .flags = state->destroyed ? OBJECT_DESTROYED : 0,
	    .owner = NO_THREAD,
	    .spurious = state->class == CLASS_COND ? state->spurious : 0,
	    .standing = class_in_kernel(state->class) ? state->standing : 0,
	    .first = NO_THREAD,
	    .last = NO_THREAD,
	};
	if (state->class == CLASS_MUTEX) {
		model_mutex_add(m, o, state);
	} else if (state->class != CLASS_COND && state->class != CLASS_FUTEX) {
		o->owner = state->owner;
		o->count = state->count;
		o->unspent = state->class == CLASS_SEM ? state->count : 0;
	}
	if (state->class >= CLASS_USER)
		__builtin_memcpy(model_user(m, object), state->user, OBJECT_USER_BYTES);
	return object;
}

void model_replace_object(struct model *m, uint32_t object, const struct object_state *state)
{
	struct model_object *o = model_object(m, object);
	FMC_ASSERT(o->class == state->class && o->first == NO_THREAD);
	if (state->class == CLASS_MUTEX && o->type & MUTEX_ROBUST && o->owner != NO_THREAD)
		model_thread(m, o->owner)->robust_held--;
	o->owner = NO_THREAD;
	o->flags = 0;
	o->unspent = 0;
	o->count = state->class == CLASS_SEM ? state->count : 0;
	if (state->class == CLASS_MUTEX)
		model_mutex_add(m, o, state);
}

void model_set_pending(struct model *m, uint32_t t, const struct op *op)
{
	struct model_thread *thread = model_thread(m, t);
	enum object_class class = op_class(op->kind), class2 = op_class2(op->kind);
	FMC_ASSERT(thread->run != THREAD_EXITED && op->kind != OP_NONE && op_known(op->kind));
	FMC_ASSERT(!op_is_by_model(op->kind));
	FMC_ASSERT(!model_sleeps(thread) && !(op->flags & (OP_QUEUED | OP_WAITS)));
	if (op->object != NO_OBJECT && class == CLASS_THREAD)
		FMC_ASSERT(op->object < m->threads);
	else if (op->object != NO_OBJECT && class != CLASS_NONE)
		FMC_ASSERT(model_object(m, op->object)->class == class);
	if (op->object2 != NO_OBJECT && class2 != CLASS_NONE)
		FMC_ASSERT(model_object(m, op->object2)->class == class2);
	thread->op = *op;
	thread->run = THREAD_STOPPED;
}

void model_set_found(struct model *m, uint32_t t, const struct op *op)
{
	struct op before = *op;
	before.flags &= (uint16_t) ~(OP_TIMED | OP_QUEUED);
	switch (op->kind) {
	case OP_COND_ASLEEP:
	case OP_COND_RELOCK:
		before.kind = op->flags & OP_TIMED ? OP_COND_TIMEDWAIT : OP_COND_WAIT;
		model_set_pending(m, t, &before);
		model_cond_sleep(m, t);
		if (op->kind == OP_COND_RELOCK)
			model_cond_wake(m, t, op->arg);
		return;
	case OP_BARRIER_ASLEEP:
		before.kind = OP_BARRIER_WAIT;
		model_set_pending(m, t, &before);
		model_barrier_sleep(m, t);
		return;
	default:
		model_set_pending(m, t, op);
	}
}

/* The family of an operation; that of those without an object also for one whose objects the machine doesn't know. */
static const struct family *family(const struct op *op)
{
	const bool known = op->object != NO_OBJECT && op_knows_objects(op);
	return family_of(known ? op_class(op->kind) : CLASS_NONE);
}

/* Could it complete, whoever's turn it is? */
static bool available(const struct model *m, uint32_t t)
{
	const struct family *f = family(&model_thread_const(m, t)->op);
	return !f->ready || f->ready(m, t);
}

/* The holder of an object gets its answer at once, whoever waits: once more, or EDEADLK. */
static bool has_turn(const struct model *m, uint32_t t)
{
	const struct op *op = &model_thread_const(m, t)->op;
	return !model_queues(m, op) || model_object_const(m, model_awaited(op))->owner == t ||
	       model_turn(m, t);
}

/* Could it have its object now? */
static bool can_have(const struct model *m, uint32_t t)
{
	return available(m, t) && has_turn(m, t);
}

/* Before an object that it can't have now, under a policy by which it has to stand in a queue. */
static bool comes_to_queue(const struct model *m, uint32_t t)
{
	const struct op *op = &model_thread_const(m, t)->op;
	return model_queues(m, op) && !(op->flags & OP_QUEUED) && !can_have(m, t);
}

bool model_ready(const struct model *m, uint32_t t)
{
	const struct model_thread *thread = model_thread_const(m, t);
	if (thread->run != THREAD_STOPPED)
		return false;
	/* Most can have it, and are asked for often. */
	return can_have(m, t) || thread->waiting > 0 || model_cancels(m, t) || comes_to_queue(m, t) ||
	       model_awaits_alone(m, t);
}

bool model_awaits_alone(const struct model *m, uint32_t t)
{
	if (!model_awaits_still(m, t))
		return false;
	for (uint32_t u = 0; u < m->threads; u++)
		if (u != t && !model_awaits_still(m, u) && (model_held(m, u) || model_enabled(m, u)))
			return false;
	return true;
}

bool model_spurious(const struct model *m, uint32_t t)
{
	const struct model_thread *thread = model_thread_const(m, t);
	return thread->run == THREAD_STOPPED && thread->op.kind == OP_COND_ASLEEP &&
	       model_object_const(m, thread->op.object)->spurious > 0;
}

bool model_enabled(const struct model *m, uint32_t t)
{
	const struct model_thread *thread = model_thread_const(m, t);
	return thread->run == THREAD_STOPPED && (op_timed(&thread->op) || model_ready(m, t));
}

bool model_timed(const struct model *m, uint32_t t)
{
	const struct model_thread *thread = model_thread_const(m, t);
	return thread->run == THREAD_STOPPED && (op_timed(&thread->op) || thread->op.kind == OP_SLEEP);
}

bool model_waits_for_time(const struct model *m, uint32_t t)
{
	bool sleeps = model_thread_const(m, t)->op.kind == OP_SLEEP && !model_cancels(m, t);
	return model_timed(m, t) && (sleeps || !model_ready(m, t));
}

static uint32_t ways(const struct model *m, uint32_t t, bool ready)
{
	if (!ready)
		return model_thread_const(m, t)->run == THREAD_STOPPED &&
		       op_timed(&model_thread_const(m, t)->op);
	if (model_flushes(m, t))
		return model_offers_flush(m, t) && model_goes_past(m, t) ? 2 : 1;
	if (model_cancels(m, t) || comes_to_queue(m, t))
		return 1;
	const struct family *f = family(&model_thread_const(m, t)->op);
	return f->ways ? f->ways(m, t) : 1;
}

static int32_t way(const struct model *m, uint32_t t, uint32_t i, bool ready)
{
	/* POSIX: no time-out if it can be had at once. So a time-out is never one of several choices. */
	if (!ready)
		return CHOICE_TIMEOUT;
	if (model_flushes(m, t))
		return i == 0 && model_goes_past(m, t) ? CHOICE_DEFAULT : CHOICE_FLUSH;
	const struct family *f = family(&model_thread_const(m, t)->op);
	return f->way ? f->way(m, t, i) : (int32_t)i;
}

uint32_t model_choices(const struct model *m, uint32_t t)
{
	return ways(m, t, model_ready(m, t));
}

int32_t model_choice(const struct model *m, uint32_t t, uint32_t i)
{
	return way(m, t, i, model_ready(m, t));
}

uint32_t model_ways(const struct model *m, uint32_t t, int32_t *first)
{
	const bool ready = model_ready(m, t);
	const uint32_t choices = ways(m, t, ready);
	if (choices > 0)
		*first = way(m, t, 0, ready);
	return choices;
}

bool model_has_choice(const struct model *m, uint32_t t, int32_t choice)
{
	if (choice == CHOICE_SPURIOUS)
		return model_spurious(m, t);
	if (!model_ready(m, t))
		return choice == CHOICE_TIMEOUT && model_enabled(m, t);
	if (model_flushes(m, t))
		return choice == CHOICE_FLUSH || (choice == CHOICE_DEFAULT && model_goes_past(m, t));
	uint32_t choices = model_choices(m, t);
	return choices == 1 ? choice == model_choice(m, t, 0) : choice >= 0 && (uint32_t)choice < choices;
}

/* Its object; none for operations on threads, and where the machine doesn't know it. */
static uint32_t object_of(enum object_class class, uint32_t object)
{
	return class == CLASS_THREAD || class == CLASS_NONE ? NO_OBJECT : object;
}

static const char *flaw(const struct model *m, uint32_t object, uint32_t object2)
{
	const char *sentence = model_check_object(m, object);
	return sentence ? sentence : model_check_object(m, object2);
}

void model_perform(struct model *m, uint32_t t, int32_t choice, const struct observation *seen,
		   struct effect *effect)
{
	FMC_ASSERT(model_has_choice(m, t, choice));
	model_perform_again(m, t, choice, seen, effect);
}

void model_perform_again(struct model *m, uint32_t t, int32_t choice, const struct observation *seen,
			 struct effect *effect)
{
	struct model_thread *thread = model_thread(m, t);
	__builtin_memset(effect, 0, sizeof *effect);
	const uint32_t object = object_of(op_class(thread->op.kind), thread->op.object);
	const uint32_t object2 = object_of(op_class2(thread->op.kind), thread->op.object2);
	/* What the memory of a program in the middle of its run says of its objects may be anything. */
	const bool sound = flaw(m, object, object2) == NULL;
	if (choice == CHOICE_FLUSH) {
		model_flush(m, t, effect);
	} else if (choice == CHOICE_DEFAULT && model_cancels(m, t)) {
		model_cancel_perform(m, t, effect);
	} else if (choice == CHOICE_DEFAULT && comes_to_queue(m, t)) {
		model_queue_append(m, model_awaited(&thread->op), t);
		thread->op.flags |= OP_QUEUED;
		effect->asleep = effect->blocked = true;
	} else {
		if (thread->op.flags & OP_QUEUED)
			model_queue_remove(m, model_awaited(&thread->op), t);
		thread->op.flags &= (uint16_t)~OP_QUEUED;
		family(&thread->op)->perform(m, t, choice, seen, effect);
	}
	if (!effect->asleep)
		thread->run = THREAD_RUNNING;
	if (sound)
		FMC_ASSERT_NONE(flaw(m, object, object2));
}
