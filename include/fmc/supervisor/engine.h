#ifndef FMC_SUPERVISOR_ENGINE_H
#define FMC_SUPERVISOR_ENGINE_H

#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/process.h>

/*
 * The second way to run executions of a process: by the agent (agent.h), which runs them inside of a target. It takes what it can, and
 * whatever it doesn't is to be run by stops, by the same plan. What it gives is a trace that ended well; an execution in which something
 * is found isn't its business.
 */
struct engine;

/* Over this process, which outlives it. good_ends, ends_at_circles: as of the execution that runs the others. NULL without memory. */
struct engine *engine_new(struct process *process, const struct good_ends *good_ends, bool ends_at_circles);
void engine_free(struct engine *engine); /* NULL is allowed */

/* True: the trace is that of the plan. False: the plan is yet to be run. */
bool engine_run(struct engine *engine, const struct plan *plan, struct trace *trace);

#define ENGINE_WHY 160
struct engine_account {
	uint64_t run, refused; /* executions that it has run, and that it was asked for and hasn't; */
	char why[ENGINE_WHY];  /* the last time: a few words, empty if there was none */
	uint64_t stops; /* of its targets, at system calls that didn't lead to the agent by themselves yet */
};
struct engine_account engine_account(const struct engine *engine);

#endif
