/*
 * Objects of the kernel of which it is asked whether a call would wait, and only when its thread's turn has come: locks of files,
 * semaphores and queues. A thread that would have to wait falls asleep in the model, and tries again after another one has changed the
 * object.
 *
 *     before a call -(it goes)-> performed, and the object is another one
 *           |  '----(it fails at once, perhaps because its wait would never end)-> performed, a yield
 *           '-------(it would wait)-> asleep, until the object is another one -> before the call
 */
#include "supervisor/objects/objects.h"
#include "supervisor/state/family.h"
#include "supervisor/state/state.h"
#include "supervisor/state/touch.h"

static bool ready(const struct model *m, uint32_t t)
{
	const struct op *op = &model_thread_const(m, t)->op;
	return model_kernel_never(op) || op->flags & OP_READY ||
	       op->arg3 != 1 + (int64_t)model_object_const(m, op->object)->count;
}

static void change(struct model_object *o, uint32_t t)
{
	o->count++;
	o->standing = t + 1;
}

/* One that transfers waits for the other object as well, of which the model knows. */
static bool both_ready(const struct model *m, uint32_t t)
{
	return ready(m, t) && model_kernel_second(m, &model_thread_const(m, t)->op);
}

static void perform(struct model *m, uint32_t t, int32_t choice, const struct observation *seen,
		    struct effect *effect)
{
	struct op *op = &model_thread(m, t)->op;
	struct model_object *o = model_object(m, op->object);
	(void)choice;
	FMC_ASSERT(seen != NULL);
	if (model_came_late(op, seen->word)) {
		op->arg3 = 1 + (int64_t)o->count;
		effect->asleep = effect->blocked = true;
	} else if (seen->word == TRIED_FAILS || model_kernel_lacks_second(m, op)) {
		effect->yield = true;
	} else {
		/* Nobody waits for where in a file somebody stands. */
		if (op->arg != 0 && op->kind != OP_FILE_READ && op->kind != OP_FILE_TO_FILE)
			change(o, t);
		/* Of a pipe the kernel tells. */
		if (op->arg != 0 && op->object2 != NO_OBJECT &&
		    (op_class2(op->kind) == op_class(op->kind) || op_class2(op->kind) == CLASS_NAME))
			change(model_object(m, op->object2), t);
	}
}

/* What changes nothing can be done in any order. */
static void touches(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
		    int32_t choice)
{
	(void)m;
	(void)t;
	(void)choice;
	touch_object(footprint, op->object, op->arg == 0 || model_kernel_only_reads(op, false));
	if (op->object2 != NO_OBJECT)
		touch_object(footprint, op->object2, op->arg == 0 || model_kernel_only_reads(op, true));
	if (op_class(op->kind) == CLASS_FILE_LOCK && op->arg == LOCK_OF_PROCESS)
		touch(footprint, TOUCH_LOCK_WAITS, 0, TOUCH_WRITE);
}

bool model_came_late(const struct op *op, uint32_t word)
{
	return op_tries(op) && word == TRIED_WAITS && !(op->flags & OP_READY) &&
	       (op->kind == OP_POLL || !model_kernel_never(op));
}

/* Which of them has changed last isn't kept: of a call that asks for several it is known if one thread alone has. */
static uint32_t asked_changed_last(const struct model *m, uint64_t asked)
{
	uint32_t last = NO_THREAD;
	for (uint32_t o = 0; o < m->objects && o < OP_ASKED_MOST; o++) {
		const struct model_object *object = model_object_const(m, o);
		if (!(asked >> o & 1) || object->class < CLASS_FILE_LOCK || object->standing == 0)
			continue;
		if (last != NO_THREAD && last != object->standing - 1)
			return NO_THREAD;
		last = object->standing - 1;
	}
	return last;
}

uint32_t model_changed_last(const struct model *m, const struct op *op)
{
	return op->kind == OP_POLL ? asked_changed_last(m, (uint64_t)op->arg2)
				   : model_object_const(m, op->object)->standing - 1;
}

const struct family family_tried = {.ready = both_ready, .perform = perform, .touch = touches};
