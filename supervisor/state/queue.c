/*
 * The queues of those who sleep at a condition variable, a barrier or a futex word, and of those who wait for
 * an object that is handed over in an order (enum wakeup): doubly linked by thread number, a thread being in
 * one queue at most.
 */
#include "supervisor/state/state.h"

/* After the thread `prev`; NO_THREAD: at the beginning. */
static void insert_after(struct model *m, uint32_t object, uint32_t prev, uint32_t t)
{
	struct model_object *o = model_object(m, object);
	struct model_thread *thread = model_thread(m, t);
	thread->prev = prev;
	thread->next = prev == NO_THREAD ? o->first : model_thread(m, prev)->next;
	*(prev == NO_THREAD ? &o->first : &model_thread(m, prev)->next) = t;
	*(thread->next == NO_THREAD ? &o->last : &model_thread(m, thread->next)->prev) = t;
	o->sleepers++;
}

void model_queue_append(struct model *m, uint32_t object, uint32_t t)
{
	insert_after(m, object, model_object(m, object)->last, t);
}

void model_queue_sort_in(struct model *m, uint32_t object, uint32_t t)
{
	uint32_t prev = model_object(m, object)->last;
	while (prev != NO_THREAD && prev > t)
		prev = model_thread(m, prev)->prev;
	insert_after(m, object, prev, t);
}

void model_queue_remove(struct model *m, uint32_t object, uint32_t t)
{
	struct model_object *o = model_object(m, object);
	struct model_thread *thread = model_thread(m, t);
	FMC_ASSERT(o->sleepers > 0);
	if (thread->prev == NO_THREAD)
		o->first = thread->next;
	else
		model_thread(m, thread->prev)->next = thread->next;
	if (thread->next == NO_THREAD)
		o->last = thread->prev;
	else
		model_thread(m, thread->next)->prev = thread->prev;
	thread->next = thread->prev = NO_THREAD;
	o->sleepers--;
}

static enum wakeup policy_of(const struct model_object *o)
{
	bool writers = o->class == CLASS_RWLOCK && o->type == RWLOCK_WRITERS && o->wakeup == WAKE_ANY;
	return writers ? WAKE_WRITERS : (enum wakeup)o->wakeup;
}

bool model_queues(const struct model *m, const struct op *op)
{
	if (!op_queues(op->kind) || op->object == NO_OBJECT || model_awaited(op) == NO_OBJECT)
		return false;
	enum wakeup wakeup = policy_of(model_object_const(m, model_awaited(op)));
	/* Those who give way don't have to be known. */
	if (wakeup == WAKE_READERS || wakeup == WAKE_WRITERS)
		return op_reads(op->kind) == (wakeup == WAKE_READERS);
	return wakeup != WAKE_ANY;
}

bool model_turn(const struct model *m, uint32_t t)
{
	const struct op *op = &model_thread_const(m, t)->op;
	const struct model_object *o = model_object_const(m, model_awaited(op));
	bool queued = op->flags & OP_QUEUED;
	switch (policy_of(o)) {
	case WAKE_FIFO:
		return queued ? o->first == t : o->sleepers == 0;
	case WAKE_LIFO:
		return queued ? o->last == t : true;
	case WAKE_READERS:
		return op_reads(op->kind) || o->sleepers == 0;
	case WAKE_WRITERS:
		return !op_reads(op->kind) || o->sleepers == 0;
	default:
		return true;
	}
}

/* Where mutexes are handed over in an order, a woken thread is in the queue of the mutex at once. */
void model_cond_wake(struct model *m, uint32_t t, int64_t result)
{
	struct op *op = &model_thread(m, t)->op;
	FMC_ASSERT(op->kind == OP_COND_ASLEEP);
	model_queue_remove(m, op->object, t);
	op->kind = OP_COND_RELOCK;
	op->arg = result;
	if (!model_queues(m, op))
		return;
	op->flags |= OP_QUEUED;
	model_queue_append(m, op->object2, t);
}
