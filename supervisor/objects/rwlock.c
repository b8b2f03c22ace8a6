/*
 * Reader-writer locks: pthread_rwlock_rdlock(3p), pthread_rwlock_wrlock(3p), and where those leave it open,
 * glibc. Which threads read isn't kept, only how many do; a thread may read several times.
 *
 *     free  -(RDLOCK = 0)->    n readers  -(RDLOCK = 0)->  n + 1 readers  -(UNLOCK)->  n readers  -> free
 *     free  -(WRLOCK = 0)->    written by t  -(UNLOCK by t)->  free
 *     written by t  -(RDLOCK or WRLOCK by t = EDEADLK)->  the same
 *
 * Which thread gets it when several want it is a matter of the policy (model_turn()). glibc's kind
 * PREFER_WRITER_NONRECURSIVE is WAKE_WRITERS; its two others are WAKE_ANY, since who waits there is decided
 * by who comes first.
 */
#include "supervisor/objects/objects.h"
#include "supervisor/state/family.h"
#include "supervisor/state/state.h"
#include "supervisor/state/touch.h"

static bool is_free(const struct model_object *o, const struct op *op)
{
	return o->owner == NO_THREAD && (op_reads(op->kind) || o->count == 0);
}

static bool ready(const struct model *m, uint32_t t)
{
	const struct op *op = &model_thread_const(m, t)->op;
	const struct model_object *o = model_object_const(m, op->object);
	switch (op->kind) {
	case OP_RWLOCK_RDLOCK:
	case OP_RWLOCK_TIMEDRDLOCK:
	case OP_RWLOCK_WRLOCK:
	case OP_RWLOCK_TIMEDWRLOCK:
		return is_free(o, op) ? model_turn(m, t) : o->owner == t;
	default:
		return true;
	}
}

static void take(struct model *m, uint32_t t)
{
	const struct op *op = &model_thread(m, t)->op;
	struct model_object *o = model_object(m, op->object);
	if (op_reads(op->kind))
		o->count++;
	else
		o->owner = t;
}

static void lock(struct model *m, uint32_t t, struct effect *effect)
{
	const struct op *op = &model_thread(m, t)->op;
	if (model_object(m, op->object)->owner == t) {
		effect_result(effect, MODEL_EDEADLK);
		return;
	}
	take(m, t);
	effect_result(effect, 0);
}

static void trylock(struct model *m, uint32_t t, struct effect *effect)
{
	const struct op *op = &model_thread(m, t)->op;
	const struct model_object *o = model_object(m, op->object);
	/* A try doesn't wait for a turn, only for writers that go first. */
	bool ordered = o->wakeup == WAKE_FIFO || o->wakeup == WAKE_LIFO;
	bool turn = ordered || model_turn(m, t);
	if (is_free(o, op) && turn) {
		take(m, t);
		effect_result(effect, 0);
		return;
	}
	effect_failed(effect, MODEL_EBUSY);
	/* The real lock doesn't know of writers that wait in the model. */
	effect->blocked = is_free(o, op);
}

/* An unlock without holding it takes a reader's lock away; beyond that glibc counts below zero. */
static void unlock(struct model_object *o, uint32_t t, struct effect *effect)
{
	effect_result(effect, 0);
	if (o->owner == t)
		o->owner = NO_THREAD;
	else if (o->count > 0)
		o->count--;
	else
		effect->blocked = true;
}

static void initialise(struct model_object *o, const struct op *op)
{
	o->owner = NO_THREAD;
	o->count = 0;
	o->type = (uint8_t)op->arg;
}

static void perform(struct model *m, uint32_t t, int32_t choice, const struct observation *seen,
		    struct effect *effect)
{
	(void)seen;
	const struct op *op = &model_thread(m, t)->op;
	struct model_object *o = model_object(m, op->object);
	switch (op->kind) {
	case OP_RWLOCK_INIT:
		initialise(o, op);
		model_object_life(m, t);
		effect_result(effect, 0);
		return;
	case OP_RWLOCK_DESTROY:
		model_object_life(m, t);
		effect_result(effect, 0);
		return;
	case OP_RWLOCK_TRYRDLOCK:
	case OP_RWLOCK_TRYWRLOCK:
		trylock(m, t, effect);
		return;
	case OP_RWLOCK_UNLOCK:
		unlock(o, t, effect);
		return;
	default:
		if (choice == CHOICE_TIMEOUT)
			effect_timed_out(effect, MODEL_ETIMEDOUT);
		else
			lock(m, t, effect);
	}
}

/* Readers' locks and unlocks only count, unless a policy makes waiting threads matter. */
static void touches(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
		    int32_t choice)
{
	if (op_initialises(op->kind) || op_destroys(op->kind)) {
		touch_object(footprint, op->object, false);
		return;
	}
	struct object_state state = state_of(m, op->object);
	bool counts = state.wakeup == WAKE_ANY && state.type != RWLOCK_WRITERS;
	bool written = state.owner != NO_THREAD, shared = false, passive = choice == CHOICE_TIMEOUT;
	if (op->kind == OP_RWLOCK_TRYWRLOCK)
		passive |= written || state.count > 0;
	else if (op->kind == OP_RWLOCK_TRYRDLOCK)
		passive |= written;
	if (op->kind == OP_RWLOCK_UNLOCK)
		shared = state.owner != t && state.count > 0;
	else
		shared = op_reads(op->kind);
	enum touch_mode mode = !counts	 ? TOUCH_WRITE
			       : passive ? TOUCH_READ
			       : shared	 ? TOUCH_ADD
					 : TOUCH_WRITE;
	touch(footprint, TOUCH_OBJECT, op->object, mode);
}

const struct family family_rwlock = {
    .ready = ready, .perform = perform, .touch = touches, .misuse = misuse_rwlock};
