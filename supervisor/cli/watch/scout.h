#ifndef FMC_SUPERVISOR_CLI_WATCH_SCOUT_H
#define FMC_SUPERVISOR_CLI_WATCH_SCOUT_H

#include "supervisor/cli/watch/looks.h"

/*
 * Processes that are followed aren't watched. Which of their instructions access memory that they share is found by running executions once more in
 * a process of its own, in which all plain accesses that may be such make a stop: those that were kept, until `end` on clock_now(). What is found is
 * added to `races`, and `seen` says of how many. `why` holds one line when it isn't STATUS_OK: nothing was looked at.
 */
enum status scout_make(const struct looks *looks, const struct launch *launch, const struct options *options,
		       uint64_t end, struct memory_seen *seen, struct races *races, char why[256]);

#endif
