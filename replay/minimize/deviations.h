#ifndef FMC_REPLAY_MINIMIZE_DEVIATIONS_H
#define FMC_REPLAY_MINIMIZE_DEVIATIONS_H

#include <fmc/supervisor/deviation.h>

/* The deviations of one schedule, in the order in which they happen. */
struct deviations {
	struct deviation *at;
	size_t length, room;
};

void deviations_release(struct deviations *list);

/*
 * What `trace` does otherwise than the default policy: a run with POLICY_DEVIATIONS and all of them repeats
 * it. False without memory.
 */
bool deviations_from_trace(struct deviations *list, const struct trace *trace);

#endif
