/*
 * Delay bounding: Emmi, Qadeer and Rakamaric, Delay-Bounded Scheduling, POPL 2011.
 *
 * The default policy is the deterministic scheduler. A delay passes over the thread that it would take, so
 * that an alternative costs as many delays as threads come before its own in that policy's order. Which
 * choice of its operation a thread takes costs nothing.
 */
#include "supervisor/policy/policy.h"
#include "supervisor/search/context_bound.h"

#include <stdlib.h>

static bool reserve(struct context_bound *search, size_t length)
{
	if (length <= search->costs_room)
		return true;
	struct alternative *costs = reallocarray(search->costs, length, 2 * sizeof *costs);
	if (!costs)
		return false;
	search->costs = costs;
	search->costs_room = 2 * length;
	return true;
}

/* The same search as for preemptions, over a trace whose alternatives cost their delays. */
static enum status delay_feed(void *strategy, uint64_t ticket, const struct trace *trace)
{
	struct context_bound *search = strategy;
	if (!reserve(search, trace->alternatives_length))
		return STATUS_NO_MEMORY;
	uint32_t previous = NO_THREAD;
	for (size_t i = 0; i < trace->length; i++) {
		const struct transition *at = &trace->at[i];
		const struct alternative *open = trace->alternatives + at->first_alternative;
		for (uint32_t a = 0; a < at->alternatives; a++) {
			uint32_t delays = policy_delays(previous, open, at->alternatives, a);
			search->costs[at->first_alternative + a] = (struct alternative){
			    .step = open[a].step,
			    .preemption = (uint8_t)(delays < UINT8_MAX ? delays : UINT8_MAX),
			    .timeout = open[a].timeout,
			};
		}
		previous = at->thread;
	}
	struct trace delayed = *trace;
	delayed.alternatives = search->costs;
	return context_bound_feed(search, ticket, &delayed);
}

const struct strategy_ops search_delay = {
    .name = "delay",
    .bounded = true,
    .usual = UINT32_MAX,
    .several = true,
    .create = context_bound_create,
    .destroy = context_bound_destroy,
    .next = context_bound_next,
    .feed = delay_feed,
    .progress = context_bound_progress,
    .save = context_bound_save,
    .load = context_bound_load,
};
