#ifndef FMC_TESTS_CREW_H
#define FMC_TESTS_CREW_H

#include "table.h"

#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/search.h>

/*
 * Several plans of a search out at once, on a toy program: their traces come back in an order drawn by a seed.
 */
#define CREW_MOST 8

struct crew {
	uint32_t size; /* at most so many are out, 1 to CREW_MOST */
	struct table_machine machine;
	struct execution *execution;
	struct search *search; /* the caller's */
	struct plan out[CREW_MOST];
	uint32_t length;
	uint64_t random;
	uint64_t executions;
	bool elsewhere;	    /* the last one is another shard's */
	uint64_t later;	    /* how often fewer were out than might have been */
	enum status status; /* the first but STATUS_OK that search_feed() gave */
};

void crew_init(struct crew *crew, const struct table_program *program, struct search *search, uint32_t size,
	       uint64_t seed);
void crew_release(struct crew *crew);

/* Ask for plans, run one of those that are out and feed its trace; 0: nothing is left. Else the ticket. */
uint64_t crew_step(struct crew *crew, struct trace *trace);

#endif
