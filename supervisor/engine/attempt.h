#ifndef FMC_SUPERVISOR_ENGINE_ATTEMPT_H
#define FMC_SUPERVISOR_ENGINE_ATTEMPT_H

#include "supervisor/engine/image.h"
#include "supervisor/starts/starts.h"

#include <fmc/breakpoints/leads.h>
#include <fmc/supervisor/engine.h>

/* The inside of the engine: engine.c decides, begin.c makes a target with the agent in it, turn.c lets it run. */
struct engine {
	struct process *process;
	struct good_ends good_ends;
	bool ends_at_circles;
	struct agent_region *region; /* NULL: not mapped yet */
	int file;		     /* which it is of */
	struct agent_table table;
	struct call_leads *calls;
	struct target *target; /* with the agent in it; NULL: there is none */
	bool lent;	       /* it has come there by itself, and isn't a copy */
	struct engine_account account;
	size_t left_for; /* which of its reasons the present execution is run by stops for */
	uint64_t begun;
	const struct trace
	    *begun_trace; /* what it had done of the last plan, which it gave up; NULL: that isn't known */
	bool compares;
	bool hesitates;
	uint64_t asked;	      /* for so many executions */
	bool off;	      /* not for this program */
	char why[ENGINE_WHY]; /* the last refusal; off: why */
};

/* A target that stands where executions begin, the agent in it, having had its first turn. STATUS_UNSUPPORTED: not for this program. */
enum status attempt_begin(struct engine *engine);

/* Why the plan is none for the agent; NULL: it is one. */
const char *attempt_hindrance(const struct plan *plan);

/* Such a plan into the region. */
void attempt_plan(struct engine *engine, const struct plan *plan);

/* Let the agent go until its turn is over; on any other value than STATUS_OK the target is of no use any more, and `why` says it. */
enum status attempt_turn(struct engine *engine);

#endif
