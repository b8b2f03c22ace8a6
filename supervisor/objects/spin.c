/*
 * Spinlocks: pthread_spin_lock(3p). Waiting for one is waiting as for a mutex: a spinning thread doesn't get on, and
 * the loop isn't run.
 *
 *     free  -(LOCK, TRYLOCK by t = 0)->  held by t  -(UNLOCK, INIT)->  free
 *     held  -(TRYLOCK = EBUSY)->  held
 */
#include "supervisor/objects/objects.h"
#include "supervisor/state/family.h"
#include "supervisor/state/state.h"
#include "supervisor/state/touch.h"

static bool ready(const struct model *m, uint32_t t)
{
	const struct op *op = &model_thread_const(m, t)->op;
	return op->kind != OP_SPIN_LOCK || model_object_const(m, op->object)->owner == NO_THREAD;
}

static void set_owner(struct model_object *o, uint32_t owner)
{
	o->owner = owner;
	o->count = owner != NO_THREAD;
}

static void perform(struct model *m, uint32_t t, int32_t choice, const struct observation *seen,
		    struct effect *effect)
{
	(void)choice;
	(void)seen;
	const struct op *op = &model_thread(m, t)->op;
	struct model_object *o = model_object(m, op->object);
	switch (op->kind) {
	case OP_SPIN_LOCK:
	case OP_SPIN_TRYLOCK:
		if (o->owner != NO_THREAD) {
			effect_failed(effect, MODEL_EBUSY);
			return;
		}
		set_owner(o, t);
		break;
	default:
		/* pthread_spin_init is pthread_spin_unlock (glibc): a destroyed one is as new after it. */
		set_owner(o, NO_THREAD);
		model_object_life(m, t);
	}
	effect_result(effect, 0);
}

const struct family family_spin = {
    .ready = ready, .perform = perform, .touch = touch_lock, .misuse = misuse_spin};
