/*
 * Barriers: pthread_barrier_wait(3p). The real function never runs, because it would leave to libc which
 * thread is told PTHREAD_BARRIER_SERIAL_THREAD; here it is the one that comes last.
 *
 *     OP_BARRIER_WAIT -(not the last)-> OP_BARRIER_ASLEEP, in the queue
 *     OP_BARRIER_WAIT -(the last)-> returns -1; all in the queue: OP_BARRIER_ASLEEP -> OP_BARRIER_RESUME
 *     OP_BARRIER_RESUME -> returns 0
 */
#include "supervisor/objects/objects.h"
#include "supervisor/state/family.h"
#include "supervisor/state/state.h"
#include "supervisor/state/touch.h"

#define SERIAL_THREAD (-1)

void model_barrier_sleep(struct model *m, uint32_t t)
{
	struct op *op = &model_thread(m, t)->op;
	op->kind = OP_BARRIER_ASLEEP;
	model_queue_sort_in(m, op->object, t);
}

static void wait(struct model *m, uint32_t t, struct effect *effect)
{
	struct model_object *o = model_object(m, model_thread(m, t)->op.object);
	effect->blocked = true;
	if (o->sleepers + 1 < o->count) {
		model_barrier_sleep(m, t);
		effect->asleep = true;
		return;
	}
	while (o->first != NO_THREAD) {
		uint32_t woken = o->first;
		model_queue_remove(m, model_thread(m, t)->op.object, woken);
		model_thread(m, woken)->op.kind = OP_BARRIER_RESUME;
	}
	effect_result(effect, SERIAL_THREAD);
}

static bool ready(const struct model *m, uint32_t t)
{
	return model_thread_const(m, t)->op.kind != OP_BARRIER_ASLEEP;
}

static void perform(struct model *m, uint32_t t, int32_t choice, const struct observation *seen,
		    struct effect *effect)
{
	(void)choice;
	(void)seen;
	const struct op *op = &model_thread(m, t)->op;
	struct model_object *o = model_object(m, op->object);
	bool invalid = op->arg <= 0 || op->arg > INT32_MAX;
	switch (op->kind) {
	case OP_BARRIER_WAIT:
		wait(m, t, effect);
		return;
	case OP_BARRIER_RESUME:
		effect_result(effect, 0);
		effect->blocked = true;
		return;
	case OP_BARRIER_INIT:
		effect_result(effect, invalid ? MODEL_EINVAL : 0);
		if (invalid)
			return;
		o->count = (uint32_t)op->arg;
		model_object_life(m, t);
		return;
	default:
		model_object_life(m, t);
		effect_result(effect, 0);
	}
}

static void touches(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
		    int32_t choice)
{
	(void)choice;
	if (op->kind == OP_BARRIER_RESUME) {
		touch(footprint, TOUCH_WAKING, t, TOUCH_WRITE);
		return;
	}
	/* Only the last of those who meet is told something else. The others commute: see sem.c. */
	uint32_t unspent = state_of(m, op->object).unspent;
	if (op->kind == OP_BARRIER_WAIT && unspent > 0) {
		footprint_add(footprint, touch_key(TOUCH_OBJECT, op->object), unspent - 1);
		return;
	}
	touch_object(footprint, op->object, false);
	if (op->kind == OP_BARRIER_WAIT)
		touch_sleepers(footprint, m, op->object);
}

const struct family family_barrier = {
    .ready = ready, .perform = perform, .touch = touches, .misuse = misuse_barrier};
