/*
 * Mutexes: pthread_mutex_lock(3p), pthread_mutexattr_setrobust(3), and where those leave it open, glibc.
 *
 *                        model_mutex_take = 0
 *         free  ------------------------------------->  held by t  --.  model_mutex_take = 0 (recursive)
 *          ^    <-------------------------------------     |   ^  <--'  model_mutex_unlock = 0 (count > 1)
 *          |             model_mutex_unlock = 0            |   |
 *          | OP_MUTEX_INIT, from any                       |   | OP_MUTEX_CONSISTENT = 0
 *          |                       model_mutex_owner_died  |   |
 *     unrecoverable                                        v   |
 *          ^   model_mutex_unlock = 0    inconsistent,  <---- dead
 *          '---------------------------- held by t           model_mutex_take = EOWNERDEAD
 *
 * The lower row exists for robust mutexes only; an inconsistent mutex whose holder exits is dead again. A
 * mutex that isn't robust stays held by a thread that has exited.
 */
#include "supervisor/objects/objects.h"
#include "supervisor/state/family.h"
#include "supervisor/state/state.h"
#include "supervisor/state/touch.h"

#define WOULD_BLOCK (-1)

static uint32_t kind_of(const struct model_object *o)
{
	return o->type & MUTEX_TYPE_MASK;
}

static bool checks_owner(const struct model_object *o)
{
	return o->type & MUTEX_ROBUST || kind_of(o) == MUTEX_RECURSIVE || kind_of(o) == MUTEX_ERRORCHECK;
}

/* What the lock function returns to t now, WOULD_BLOCK if it would not return. */
static int32_t lock_result(const struct model_object *o, uint32_t t)
{
	if (o->flags & MUTEX_UNRECOVERABLE)
		return MODEL_ENOTRECOVERABLE;
	if (o->owner == NO_THREAD)
		return o->flags & MUTEX_DEAD ? MODEL_EOWNERDEAD : 0;
	if (o->owner != t)
		return WOULD_BLOCK;
	if (kind_of(o) == MUTEX_RECURSIVE)
		return o->count == UINT32_MAX ? MODEL_EAGAIN : 0;
	return kind_of(o) == MUTEX_ERRORCHECK ? MODEL_EDEADLK : WOULD_BLOCK;
}

bool model_mutex_could_take(const struct model *m, uint32_t mutex, uint32_t t)
{
	return lock_result(model_object_const(m, mutex), t) != WOULD_BLOCK;
}

int32_t model_mutex_take(struct model *m, uint32_t mutex, uint32_t t)
{
	struct model_object *o = model_object(m, mutex);
	int32_t result = lock_result(o, t);
	FMC_ASSERT(result != WOULD_BLOCK);
	if (result != 0 && result != MODEL_EOWNERDEAD)
		return result;
	if (o->owner == NO_THREAD && o->type & MUTEX_ROBUST)
		model_thread(m, t)->robust_held++;
	if (result == MODEL_EOWNERDEAD)
		o->flags = (uint8_t)((o->flags & ~MUTEX_DEAD) | MUTEX_INCONSISTENT);
	o->owner = t;
	o->count++;
	return result;
}

/* Free and as new, but for type and OBJECT_DESTROYED. */
static void release(struct model *m, struct model_object *o)
{
	if (o->owner != NO_THREAD && o->type & MUTEX_ROBUST)
		model_thread(m, o->owner)->robust_held--;
	o->owner = NO_THREAD;
	o->count = 0;
	o->flags &= OBJECT_DESTROYED;
}

int32_t model_mutex_unlock(struct model *m, uint32_t mutex, uint32_t t)
{
	struct model_object *o = model_object(m, mutex);
	if (checks_owner(o) && o->owner != t)
		return MODEL_EPERM;
	bool inconsistent = o->flags & MUTEX_INCONSISTENT;
	if (o->count > 1) {
		o->count--;
		return inconsistent ? MODEL_ENOTRECOVERABLE : 0;
	}
	release(m, o);
	if (inconsistent)
		o->flags |= MUTEX_UNRECOVERABLE;
	return 0;
}

/* The kernel's walk of the robust list of a thread that exits. */
void model_mutex_owner_died(struct model *m, uint32_t t)
{
	for (uint32_t i = 0; i < m->objects && model_thread(m, t)->robust_held > 0; i++) {
		struct model_object *o = model_object(m, i);
		if (o->class != CLASS_MUTEX || o->owner != t || !(o->type & MUTEX_ROBUST))
			continue;
		uint8_t inconsistent = o->flags & MUTEX_INCONSISTENT;
		release(m, o);
		o->flags |= MUTEX_DEAD | inconsistent;
	}
}

void model_mutex_add(struct model *m, struct model_object *o, const struct object_state *state)
{
	o->type = (uint8_t)state->type;
	if (state->owner == NO_THREAD)
		return;
	struct model_thread *owner = model_thread(m, state->owner);
	if (o->type & MUTEX_ROBUST && owner->run == THREAD_EXITED) {
		o->flags = MUTEX_DEAD;
		return;
	}
	o->owner = state->owner;
	o->count = kind_of(o) == MUTEX_RECURSIVE && state->count > 1 ? state->count : 1;
	if (o->type & MUTEX_ROBUST)
		owner->robust_held++;
}

