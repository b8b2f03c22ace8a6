/*
 * Delay bounding: Emmi, Qadeer and Rakamaric, Delay-Bounded Scheduling, POPL 2011.
 *
 * The default policy is the deterministic scheduler. A delay passes over the thread that it would take, so
 * that an alternative costs as many delays as threads come before its own in that policy's order. Which
 * choice of its operation a thread takes costs nothing.
 */
#include "supervisor/policy/policy.h"
#include "supervisor/search/cb.h"

#include <stdlib.h>

static bool reserve(struct cb *cb, size_t length)
{
	if (length <= cb->costs_room)
		return true;
	struct alternative *costs = reallocarray(cb->costs, length, 2 * sizeof *costs);
	if (!costs)
		return false;
	cb->costs = costs;
	cb->costs_room = 2 * length;
	return true;
}

/* The same search as for preemptions, over a trace whose alternatives cost their delays. */
static enum status delay_feed(void *strategy, uint64_t ticket, const struct trace *trace)
{
	struct cb *cb = strategy;
	if (!reserve(cb, trace->alternatives_length))
		return STATUS_NO_MEMORY;
	uint32_t previous = NO_THREAD;
	for (size_t i = 0; i < trace->length; i++) {
		const struct transition *at = &trace->at[i];
		const struct alternative *open = trace->alternatives + at->first_alternative;
		for (uint32_t a = 0; a < at->alternatives; a++) {
			uint32_t delays = policy_delays(previous, open, at->alternatives, a);
			cb->costs[at->first_alternative + a] = (struct alternative){
			    .step = open[a].step,
			    .preemption = (uint8_t)(delays < UINT8_MAX ? delays : UINT8_MAX),
			    .timeout = open[a].timeout,
			};
		}
		previous = at->thread;
	}
	struct trace delayed = *trace;
	delayed.alternatives = cb->costs;
	return cb_feed(cb, ticket, &delayed);
}

const struct strategy_ops search_delay = {
    .name = "delay",
    .bounded = true,
    .usual = UINT32_MAX,
    .several = true,
    .create = cb_create,
    .destroy = cb_destroy,
    .next = cb_next,
    .feed = delay_feed,
    .progress = cb_progress,
    .save = cb_save,
    .load = cb_load,
};
