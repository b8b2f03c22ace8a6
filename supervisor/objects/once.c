/*
 * Things to be done once: pthread_once(3p), and the guards of C++ static variables (Itanium C++ ABI, 3.3.3),
 * whose routine is the program's code between two calls.
 *
 *     new  -(OP_ONCE, OP_GUARD_ACQUIRE = 1, by t)->  run by t  -(OP_ONCE_END with 1, OP_GUARD_RELEASE)-> done
 *                                        run by t  -(OP_ONCE_END with 0, OP_GUARD_ABORT)->  new
 *     done  -(OP_ONCE = 0, OP_GUARD_ACQUIRE = 0)->  done
 *
 * While it is run others wait, its runner too if it comes again.
 */
#include "supervisor/objects/objects.h"
#include "supervisor/state/family.h"
#include "supervisor/state/state.h"
#include "supervisor/state/touch.h"

static bool ready(const struct model *m, uint32_t t)
{
	const struct op *op = &model_thread_const(m, t)->op;
	bool enters = op->kind == OP_ONCE || op->kind == OP_GUARD_ACQUIRE;
	return !enters || model_object_const(m, op->object)->count != ONCE_RUNS;
}

static void set_state(struct model_object *o, enum once_state state, uint32_t owner)
{
	o->count = state;
	o->owner = owner;
}

static void perform(struct model *m, uint32_t t, int32_t choice, const struct observation *seen,
		    struct effect *effect)
{
	(void)choice;
	(void)seen;
	const struct op *op = &model_thread(m, t)->op;
	struct model_object *o = model_object(m, op->object);
	bool first = o->count == ONCE_NEW;
	switch (op->kind) {
	case OP_ONCE:
	case OP_GUARD_ACQUIRE:
		if (first)
			set_state(o, ONCE_RUNS, t);
		/* The result of a pthread_once that runs the routine comes long after. */
		if (op->kind == OP_GUARD_ACQUIRE || !first)
			effect_result(effect, first);
		return;
	case OP_ONCE_END:
		set_state(o, op->arg ? ONCE_DONE : ONCE_NEW, NO_THREAD);
		effect->blocked = true;
		return;
	case OP_GUARD_RELEASE:
		set_state(o, ONCE_DONE, NO_THREAD);
		return;
	default:
		set_state(o, ONCE_NEW, NO_THREAD);
	}
}

const struct family family_once = {.ready = ready, .perform = perform, .touch = touch_any};
