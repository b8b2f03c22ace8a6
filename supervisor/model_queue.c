/*
 * The queues of those who sleep at a condition variable or a futex word: doubly linked by thread number, a
 * thread being in one queue at most.
 */
#include "supervisor/model_state.h"

void model_queue_append(struct model *m, uint32_t object, uint32_t t)
{
	struct model_object *o = model_object(m, object);
	struct model_thread *thread = model_thread(m, t);
	thread->next = NO_THREAD;
	thread->prev = o->last;
	if (o->last == NO_THREAD)
		o->first = t;
	else
		model_thread(m, o->last)->next = t;
	o->last = t;
	o->sleepers++;
}

void model_queue_remove(struct model *m, uint32_t object, uint32_t t)
{
	struct model_object *o = model_object(m, object);
	struct model_thread *thread = model_thread(m, t);
	MODEL_ASSERT(o->sleepers > 0);
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
