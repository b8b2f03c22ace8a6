#ifndef FMC_SUPERVISOR_SEARCH_CB_H
#define FMC_SUPERVISOR_SEARCH_CB_H

#include "supervisor/search/cb_list.h"
#include "supervisor/search/cb_states.h"
#include "supervisor/tree/branches.h"
#include "supervisor/tree/search_strategy.h"

/* Iterative bounding, shared by cb.c and delay.c. */
struct cb {
	uint32_t most; /* the bound to stop at */
	uint32_t bound;
	uint32_t fair_k;
	bool delays, sees_memory;
	struct branches branches; /* within the bound, below those of its items that have been taken */
	struct cb_list *levels;	  /* items by cost; at bound 0 there is one, without any steps, and no list */
	uint32_t levels_length;
	bool left_out; /* items that cost more than `most` exist */
	bool complete;
	uint64_t executions;
	uint64_t executions_before; /* at lower bounds */
	uint64_t items;		    /* of the present bound */
	struct cb_states *states;   /* NULL: without caching */
	uint64_t redundant;	    /* executions that came to a state known */
	struct alternative *costs;  /* delay.c: a trace's alternatives with their delays */
	size_t costs_room;
	/* Of the trace that is fed: its steps, and its alternatives that are to be run within the bound. */
	struct step *steps;
	struct branch_mark *marks;
	size_t steps_room, marks_room;
};

void *cb_create(const struct search_options *options);
void cb_destroy(void *strategy);
enum search_answer cb_next(void *strategy, struct plan *plan);

/* Takes alternative.preemption for what an alternative costs. */
enum status cb_feed(void *strategy, uint64_t ticket, const struct trace *trace);
void cb_progress(const void *strategy, struct search_progress *progress);
void cb_save(const void *strategy, struct saver *saver);
bool cb_load(void *strategy, struct loader *loader);

#endif
