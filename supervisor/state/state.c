/* Threads and objects of a model as they stand. */
#include "supervisor/state/state.h"

uint32_t model_thread_room(const struct model *m)
{
	return m->thread_room;
}

uint32_t model_object_room(const struct model *m)
{
	return m->object_room;
}

uint32_t model_threads(const struct model *m)
{
	return m->threads;
}

uint32_t model_objects(const struct model *m)
{
	return m->objects;
}

const struct op *model_pending(const struct model *m, uint32_t t)
{
	static const struct op none = {.kind = OP_NONE, .object = NO_OBJECT, .object2 = NO_OBJECT};
	const struct model_thread *thread = model_thread_const(m, t);
	return thread->run == THREAD_STOPPED ? &thread->op : &none;
}

const struct op *model_cut(const struct model *m, uint32_t t)
{
	const struct model_thread *thread = model_thread_const(m, t);
	return thread->flags & THREAD_CUT ? &thread->op : NULL;
}

bool model_exited(const struct model *m, uint32_t t)
{
	return model_thread_const(m, t)->run == THREAD_EXITED;
}

void model_object_life(struct model *m, uint32_t t)
{
	const struct op *op = &model_thread(m, t)->op;
	struct model_object *o = model_object(m, op->object);
	o->flags &= (uint8_t)~OBJECT_DESTROYED;
	o->flags |= op_destroys(op->kind) ? OBJECT_DESTROYED : 0;
}

enum object_class model_object_class(const struct model *m, uint32_t object)
{
	return (enum object_class)model_object_const(m, object)->class;
}

uint32_t model_object_owner(const struct model *m, uint32_t object)
{
	return model_object_const(m, object)->owner;
}

uint32_t model_object_type(const struct model *m, uint32_t object)
{
	return model_object_const(m, object)->type;
}

bool model_object_destroyed(const struct model *m, uint32_t object)
{
	return model_object_const(m, object)->flags & OBJECT_DESTROYED;
}

/* How many can still come without being the last to come. */
static uint32_t barrier_unspent(const struct model_object *o)
{
	return o->sleepers + 1 < o->count ? o->count - 1 - o->sleepers : 0;
}

void model_object_state(const struct model *m, uint32_t object, struct object_state *state)
{
	const struct model_object *o = model_object_const(m, object);
	state->class = (enum object_class)o->class;
	state->type = o->type;
	state->owner = o->owner;
	state->count = o->class == CLASS_COND || o->class == CLASS_FUTEX ? o->sleepers : o->count;
	state->wakeup = o->wakeup;
	state->spurious = o->spurious;
	state->standing = o->standing;
	state->unspent = o->class == CLASS_BARRIER ? barrier_unspent(o) : o->unspent;
	state->sleepers = o->sleepers;
	state->destroyed = o->flags & OBJECT_DESTROYED;
	if (o->class >= CLASS_USER)
		__builtin_memcpy(state->user, model_user_const(m, object), OBJECT_USER_BYTES);
}

bool model_holds_robust(const struct model *m, uint32_t t)
{
	return model_thread_const(m, t)->robust_held > 0;
}

bool model_joined(const struct model *m, uint32_t t)
{
	return model_thread_const(m, t)->flags & THREAD_JOINED;
}

bool model_joinable(const struct model *m, uint32_t t)
{
	return !(model_thread_const(m, t)->flags & (THREAD_JOINED | THREAD_DETACHED));
}
