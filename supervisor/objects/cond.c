/*
 * Condition variables: pthread_cond_wait(3p), pthread_cond_signal(3p). The real functions never run, because
 * which thread wakes is a choice of the search; only the mutex is unlocked and locked for real.
 *
 *     OP_COND_WAIT -(wait, the mutex is unlocked)-> OP_COND_ASLEEP, in the queue
 *          '-------(wait, the unlock fails)-------> returns that error
 *     OP_COND_ASLEEP -(signal, broadcast)-> OP_COND_RELOCK, arg 0
 *     OP_COND_ASLEEP -(asleep, CHOICE_TIMEOUT)-> OP_COND_RELOCK, arg ETIMEDOUT
 *     OP_COND_ASLEEP -(asleep, CHOICE_SPURIOUS, while the budget lasts)-> OP_COND_RELOCK, arg 0
 *     OP_COND_ASLEEP -(model_cancel_perform)-> OP_COND_RELOCK, arg ECANCELED
 *     OP_COND_RELOCK -(relock, the mutex can be had)-> returns arg, or what locking returned if that isn't 0
 */
#include "supervisor/objects/objects.h"
#include "supervisor/state/family.h"
#include "supervisor/state/state.h"
#include "supervisor/state/touch.h"

void model_cond_sleep(struct model *m, uint32_t t)
{
	struct op *op = &model_thread(m, t)->op;
	if (op->kind == OP_COND_TIMEDWAIT)
		op->flags |= OP_TIMED;
	else
		op->flags &= (uint16_t)~OP_TIMED;
	op->kind = OP_COND_ASLEEP;
	op->arg = op->arg2 = op->arg3 = 0;
	model_queue_append(m, op->object, t);
}

static void wait(struct model *m, uint32_t t, struct effect *effect)
{
	int32_t error = model_mutex_unlock(m, model_thread(m, t)->op.object2, t);
	if (error) {
		effect_result(effect, error);
		/* Any other error comes with a change of the mutex, which the real function has to make. */
		effect->blocked = error == MODEL_EPERM;
		return;
	}
	model_cond_sleep(m, t);
	effect->asleep = true;
	effect->blocked = true;
}

static void asleep(struct model *m, uint32_t t, int32_t choice, struct effect *effect)
{
	bool spurious = choice == CHOICE_SPURIOUS;
	if (spurious)
		model_object(m, model_thread(m, t)->op.object)->spurious--;
	model_cond_wake(m, t, spurious ? 0 : MODEL_ETIMEDOUT);
	effect->asleep = true;
	effect->blocked = true;
	if (spurious)
		return;
	effect->timed_out = true;
	effect->yield = true;
}

static void relock(struct model *m, uint32_t t, struct effect *effect)
{
	const struct op *op = &model_thread(m, t)->op;
	int32_t error = model_mutex_take(m, op->object2, t);
	if (op->arg == MODEL_ECANCELED) {
		model_cancel_perform(m, t, effect);
		return;
	}
	effect_result(effect, error ? error : op->arg);
	effect->blocked = true;
}

static void signal(struct model *m, uint32_t t, int32_t choice, struct effect *effect)
{
	const struct model_object *o = model_object(m, model_thread(m, t)->op.object);
	if (o->sleepers > 0) {
		uint32_t woken = o->first;
		for (int32_t i = 0; i < choice; i++)
			woken = model_thread(m, woken)->next;
		model_cond_wake(m, woken, 0);
	}
	effect_result(effect, 0);
	effect->blocked = true;
}

static void broadcast(struct model *m, uint32_t t, struct effect *effect)
{
	const struct model_object *o = model_object(m, model_thread(m, t)->op.object);
	while (o->first != NO_THREAD)
		model_cond_wake(m, o->first, 0);
	effect_result(effect, 0);
	effect->blocked = true;
}

static bool ready(const struct model *m, uint32_t t)
{
	const struct op *op = &model_thread_const(m, t)->op;
	if (op->kind == OP_COND_RELOCK)
		return model_mutex_could_take(m, op->object2, t);
	return op->kind != OP_COND_ASLEEP;
}

static uint32_t ways(const struct model *m, uint32_t t)
{
	const struct op *op = &model_thread_const(m, t)->op;
	const struct model_object *o = model_object_const(m, op->object);
	bool any = op->kind == OP_COND_SIGNAL && o->sleepers > 1 && o->wakeup == WAKE_ANY;
	return any ? o->sleepers : 1;
}

static int32_t way(const struct model *m, uint32_t t, uint32_t i)
{
	const struct op *op = &model_thread_const(m, t)->op;
	const struct model_object *o = model_object_const(m, op->object);
	bool last = op->kind == OP_COND_SIGNAL && o->wakeup == WAKE_LIFO && o->sleepers > 1;
	return (int32_t)(last ? o->sleepers - 1 : i);
}

static void perform(struct model *m, uint32_t t, int32_t choice, const struct observation *seen,
		    struct effect *effect)
{
	(void)seen;
	switch (model_thread(m, t)->op.kind) {
	case OP_COND_WAIT:
	case OP_COND_TIMEDWAIT:
		wait(m, t, effect);
		return;
	case OP_COND_ASLEEP:
		asleep(m, t, choice, effect);
		return;
	case OP_COND_RELOCK:
		relock(m, t, effect);
		return;
	case OP_COND_SIGNAL:
		signal(m, t, choice, effect);
		return;
	case OP_COND_BROADCAST:
		broadcast(m, t, effect);
		return;
	default: /* init and destroy run for real; those who sleep at a destroyed one sleep on */
		model_object_life(m, t);
		effect_result(effect, 0);
	}
}

static void touches(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
		    int32_t choice)
{
	switch (op->kind) {
	case OP_COND_WAIT:
	case OP_COND_TIMEDWAIT:
		/* The order in which they fall asleep numbers the choices of the thread that wakes them. */
		touch_object(footprint, op->object, false);
		touch_object(footprint, op->object2, false);
		return;
	case OP_COND_ASLEEP:
		touch_leaving(footprint, t, op, choice);
		return;
	case OP_COND_RELOCK:
		/* After the one that woke it, not after all that touch the condition variable. */
		touch(footprint, TOUCH_WAKING, t, TOUCH_WRITE);
		touch_object(footprint, op->object2, false);
		return;
	case OP_COND_SIGNAL:
	case OP_COND_BROADCAST:
		touch_waking(footprint, m, op->object);
		return;
	default:
		touch_object(footprint, op->object, false);
	}
}

const struct family family_cond = {
    .ready = ready, .ways = ways, .way = way, .perform = perform, .touch = touches, .misuse = misuse_cond};
