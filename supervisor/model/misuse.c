/* Is the next operation of a thread one that it must not make? One function for each class of objects. */
#include "supervisor/model/family.h"

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

static enum misuse of_object(const struct model *m, uint32_t t, const struct op *op)
{
	struct object_state state;
	model_object_state(m, op->object, &state);
	const struct family *family = family_of(state.class);
	if (op_initialises(op->kind))
		return MISUSE_NONE;
	if (state.destroyed)
		return MISUSE_DESTROYED;
	return family->misuse ? family->misuse(m, t, op, &state) : MISUSE_NONE;
}

enum misuse misuse_of(const struct model *m, uint32_t t)
{
	const struct op *op = model_pending(m, t);
	enum object_class class = op_class((enum op_kind)op->kind);
	if (class == CLASS_NONE || op->object == NO_OBJECT || op->flags & OP_QUEUED)
		return MISUSE_NONE;
	/* A sleeping thread was right to when it fell asleep. */
	if (op->kind == OP_COND_ASLEEP || op->kind == OP_COND_RELOCK || op->kind == OP_BARRIER_RESUME)
		return MISUSE_NONE;
	if (class != CLASS_THREAD)
		return of_object(m, t, op);
	bool joins = op->kind == OP_THREAD_JOIN || op->kind == OP_THREAD_TIMEDJOIN;
	return joins && !model_joinable(m, op->object) ? MISUSE_JOIN_GONE : MISUSE_NONE;
}

const char *misuse_text(enum misuse misuse)
{
	static const char *const texts[MISUSES] = {
	    [MISUSE_NONE] = "does nothing wrong with %1",
	    [MISUSE_UNLOCK_FREE] = "unlocks %1, which nobody holds",
	    [MISUSE_UNLOCK_OTHERS] = "unlocks %1, which another thread holds",
	    [MISUSE_DESTROY_HELD] = "destroys %1, which is held",
	    [MISUSE_DESTROY_WAITED] = "destroys %1, where a thread waits",
	    [MISUSE_DESTROYED] = "uses %1, which has been destroyed",
	    [MISUSE_UNMADE] = "waits at %1, which has never been initialised",
	    [MISUSE_TWO_MUTEXES] =
		"waits for %1 with %2, while another thread waits there with another mutex",
	    [MISUSE_WAIT_WITHOUT] = "waits for %1 without holding %2",
	    [MISUSE_JOIN_GONE] = "joins %1, which has been joined or detached",
	    [MISUSE_OVERFLOW] = "posts %1 beyond SEM_VALUE_MAX",
	};
	return texts[(unsigned)misuse < MISUSES ? misuse : MISUSE_NONE];
}
