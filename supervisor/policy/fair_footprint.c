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

/* [FAIR] Line 13 of Algorithm 1 releases the threads that yield to t, whatever t itself comes to. */
void fair_footprint(struct footprint *footprint, const struct fair *fair, uint32_t t, const uint64_t *before,
		    const uint64_t *after, bool counted)
{
	for (uint32_t u = 0; u < fair_threads(fair); u++) {
		if (fair_yields_to(fair, u, t))
			footprint_touch(footprint, touch_key(TOUCH_PRIORITY, u), TOUCH_ADD);
		if (u != t && bitset_has(before, u) != bitset_has(after, u))
			touch_yielding(footprint, fair, u);
	}
	if (counted)
		footprint_touch(footprint, touch_key(TOUCH_WINDOW, 0), TOUCH_WRITE);
}
