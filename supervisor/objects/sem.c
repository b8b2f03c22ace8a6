/*
 * Semaphores: sem_overview(7). Functions of this family answer 0 or -1, the reason being in errno.
 *
 *     value v  -(OP_SEM_POST = 0, v < SEM_VALUE_MAX)->                          v + 1
 *     value v  -(OP_SEM_WAIT, TRYWAIT, TIMEDWAIT = 0, v > 0)->                  v - 1
 *     value 0  -(OP_SEM_TRYWAIT = -1; OP_SEM_TIMEDWAIT = -1, CHOICE_TIMEOUT)->  0
 *     any      -(OP_SEM_INIT = 0)->                                             arg
 *
 * Of its units `unspent` are those that were there from the beginning: the first waits take these.
 *
 * The thread that is scheduled next gets a unit, or the first of a queue (model_turn()).
 */
#include "supervisor/objects/objects.h"
#include "supervisor/state/family.h"
#include "supervisor/state/state.h"
#include "supervisor/state/touch.h"

#define SEM_VALUE_MAXIMUM INT32_MAX

/* Below this no number of pending posts reaches the maximum, where a post fails and no longer commutes. */
#define FAR_FROM_OVERFLOW (SEM_VALUE_MAXIMUM / 2)

static bool ready(const struct model *m, uint32_t t)
{
	const struct op *op = &model_thread_const(m, t)->op;
	if (op->kind != OP_SEM_WAIT && op->kind != OP_SEM_TIMEDWAIT)
		return true;
	return model_object_const(m, op->object)->count > 0;
}

static void post(struct model_object *o, struct effect *effect)
{
	bool overflow = o->count >= SEM_VALUE_MAXIMUM;
	if (!overflow)
		o->count++;
	effect_result(effect, overflow ? -1 : 0);
}

static void initialise(struct model_object *o, int64_t value, struct effect *effect)
{
	bool invalid = value < 0 || value > SEM_VALUE_MAXIMUM;
	if (!invalid)
		o->count = o->unspent = (uint32_t)value;
	effect_result(effect, invalid ? -1 : 0);
}

static void perform(struct model *m, uint32_t t, int32_t choice, const struct observation *seen,
		    struct effect *effect)
{
	(void)seen;
	const struct op *op = &model_thread(m, t)->op;
	struct model_object *o = model_object(m, op->object);
	switch (op->kind) {
	case OP_SEM_INIT:
		initialise(o, op->arg, effect);
		model_object_life(m, t);
		return;
	case OP_SEM_DESTROY:
		model_object_life(m, t);
		effect_result(effect, 0);
		return;
	case OP_SEM_GETVALUE:
		effect_result(effect, 0);
		return;
	case OP_SEM_OPEN:
	case OP_SEM_CLOSE:
		return;
	case OP_SEM_POST:
		post(o, effect);
		return;
	default:
		break;
	}
	if (choice == CHOICE_TIMEOUT) {
		effect_timed_out(effect, -1);
	} else if (o->count == 0) {
		FMC_ASSERT(op->kind == OP_SEM_TRYWAIT);
		effect_failed(effect, -1);
	} else {
		o->count--;
		o->unspent -= o->unspent > 0;
		effect_result(effect, 0);
	}
}

/* All of a semaphore. */
static void touch_value(struct footprint *footprint, uint32_t semaphore, enum touch_mode mode)
{
	touch(footprint, TOUCH_OBJECT, semaphore, mode);
	touch(footprint, TOUCH_POSTS, semaphore, mode);
}

/*
 * Waits of a semaphore and its posts are touched apart. Of the waits that succeed the first so many would do so
 * without any post, as many as there were units when it was initialised (struct object_state: unspent). These
 * commute with one another and with posts. Each later wait needs one more post, no matter which, and so depends on
 * all of them, and on those that took the first units.
 *
 * Swapping neighbours that don't conflict makes no first wait a later one, nor the other way round: only waits
 * and initialisations before it decide that, and of two waits without a conflict both are among the first, in
 * either order. Failed tries, time-outs and looks at the value conflict with every wait and every post. While units
 * are unspent nobody blocks and no try fails.
 *
 * Sleep-set and wakeup-tree entries, whose wait is put off, need a stronger test: each of several others commutes with it, but
 * all of them together may leave none of the first units for it. Hence `left`.
 */
static void touches(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
		    int32_t choice)
{
	struct object_state state = state_of(m, op->object);
	bool waits = op->kind == OP_SEM_WAIT || op->kind == OP_SEM_TRYWAIT || op->kind == OP_SEM_TIMEDWAIT;
	bool fails = choice == CHOICE_TIMEOUT || (op->kind == OP_SEM_TRYWAIT && state.count == 0);
	bool far = state.count < FAR_FROM_OVERFLOW;
	if (op->kind == OP_SEM_POST && far)
		touch(footprint, TOUCH_POSTS, op->object, TOUCH_ADD);
	else if (op->kind == OP_SEM_GETVALUE || fails)
		touch_value(footprint, op->object, TOUCH_READ);
	else if (waits && far && state.unspent > 0 && state.wakeup == WAKE_ANY && !model_cancels(m, t))
		footprint_add(footprint, touch_key(TOUCH_OBJECT, op->object), state.unspent - 1);
	else
		touch_value(footprint, op->object, TOUCH_WRITE);
}

const struct family family_sem = {.ready = ready, .perform = perform, .touch = touches, .misuse = misuse_sem};
