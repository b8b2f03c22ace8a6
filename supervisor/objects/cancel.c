/*
 * Cancellation: pthread_cancel(3p), and glibc's nptl/cancellation.c. What a cancelled thread does, the real
 * functions do when they are run: they see the request and unwind the stack. The model only has to know that
 * a thread asleep at a cancellation point is woken by it.
 *
 *     OP_THREAD_CANCEL of t: t is cancelled
 *     t cancelled, not disabled, before a cancellation point (asynchronous: anything) -(perform)-> t unwinds
 *     OP_COND_ASLEEP -> OP_COND_RELOCK with ECANCELED -(perform)-> t holds the mutex and unwinds
 */
#include "supervisor/objects/objects.h"
#include "supervisor/state/state.h"

static bool is_point(const struct op *op)
{
	switch (op->kind) {
	case OP_THREAD_JOIN:
	case OP_THREAD_TIMEDJOIN:
	case OP_THREAD_TESTCANCEL:
	case OP_COND_WAIT:
	case OP_COND_TIMEDWAIT:
	case OP_COND_ASLEEP:
	case OP_SEM_WAIT:
	case OP_SEM_TIMEDWAIT:
		return true;
	default:
		return false;
	}
}

bool model_cancels(const struct model *m, uint32_t t)
{
	const struct model_thread *thread = model_thread_const(m, t);
	const uint8_t blocks = THREAD_NO_CANCEL | THREAD_UNWINDS;
	if (!(thread->flags & THREAD_CANCELLED) || thread->flags & blocks)
		return false;
	/* A woken waiter first takes its mutex again. */
	bool anywhere = thread->flags & THREAD_ASYNC && thread->op.kind != OP_COND_RELOCK;
	return anywhere || is_point(&thread->op);
}

void model_cancel_set(struct model *m, uint32_t t)
{
	struct model_thread *thread = model_thread(m, t);
	uint8_t flag = 0;
	if (thread->op.kind == OP_THREAD_CANCELSTATE)
		flag = THREAD_NO_CANCEL;
	else if (thread->op.kind == OP_THREAD_CANCELTYPE)
		flag = THREAD_ASYNC;
	thread->flags = (uint8_t)(thread->op.arg ? thread->flags | flag : thread->flags & ~flag);
}

void model_cancel_perform(struct model *m, uint32_t t, struct effect *effect)
{
	struct model_thread *thread = model_thread(m, t);
	if (thread->op.kind == OP_COND_ASLEEP) {
		model_cond_wake(m, t, MODEL_ECANCELED);
		effect->asleep = effect->blocked = true;
		return;
	}
	if (model_sleeps(thread))
		model_queue_remove(m, model_awaited(&thread->op), t);
	thread->flags |= THREAD_UNWINDS;
	effect->cancelled = true;
}
