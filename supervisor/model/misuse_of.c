/* Which mistake an operation is, whatever its family. */
#include "supervisor/model/families.h"
#include "supervisor/state/family.h"

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
