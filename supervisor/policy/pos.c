/*
 * Partial order sampling: Yuan, Yang and Gu, Partial Order Aware Concurrency Sampling, CAV 2018.
 *
 * Every pending operation has a random priority of its own and the highest one that can run does. Then those
 * that it races with are given new ones, so that which of two conflicting operations comes first doesn't
 * depend on what was drawn for earlier ones.
 */
#include "supervisor/policy/state.h"

static bool names(const struct op *op, enum object_class class, uint32_t object)
{
	return object != NO_OBJECT && ((op_class(op->kind) == class && op->object == object) ||
				       (op_class2(op->kind) == class && op->object2 == object));
}

/* Sharing an object is enough here: a redrawn priority is never wrong. */
static bool races(const struct op *a, const struct op *b)
{
	return names(b, op_class(a->kind), a->object) || names(b, op_class2(a->kind), a->object2);
}

size_t policy_pos_choose(struct policy_state *state, const struct policy_view *view)
{
	bool wild = policy_draw_wild(state, view);
	return policy_draw_choice(state, view, policy_highest(state, view, wild), wild);
}

void policy_pos_took(struct policy_state *state, const struct policy_view *view, size_t taken)
{
	uint32_t t = view->alternatives[taken].step.thread;
	const struct op *op = model_pending(view->model, t);
	for (uint32_t u = 0; u < state->threads; u++)
		if (u == t || races(op, model_pending(view->model, u)))
			state->thread[u].priority = policy_random_next(&state->random);
}
