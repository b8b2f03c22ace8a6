#ifndef FMC_SUPERVISOR_CLI_EXPLORE_PROGRESS_H
#define FMC_SUPERVISOR_CLI_EXPLORE_PROGRESS_H

#include "supervisor/cli/verdict/verdict.h"

#include <fmc/supervisor/search.h>

/* One line on standard error that tells how far the search is; nothing where that is no terminal. */
struct progress {
	bool on;
	bool shown;
	unsigned jobs;	      /* executions at a time */
	uint64_t earlier;     /* executions before this run */
	uint64_t begin, last; /* clock_now() */
};

void progress_init(struct progress *progress, unsigned jobs);

/* May be called as often as wanted. `depth`: transitions of the execution that runs now. */
void progress_update(struct progress *progress, const char *strategy, const struct search_progress *search,
		     const struct verdict *verdict, uint64_t depth);

/* Wipe the line, before anything else is printed. */
void progress_clear(struct progress *progress);

#endif
