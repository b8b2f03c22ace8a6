#ifndef FMC_SUPERVISOR_EXECUTION_STANDSTILL_H
#define FMC_SUPERVISOR_EXECUTION_STANDSTILL_H

#include <fmc/breakpoints/wait.h>
#include <fmc/tracer/activity.h>

/*
 * Proof that threads which were found waiting wait all at once, without being stopped for it: that there was a moment at which each
 * of them slept where it was found, with what it waits for in memory as it was found. Threads that are stopped one after the
 * other may be found so though one of them is always on its way: what the last one did before it was stopped woke one
 * that stood already.
 *
 *     standstill_begin() -> look at what isn't copied, in /proc -> standstill_end()
 */
struct standstill {
	struct activity *list;
	size_t length;
};

/*
 * Right after the look. Waits until the threads that it stopped in a system call sleep there again, or do something else. Nothing
 * is known then if the process is gone.
 */
void standstill_begin(struct standstill *standstill, const struct snapshot *snapshot);

/*
 * Which threads of the snapshot have run since they were found, or can't be shown not to have: awake, one for each, where who is
 * gone isn't. *newcomers: the
 * process has threads that the snapshot hasn't.
 */
void standstill_end(const struct standstill *standstill, struct snapshot *snapshot,
		    const struct inspection *inspection, bool *awake, bool *newcomers);

void standstill_release(struct standstill *standstill);

#endif
