/* Looking at a model: which thread waits for which. */
#include "supervisor/model/families.h"
#include "supervisor/objects/objects.h"
#include "supervisor/state/family.h"
#include "supervisor/state/state.h"
#include "supervisor/threads/threads.h"

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
	if (op->kind == OP_PROCESS_WAIT) {
		*object = model_process_blocker(m, t);
		*class = *object == NO_THREAD ? CLASS_NONE : CLASS_THREAD;
		return *object;
	}
	const bool second = op->kind == OP_COND_RELOCK || !model_kernel_second(m, op);
	*class = second ? op_class2(op->kind) : op_class(op->kind);
	if (*class == CLASS_NONE)
		return NO_THREAD;
	*object = second ? op->object2 : op->object;
	if (*class == CLASS_THREAD)
		return *object;
	return model_holder(m, *object);
}

/* The only thread that can let t go on, by giving back a lock or by its end; NO_THREAD: there isn't just one, or t needn't wait. */
static uint32_t held_back_by(const struct model *m, uint32_t t)
{
	enum object_class class;
	uint32_t object;
	if (model_exited(m, t) || model_enabled(m, t))
		return NO_THREAD;
	const uint32_t holder = model_waits_for(m, t, &class, &object);
	switch (class) {
	case CLASS_THREAD:
	case CLASS_MUTEX:
	case CLASS_RWLOCK:
	case CLASS_SPIN:
	case CLASS_ONCE:
		return holder;
	default:
		return NO_THREAD;
	}
}

bool model_in_circle(const struct model *m, uint32_t t)
{
	uint32_t next = t;
	for (uint32_t steps = 0; steps < model_threads(m) && next != NO_THREAD; steps++) {
		next = held_back_by(m, next);
		if (next == t)
			return true;
	}
	return false;
}
