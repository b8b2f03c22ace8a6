#ifndef FMC_SUPERVISOR_CLI_WORKERS_PART_WORKER_H
#define FMC_SUPERVISOR_CLI_WORKERS_PART_WORKER_H

#include "supervisor/cli/workers/jobs.h"

#include <fmc/supervisor/coverage.h>

/* A worker that searches parts. It remembers what it has told, so as not to tell it again. */
struct part_worker {
	struct session *session;
	const struct options *options;
	struct trace trace;
	struct coverage coverage; /* of its own executions */
	struct part_told {
		uint64_t digest; /* of how an execution ended */
		unsigned times;
	} * told;
	size_t told_length;
	unsigned inversions, leaks; /* warnings told */
	bool parted, goes_on;
	char *uncontrolled; /* the last that was told */
};

void part_worker_init(struct part_worker *worker, struct session *session, const struct options *options);
void part_worker_release(struct part_worker *worker);

/*
 * Search a part for its time, and put the report after what is there. Without a session none of it is run. False: the bytes are no part, or
 * without memory.
 */
bool part_worker_run(struct part_worker *worker, const struct job_part *part, const struct session_time *time,
		     struct saver *report);

#endif
