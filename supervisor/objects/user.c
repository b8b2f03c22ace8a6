/*
 * Operations that a plug-in describes: the object's state is the plug-in's, and so is what becomes of it.
 *
 *     pending  -(apply)->                          performed, the real function runs to its end
 *     pending  -(apply, fmc_effect.waits)->  OP_WAITS, its object knows that it has come
 *     OP_WAITS -(enabled; apply)->                 performed
 */
#include "supervisor/objects/objects.h"
#include "supervisor/state/family.h"
#include "supervisor/state/state.h"
#include "supervisor/state/touch.h"

#include <fmc/breakpoints/plugin.h>

static bool ready(const struct model *m, uint32_t t)
{
	const struct op *op = &model_thread_const(m, t)->op;
	return plugin_enabled(op, t, model_user_const(m, op->object));
}

static void perform(struct model *m, uint32_t t, int32_t choice, const struct observation *seen,
		    struct effect *effect)
{
	struct op *op = &model_thread(m, t)->op;
	struct fmc_effect answer;
	(void)choice;
	(void)seen;
	plugin_apply(op, t, model_user(m, op->object), &answer);
	effect->yield = answer.yields;
	if (answer.waits) {
		op->flags |= OP_WAITS;
		effect->asleep = effect->blocked = true;
	} else if (answer.predicted) {
		effect_result(effect, answer.result);
	}
}

static uint32_t holder(const struct model *m, uint32_t object)
{
	uint32_t thread = plugin_holder(model_object_class(m, object), model_user_const(m, object));
	return thread < m->threads ? thread : NO_THREAD;
}

/* Would the pending operation of t, on an object in this state, leave all as it is? */
static bool only_reads(const struct op *op, uint32_t t, struct object_state state)
{
	struct fmc_effect effect;
	if (!plugin_enabled(op, t, state.user))
		return false;
	plugin_apply(op, t, state.user, &effect);
	return effect.reads;
}

/*
 * Operations a and b of a class that depend on each other, while those of their own kind commute: each adds to what the
 * other reads.
 */
static void touch_dependent(struct footprint *footprint, uint32_t a, uint32_t b, uint32_t object, bool reads)
{
	if (a == b) {
		footprint_touch(footprint, touch_pair(a, a, object), reads ? TOUCH_READ : TOUCH_WRITE);
		return;
	}
	footprint_touch(footprint, touch_pair(b, a, object), TOUCH_READ);
	if (!reads)
		footprint_touch(footprint, touch_pair(a, b, object), TOUCH_ADD);
}

/* What the plug-in says of this operation and those that are pending, in the present state. */
static void check_independent(const struct model *m, uint32_t t, const struct op *op, uint32_t dependent)
{
	struct object_state state = state_of(m, op->object);
	for (uint32_t u = 0; u < model_threads(m); u++) {
		const struct op *other = model_pending(m, u);
		bool same = u != t && other->kind >= OP_USER && other->object == op->object;
		if (same && !(dependent >> plugin_number(other->kind) & 1))
			plugin_check(op, t, other, u, state.user);
	}
}

/* Of those that the plug-in takes for independent, two may still each disable a third, as readers do a writer. */
static void touches(struct footprint *footprint, const struct model *m, uint32_t t, const struct op *op,
		    int32_t choice)
{
	(void)choice;
	uint32_t number = plugin_number(op->kind), dependent = plugin_dependent(op->kind);
	bool reads = only_reads(op, t, state_of(m, op->object));
	if (dependent == PLUGIN_EVERY)
		touch_object(footprint, op->object, reads);
	else
		check_independent(m, t, op, dependent);
	for (uint32_t other = 0; dependent != PLUGIN_EVERY && dependent >> other; other++)
		if (dependent >> other & 1)
			touch_dependent(footprint, number, other, op->object, reads);
	if (!reads)
		touch(footprint, TOUCH_HOLDING, op->object, TOUCH_WRITE);
}

const struct family family_user = {
    .ready = ready, .perform = perform, .touch = touches, .misuse = misuse_user, .holder = holder};