/* Linux's priorities of SCHED_FIFO, which glibc takes ceilings from. */
enum { CEILING_LEAST = 1, CEILING_MOST = 99 };

/*
 * pthread_mutex_setprioceiling(3p) locks the mutex whatever the caller's priority is, sets the ceiling and unlocks it. What it
 * returns to t now, WOULD_BLOCK as above. glibc lets the holder of a recursive mutex set its ceiling.
 */
static int32_t ceiling_result(const struct model_object *o, int64_t ceiling, uint32_t t)
{
	if (!(o->type & MUTEX_CEILING) || ceiling < CEILING_LEAST || ceiling > CEILING_MOST)
		return MODEL_EINVAL;
	if (o->owner == NO_THREAD)
		return 0;
	if (o->owner != t)
		return WOULD_BLOCK;
	if (kind_of(o) == MUTEX_RECURSIVE)
		return 0;
	return kind_of(o) == MUTEX_ERRORCHECK ? MODEL_EDEADLK : WOULD_BLOCK;
}

static bool ready(const struct model *m, uint32_t t)
{
	const struct op *op = &model_thread_const(m, t)->op;
	if (op->kind == OP_MUTEX_SETPRIOCEILING)
		return ceiling_result(model_object_const(m, op->object), op->arg, t) != WOULD_BLOCK;
	if (op->kind != OP_MUTEX_LOCK && op->kind != OP_MUTEX_TIMEDLOCK)
		return true;
	return model_mutex_could_take(m, op->object, t);
}

static void trylock(struct model *m, uint32_t mutex, uint32_t t, struct effect *effect)
{
	const struct model_object *o = model_object(m, mutex);
	int32_t result = lock_result(o, t);
	/* Of those who hold it already, glibc answers only robust mutexes as lock does. */
	if (result == WOULD_BLOCK || (result == MODEL_EDEADLK && !(o->type & MUTEX_ROBUST)))
		result = MODEL_EBUSY;
	if (result == 0 || result == MODEL_EOWNERDEAD) {
		effect_result(effect, model_mutex_take(m, mutex, t));
		return;
	}
	effect_failed(effect, result);
	/* glibc's own function (2.36) would answer this and yet keep the mutex locked for ever. */
	effect->blocked = result == MODEL_ENOTRECOVERABLE;
}

/* glibc doesn't ask who calls. A dead mutex that nobody had made consistent before can be made so, in vain.
 */
static int32_t consistent(struct model_object *o)
{
	if (!(o->flags & MUTEX_INCONSISTENT))
		return MODEL_EINVAL;
	o->flags &= (uint8_t)~MUTEX_INCONSISTENT;
	return 0;
}

/* glibc keeps no count of users of a robust mutex, and so destroys a held one. */
static int32_t destroy(struct model *m, struct model_object *o)
{
	if (o->owner != NO_THREAD && !(o->type & MUTEX_ROBUST))
		return MODEL_EBUSY;
	release(m, o);
	/* It stays usable: memory may be initialised again without a call that anybody sees. */
	o->flags = OBJECT_DESTROYED;
	return 0;
}

static void initialise(struct model *m, struct model_object *o, uint8_t type)
{
	release(m, o);
	o->flags = 0;
	o->type = type;
}

static void perform(struct model *m, uint32_t t, int32_t choice, const struct observation *seen,
		    struct effect *effect)
{
	(void)seen;
	const struct op *op = &model_thread(m, t)->op;
	struct model_object *o = model_object(m, op->object);
	bool destroyed = o->flags & OBJECT_DESTROYED;
	switch (op->kind) {
	case OP_MUTEX_INIT:
		initialise(m, o, (uint8_t)op->arg);
		effect_result(effect, 0);
		return;
	case OP_MUTEX_DESTROY:
		effect_result(effect, destroy(m, o));
		break;
	case OP_MUTEX_TRYLOCK:
		trylock(m, op->object, t, effect);
		break;
	case OP_MUTEX_UNLOCK:
		effect_result(effect, model_mutex_unlock(m, op->object, t));
		break;
	case OP_MUTEX_CONSISTENT:
		effect_result(effect, consistent(o));
		break;
	case OP_MUTEX_SETPRIOCEILING:
		effect_result(effect, ceiling_result(o, op->arg, t));
		/* Its holder gets the new priority, which the kernel may refuse. */
		effect->result_known = effect->result != 0 || o->owner == NO_THREAD;
		break;
	default:
		if (choice == CHOICE_TIMEOUT) {
			effect_timed_out(effect, MODEL_ETIMEDOUT);
			return;
		}
		effect_result(effect, model_mutex_take(m, op->object, t));
	}
	if (destroyed)
		effect->result_known = false;
}

const struct family family_mutex = {
    .ready = ready, .perform = perform, .touch = touch_lock, .misuse = misuse_mutex};
