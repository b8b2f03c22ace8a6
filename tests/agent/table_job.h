#ifndef FMC_TESTS_TABLE_JOB_H
#define FMC_TESTS_TABLE_JOB_H

#include "tests/table/table.h"

/* What the agent's image for tests is asked to do: run this plan on this program. Its entry point is of the type table_enter. */
struct table_job {
	const struct table_program *program;
	const struct plan *plan;
	struct trace trace; /* what came of it, in the arena: valid until the next job */
	bool full;	    /* the arena had no room for it */
};

typedef void table_enter(struct table_job *job, void *arena, size_t size);

#endif
