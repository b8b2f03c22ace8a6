#ifndef FMC_SUPERVISOR_CB_H
#define FMC_SUPERVISOR_CB_H

#include "cb_list.h"
#include "dfs_path.h"
#include "search_strategy.h"
#include "visited.h"

/* Iterative bounding, shared by cb.c and delay.c. */
struct cb {
	uint32_t most; /* the bound to stop at */
	uint32_t bound;
	struct dfs_path path;	/* below the present item */
	struct cb_list *levels; /* items by cost; at bound 0 the path starts with the only, empty, one */
	uint32_t levels_length;
	bool left_out; /* items that cost more than `most` exist */
	bool complete;
	uint64_t executions;
	uint64_t executions_before; /* at lower bounds */
	bool fair, sees_memory;
	struct happens_before *happens_before; /* NULL: without caching */
	struct visited visited;
	uint64_t redundant;	   /* executions that came to a state known */
	struct alternative *costs; /* delay.c: a trace's alternatives with their delays */
	size_t costs_room;
};

void *cb_create(const struct search_options *options);
void cb_destroy(void *strategy);
enum search_answer cb_next(void *strategy, struct plan *plan);

/* Takes alternative.preemption for what an alternative costs. */
enum status cb_feed(void *strategy, uint64_t ticket, const struct trace *trace);
void cb_progress(const void *strategy, struct search_progress *progress);

#endif
