/*
 * Operations that a plug-in describes: the object's state is the plug-in's, and so is what becomes of it.
 *
 *     pending  -(apply)->                          performed, the real function runs to its end
 *     pending  -(apply, fmc_effect.waits)->  OP_WAITS, its object knows that it has come
 *     OP_WAITS -(enabled; apply)->                 performed
 */
#include "supervisor/model/family.h"
#include "supervisor/model/state.h"

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

const struct family family_user = {
    .ready = ready, .perform = perform, .touch = touch_user, .misuse = misuse_user, .holder = holder};
