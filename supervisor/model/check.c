/*
 * What is always true of a model. Each function checks one kind of thing and returns the sentence that fails.
 */
#include "supervisor/model/check.h"
#include "supervisor/state/check.h"

static bool stopped_at(const struct model_thread *thread, enum op_kind kind)
{
	return thread->run == THREAD_STOPPED && thread->op.kind == kind;
}

static const char *check_thread(const struct model *m, uint32_t t)
{
	const struct model_thread *thread = model_thread_const(m, t);
	CHECK(thread->run <= THREAD_EXITED, "a thread is stopped, running or has exited");
	CHECK(thread->run != THREAD_STOPPED || thread->op.kind != OP_NONE,
	      "a stopped thread has a pending operation");
	CHECK(!(thread->flags & THREAD_JOINED) || thread->run == THREAD_EXITED,
	      "a thread that was joined has exited");
	CHECK(model_sleeps(thread) || (thread->next == NO_THREAD && thread->prev == NO_THREAD),
	      "who does not sleep is in no queue");
	CHECK(thread->run != THREAD_EXITED || thread->robust_held == 0,
	      "a thread that has exited holds no robust mutex");
	CHECK(model_enabled(m, t) || !model_ready(m, t), "who is ready is enabled");
	CHECK(model_enabled(m, t) == (model_choices(m, t) > 0), "who is enabled has a choice");
	return NULL;
}

static const char *check_queue(const struct model *m, uint32_t object)
{
	const struct model_object *o = model_object_const(m, object);
	enum op_kind asleep = o->class == CLASS_COND	  ? OP_COND_ASLEEP
			      : o->class == CLASS_BARRIER ? OP_BARRIER_ASLEEP
							  : OP_FUTEX_ASLEEP;
	uint32_t before = NO_THREAD, n = 0;
	bool bed = o->class == CLASS_COND || o->class == CLASS_BARRIER || o->class == CLASS_FUTEX;
	CHECK(
	    o->sleepers == 0 || bed || o->wakeup != WAKE_ANY || o->class == CLASS_RWLOCK,
	    "one sleeps at condition variables, barriers and futexes, and stands in queues where there is an "
	    "order");
	for (uint32_t t = o->first; t != NO_THREAD; t = model_thread_const(m, t)->next) {
		const struct model_thread *thread = model_thread_const(m, t);
		CHECK(bed ? stopped_at(thread, asleep) : model_sleeps(thread) && thread->op.flags & OP_QUEUED,
		      "who is in a queue sleeps");
		CHECK(model_awaited(&thread->op) == object, "who is in a queue waits for its object");
		CHECK(thread->prev == before, "a queue reads the same in both directions");
		CHECK(++n <= o->sleepers, "a queue is as long as it says");
		before = t;
	}
	CHECK(o->last == before && n == o->sleepers, "a queue ends with its last thread");
	return NULL;
}

static const char *check_object(const struct model *m, uint32_t object)
{
	const char *sentence = model_check_object(m, object);
	return sentence ? sentence : check_queue(m, object);
}

static const char *check_totals(const struct model *m)
{
	uint32_t asleep = 0, queued = 0, robust = 0, held = 0;
	for (uint32_t t = 0; t < m->threads; t++) {
		asleep += model_sleeps(model_thread_const(m, t));
		robust += model_thread_const(m, t)->robust_held;
	}
	for (uint32_t i = 0; i < m->objects; i++) {
		const struct model_object *o = model_object_const(m, i);
		queued += o->sleepers;
		held += o->class == CLASS_MUTEX && o->type & MUTEX_ROBUST && o->owner != NO_THREAD;
	}
	CHECK(asleep == queued, "who sleeps is in one queue");
	CHECK(robust == held, "threads hold as many robust mutexes as are held");
	return NULL;
}

const char *model_check(const struct model *m)
{
	CHECK(m->threads <= m->thread_room && m->objects <= m->object_room, "a model fits its block");
	const char *sentence = NULL;
	for (uint32_t t = 0; t < m->threads && !sentence; t++)
		sentence = check_thread(m, t);
	for (uint32_t o = 0; o < m->objects && !sentence; o++)
		sentence = check_object(m, o);
	return sentence ? sentence : check_totals(m);
}
