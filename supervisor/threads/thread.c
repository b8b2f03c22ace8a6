/*
 * Threads as objects: waiting for another thread's end. pthread_join(3) and glibc's pthread_join_common.c.
 *
 *     alive -(model_thread_exit)-> exited -(model_join_perform)-> joined
 *     alive, exited -(OP_THREAD_DETACH)-> detached
 */
#include "supervisor/objects/objects.h"
#include "supervisor/state/family.h"
#include "supervisor/state/state.h"
#include "supervisor/state/touch.h"
#include "supervisor/threads/threads.h"

/*
 * glibc refuses a join of a thread that is itself joining the caller. A thread stopped before such a join
 * counts as being in it: whichever of the two is performed is the one that came second.
 */
static bool joins_back(const struct model *m, uint32_t t, uint32_t target)
{
	const struct model_thread *other = model_thread_const(m, target);
	return other->run == THREAD_STOPPED && other->op.object == t &&
	       (other->op.kind == OP_THREAD_JOIN || other->op.kind == OP_THREAD_TIMEDJOIN);
}

void model_thread_exit(struct model *m, uint32_t t)
{
	struct model_thread *thread = model_thread(m, t);
	if (model_sleeps(thread))
		model_queue_remove(m, model_awaited(&thread->op), t);
	thread->run = THREAD_EXITED;
	thread->waiting = 0;
	model_mutex_owner_died(m, t);
}

void model_thread_detached(struct model *m, uint32_t t)
{
	model_thread(m, t)->flags |= THREAD_DETACHED;
}

static bool over(const struct model_thread *thread)
{
	return thread->run == THREAD_EXITED || thread->flags & (THREAD_JOINED | THREAD_DETACHED);
}

static bool ready(const struct model *m, uint32_t t)
{
	const struct op *op = &model_thread_const(m, t)->op;
	if (op->kind != OP_THREAD_JOIN && op->kind != OP_THREAD_TIMEDJOIN)
		return true;
	return op->object == t || over(model_thread_const(m, op->object)) || joins_back(m, t, op->object);
}

static void join(struct model *m, uint32_t t, struct effect *effect)
{
	struct model_thread *thread = model_thread(m, t);
	uint32_t target = thread->op.object;
	struct model_thread *joined = model_thread(m, target);
	if (joined->flags & (THREAD_JOINED | THREAD_DETACHED))
		return; /* a mistake of the program; what comes of it is up to libc */
	if (target == t) {
		effect_result(effect, MODEL_EDEADLK);
		return;
	}
	if (joined->run != THREAD_EXITED) {
		/* The other is not yet in its join: the real function would block. */
		effect_result(effect, MODEL_EDEADLK);
		effect->blocked = true;
		return;
	}
	joined->flags |= THREAD_JOINED;
	effect_result(effect, 0);
}

static void tryjoin(struct model *m, uint32_t t, struct effect *effect)
{
	struct model_thread *joined = model_thread(m, model_thread(m, t)->op.object);
	if (joined->run != THREAD_EXITED) {
		/* libc looks at nothing else first: so answered of detached threads and the caller too. */
		effect_failed(effect, MODEL_EBUSY);
		return;
	}
	join(m, t, effect);
}

static void perform(struct model *m, uint32_t t, int32_t choice, const struct observation *seen,
		    struct effect *effect)
{
	(void)seen;
	const struct op *op = &model_thread(m, t)->op;
	switch (op->kind) {
	case OP_THREAD_CREATE:
		return;
	case OP_THREAD_CANCEL:
		model_thread(m, op->object)->flags |= THREAD_CANCELLED;
		return;
	case OP_THREAD_DETACH:
		/* The result stays open: the thread may have been created detached. */
		model_thread(m, op->object)->flags |= THREAD_DETACHED;
		return;
	case OP_THREAD_TRYJOIN:
		tryjoin(m, t, effect);
		return;
	case OP_SIGNAL_SEND:
		model_signal_send(m, t, choice);
		return;
	case OP_TIMER_SET:
		model_thread(m, op->object)->flags |= THREAD_DISARMED;
		return;
	default:
		if (choice == CHOICE_TIMEOUT)
			effect_timed_out(effect, MODEL_ETIMEDOUT);
		else
			join(m, t, effect);
	}
}

/*
 * Operations on threads. What a join needs is the end of the thread, but which transition is its last only the
 * program knows, and two threads that join each other need still less: so all of the thread's count.
 */
static void touch_thread(struct footprint *footprint, const struct model *m, const struct op *op,
			 int32_t choice)
{
	bool passive =
	    choice == CHOICE_TIMEOUT || (op->kind == OP_THREAD_TRYJOIN && !model_exited(m, op->object));
	enum touch_mode mode = passive ? TOUCH_READ : TOUCH_WRITE;
	touch(footprint, TOUCH_JOINABLE, op->object, mode);
	if (op->kind != OP_THREAD_DETACH)
		touch(footprint, TOUCH_THREAD, op->object, mode);
	if (op->kind != OP_THREAD_DETACH && m->apart)
		touch(footprint, TOUCH_BUFFER, op->object, mode);
}

static void touches(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
		    int32_t choice)
{
	(void)t;
	switch (op->kind) {
	case OP_THREAD_CREATE:
		/* Threads are numbered as they are created: what T3 is depends on who came first. */
		touch(footprint, TOUCH_BIRTHS, 0, TOUCH_WRITE);
		return;
	case OP_THREAD_CANCEL:
		/* It may turn whatever the other thread does next into its end. */
	case OP_SIGNAL_SEND:
		/* Or put what its handler does before that, and whoever depends on that. */
		touch(footprint, TOUCH_ALL, 0, TOUCH_WRITE);
		return;
	case OP_TIMER_SET:
		touch(footprint, TOUCH_JOINABLE, op->object, TOUCH_WRITE);
		return;
	default:
		touch_thread(footprint, m, op, choice);
	}
}

const struct family family_thread = {.ready = ready, .perform = perform, .touch = touches};
