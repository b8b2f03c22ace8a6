/* What a transition touches of the priorities of fairness. */
#include <fmc/supervisor/fair_footprint.h>

#include <fmc/supervisor/bitset.h>

/* `changed` has become enabled or has ceased to be: a thread that yields to it may be schedulable or not because of it. */
static void touch_yielding(struct footprint *footprint, const struct fair *fair, uint32_t changed)
{
	for (uint32_t u = 0; u < fair_threads(fair); u++)
		if (fair_yields_to(fair, u, changed))
			footprint_touch(footprint, touch_key(TOUCH_PRIORITY, u), TOUCH_WRITE);
}

struct turn fair_turn(const struct model *after, uint32_t t, const struct op *op, uint32_t word, bool yield)
{
	const bool late = model_came_late(op, word);
	return (struct turn){t, yield, late, late ? model_changed_last(after, op) : NO_THREAD};
}

/*
 * [FAIR] Line 13 of Algorithm 1 releases the threads that yield to t, whatever t itself comes to. Where t comes late it keeps its
 * priority, and they may run as it isn't enabled any more.
 */
void fair_footprint(struct footprint *footprint, const struct fair *fair, const struct turn *turn,
		    const uint64_t *before, const uint64_t *after)
{
	const uint32_t t = turn->thread;
	for (uint32_t u = 0; u < fair_threads(fair); u++) {
		if (!turn->late && fair_yields_to(fair, u, t))
			footprint_touch(footprint, touch_key(TOUCH_PRIORITY, u), TOUCH_ADD);
		if ((turn->late || u != t) && bitset_has(before, u) != bitset_has(after, u))
			touch_yielding(footprint, fair, u);
	}
	if (fair_counts(fair, t, turn->yield))
		footprint_touch(footprint, touch_key(TOUCH_WINDOW, 0), TOUCH_WRITE);
}

bool fair_take(struct fair *fair, const struct turn *turn, const uint64_t *before, const uint64_t *after)
{
	if (!turn->late)
		return fair_step(fair, turn->thread, turn->yield, before, after);
	fair_late(fair, turn->thread, turn->by, after);
	return false;
}
