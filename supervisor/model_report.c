/*
 * Looking at a model: the states of objects, who waits for whom.
 */
#include "supervisor/family.h"
#include "supervisor/model_state.h"

enum object_class model_object_class(const struct model *m, uint32_t object)
{
	return (enum object_class)model_object_const(m, object)->class;
}

/* Who comes now and isn't the last to come. */
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

uint32_t model_holder(const struct model *m, uint32_t object)
{
	const struct model_object *o = model_object_const(m, object);
	const struct family *family = family_of((enum object_class)o->class);
	return family->holder ? family->holder(m, object) : o->owner;
}

uint32_t model_waits_for(const struct model *m, uint32_t t, enum object_class *class, uint32_t *object)
{
	const struct op *op = model_pending(m, t);
	*class = CLASS_NONE;
	*object = NO_OBJECT;
	if (op->kind == OP_NONE || model_ready(m, t))
		return NO_THREAD;
	bool mutex2 = op->kind == OP_COND_RELOCK;
	*class = mutex2 ? op_class2(op->kind) : op_class(op->kind);
	if (*class == CLASS_NONE)
		return NO_THREAD;
	*object = mutex2 ? op->object2 : op->object;
	if (*class == CLASS_THREAD)
		return *object;
	return model_holder(m, *object);
}
