/* What is always true of an object, without its queue: in constant time. */
#include "supervisor/state/check.h"

static const char *check_mutex(const struct model *m, const struct model_object *o)
{
	uint32_t robust_states = o->flags & (MUTEX_DEAD | MUTEX_INCONSISTENT | MUTEX_UNRECOVERABLE);
	bool held = o->owner != NO_THREAD;
	CHECK(!held || o->owner < m->threads, "the owner of a mutex is a thread");
	CHECK(held == (o->count > 0), "a mutex is locked as often as it has an owner");
	CHECK(o->count <= 1 || (o->type & MUTEX_TYPE_MASK) == MUTEX_RECURSIVE,
	      "only recursive mutexes are locked more than once");
	CHECK(robust_states == 0 || o->type & MUTEX_ROBUST, "only robust mutexes know of dead owners");
	CHECK(!(o->flags & MUTEX_INCONSISTENT) || held || o->flags & MUTEX_DEAD,
	      "an inconsistent mutex is held or dead");
	CHECK(!(o->flags & MUTEX_UNRECOVERABLE) || robust_states == MUTEX_UNRECOVERABLE,
	      "an unrecoverable mutex is nothing else");
	CHECK(!(o->flags & (MUTEX_DEAD | MUTEX_UNRECOVERABLE)) || !held,
	      "a mutex that is dead or unrecoverable is free");
	return NULL;
}

const char *model_check_object(const struct model *m, uint32_t object)
{
	if (object == NO_OBJECT)
		return NULL;
	const struct model_object *o = model_object_const(m, object);
	const bool empty = o->sleepers == 0;
	CHECK(o->class >= CLASS_MUTEX && o->class != CLASSES, "an object has a class");
	CHECK((o->first == NO_THREAD) == empty && (o->last == NO_THREAD) == empty,
	      "a queue with somebody in it has a first and a last thread");
	switch (o->class) {
	case CLASS_MUTEX:
		return check_mutex(m, o);
	case CLASS_SEM:
		CHECK(o->count <= INT32_MAX && o->unspent <= o->count,
		      "a semaphore's value is at most SEM_VALUE_MAX, and at least what is left of its first "
		      "one");
		return NULL;
	case CLASS_RWLOCK:
		CHECK(o->owner == NO_THREAD || o->count == 0, "nobody reads what is written");
		return NULL;
	case CLASS_SPIN:
		CHECK((o->owner != NO_THREAD) == (o->count == 1), "a spinlock is held by its owner");
		return NULL;
	case CLASS_ONCE:
		CHECK((o->owner != NO_THREAD) == (o->count == ONCE_RUNS), "somebody runs what runs");
		return NULL;
	default:
		return NULL;
	}
}
