#ifndef FMC_SUPERVISOR_SEARCH_CONTEXT_BOUND_H
#define FMC_SUPERVISOR_SEARCH_CONTEXT_BOUND_H

#include "supervisor/search/bound_cache.h"
#include "supervisor/search/bound_queue.h"
#include "supervisor/tree/branches.h"
#include "supervisor/tree/search_strategy.h"

/* Iterative bounding, shared by context_bound.c and delay.c. */
struct context_bound {
	uint32_t most; /* the bound to stop at */
	uint32_t bound;
	uint32_t fair_k;
	bool delays, sees_memory;
	struct branches branches; /* within the bound, below those of its items that have been taken */
	struct bound_queue
	    *levels; /* items by cost; at bound 0 there is one, without any steps, and no list */
	uint32_t levels_length;
	bool left_out; /* items that cost more than `most` exist */
	bool complete;
	uint64_t executions;
	uint64_t executions_before; /* at lower bounds */
	uint64_t items;		    /* of the present bound */
	struct bound_cache *states; /* NULL: without caching */
	uint64_t redundant;	    /* executions that came to a state known */
	struct alternative *costs;  /* delay.c: a trace's alternatives with their delays */
	size_t costs_room;
	/* Of the trace that is fed: its steps, and its alternatives that are to be run within the bound. */
	struct step *steps;
	struct branch_mark *marks;
	size_t steps_room, marks_room;
};

void *context_bound_create(const struct search_options *options);
void context_bound_destroy(void *strategy);
enum search_answer context_bound_next(void *strategy, struct plan *plan);

/* Takes alternative.preemption for what an alternative costs. */
enum status context_bound_feed(void *strategy, uint64_t ticket, const struct trace *trace);
void context_bound_progress(const void *strategy, struct search_progress *progress);
void context_bound_save(const void *strategy, struct saver *saver);
bool context_bound_load(void *strategy, struct loader *loader);

#endif
