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
#include "supervisor/model/family.h"
#include "supervisor/model/state.h"

#define SEM_VALUE_MAXIMUM INT32_MAX

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

const struct family family_sem = {
    .ready = ready, .perform = perform, .touch = touch_semaphore, .misuse = misuse_sem};
