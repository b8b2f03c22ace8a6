/* Is the next operation of a thread one that it must not make? One function for each class of objects. */
#include "supervisor/state/family.h"

#include <fmc/breakpoints/plugin.h>

#include <limits.h>

/* Others return EPERM. */
static bool unlocks_blindly(uint32_t type)
{
	uint32_t kind = type & MUTEX_TYPE_MASK;
	return !(type & MUTEX_ROBUST) && (kind == MUTEX_NORMAL || kind == MUTEX_ADAPTIVE);
}

static enum misuse of_unlock(const struct object_state *state, uint32_t t)
{
	if (state->owner == t)
		return MISUSE_NONE;
	return state->owner == NO_THREAD ? MISUSE_UNLOCK_FREE : MISUSE_UNLOCK_OTHERS;
}

static enum misuse of_destroy(bool held, const struct object_state *state)
{
	if (held)
		return MISUSE_DESTROY_HELD;
	return state->sleepers > 0 ? MISUSE_DESTROY_WAITED : MISUSE_NONE;
}

enum misuse misuse_mutex(const struct model *m, uint32_t t, const struct op *op,
			 const struct object_state *state)
{
	(void)m;
	if (op->kind == OP_MUTEX_DESTROY)
		return of_destroy(state->owner != NO_THREAD, state);
	if (op->kind == OP_MUTEX_UNLOCK && unlocks_blindly(state->type))
		return of_unlock(state, t);
	return MISUSE_NONE;
}

/* Does a thread sleep there that gave back another mutex? */
static bool has_another_mutex(const struct model *m, const struct op *op)
{
	for (uint32_t u = 0; u < model_threads(m); u++) {
		const struct op *other = model_pending(m, u);
		if (other->kind == OP_COND_ASLEEP && other->object == op->object &&
		    other->object2 != op->object2)
			return true;
	}
	return false;
}

enum misuse misuse_cond(const struct model *m, uint32_t t, const struct op *op,
			const struct object_state *state)
{
	struct object_state mutex;
	if (op->kind == OP_COND_DESTROY)
		return of_destroy(false, state);
	if ((op->kind != OP_COND_WAIT && op->kind != OP_COND_TIMEDWAIT) || op->object2 == NO_OBJECT)
		return MISUSE_NONE;
	model_object_state(m, op->object2, &mutex);
	if (unlocks_blindly(mutex.type) && mutex.owner != t)
		return MISUSE_WAIT_WITHOUT;
	return has_another_mutex(m, op) ? MISUSE_TWO_MUTEXES : MISUSE_NONE;
}

enum misuse misuse_rwlock(const struct model *m, uint32_t t, const struct op *op,
			  const struct object_state *state)
{
	(void)m;
	bool held = state->owner != NO_THREAD || state->count > 0;
	if (op->kind == OP_RWLOCK_DESTROY)
		return of_destroy(held, state);
	if (op->kind != OP_RWLOCK_UNLOCK)
		return MISUSE_NONE;
	if (!held)
		return MISUSE_UNLOCK_FREE;
	/* The readers aren't known. */
	return state->owner != NO_THREAD && state->owner != t ? MISUSE_UNLOCK_OTHERS : MISUSE_NONE;
}

/* An unlock of a free spinlock may be glibc's pthread_spin_init, which is the same function. */
enum misuse misuse_spin(const struct model *m, uint32_t t, const struct op *op,
			const struct object_state *state)
{
	(void)m;
	if (op->kind == OP_SPIN_DESTROY)
		return of_destroy(state->owner != NO_THREAD, state);
	bool others = op->kind == OP_SPIN_UNLOCK && state->owner != NO_THREAD && state->owner != t;
	return others ? MISUSE_UNLOCK_OTHERS : MISUSE_NONE;
}

enum misuse misuse_barrier(const struct model *m, uint32_t t, const struct op *op,
			   const struct object_state *state)
{
	(void)m;
	(void)t;
	if (op->kind == OP_BARRIER_DESTROY)
		return of_destroy(false, state);
	return op->kind == OP_BARRIER_WAIT && state->count == 0 ? MISUSE_UNMADE : MISUSE_NONE;
}

enum misuse misuse_sem(const struct model *m, uint32_t t, const struct op *op,
		       const struct object_state *state)
{
	(void)m;
	(void)t;
	if (op->kind == OP_SEM_DESTROY)
		return of_destroy(false, state);
	return op->kind == OP_SEM_POST && state->count >= INT_MAX ? MISUSE_OVERFLOW : MISUSE_NONE;
}

/* What the plug-in would say if it was performed. */
enum misuse misuse_user(const struct model *m, uint32_t t, const struct op *op,
			const struct object_state *state)
{
	static const enum misuse misuses[] = {
	    [FMC_FINE] = MISUSE_NONE,
	    [FMC_UNLOCKS_FREE] = MISUSE_UNLOCK_FREE,
	    [FMC_UNLOCKS_OTHERS] = MISUSE_UNLOCK_OTHERS,
	    [FMC_DESTROYS_HELD] = MISUSE_DESTROY_HELD,
	    [FMC_DESTROYS_AWAITED] = MISUSE_DESTROY_WAITED,
	    [FMC_USES_DESTROYED] = MISUSE_DESTROYED,
	    [FMC_WAITS_UNMADE] = MISUSE_UNMADE,
	};
	struct object_state after = *state;
	struct fmc_effect effect;
	(void)m;
	if (!plugin_enabled(op, t, after.user))
		return MISUSE_NONE;
	plugin_apply(op, t, after.user, &effect);
	return misuses[effect.misuse];
}
