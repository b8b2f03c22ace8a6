#ifndef FMC_SUPERVISOR_ENGINE_H
#define FMC_SUPERVISOR_ENGINE_H

#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/process.h>

/*
 * The second way to run executions of a process: by the agent (agent.h), which runs them inside of a target. It takes what it can, and
 * whatever it doesn't is to be run by stops, by the same plan. What it gives is a trace that tells all of how the execution ended; what is found
 * there is to be confirmed by stops, which show more of it.
 */
struct engine;

/* Over this process, which outlives it. good_ends, ends_at_circles: as of the execution that runs the others. NULL without memory. */
struct engine *engine_new(struct process *process, const struct good_ends *good_ends, bool ends_at_circles);
void engine_free(struct engine *engine); /* NULL is allowed */

/* From now on these are good ends, as execution_expect() says it to the execution that runs the others. NULL is allowed. */
void engine_expect(struct engine *engine, const struct good_ends *good_ends);

/* One engine at a time has a target: before another one runs it lets its own go, and begins anew when it is asked for an execution again. NULL is allowed. */
void engine_rest(struct engine *engine);

/* Only where it pays: not for the first executions, and no longer than nearly all of them are run to their ends. */
void engine_hesitates(struct engine *engine);

/* True: the trace is that of the plan. False: the plan is yet to be run. */
bool engine_run(struct engine *engine, const struct plan *plan, struct trace *trace);

/* The next execution is going to be run by stops, for this reason, which is counted. */
void engine_pass_over(struct engine *engine, const char *why);

#define ENGINE_WHY 160

/*
 * compares: from now on the executions are going to be compared with the same by stops. left_same: engine_run() has been true, and the process, which has
 * run the same plan since, still stands at the end: have the threads the same registers, and is all memory the same? False: `why` tells what differs. It isn't asked where
 * the processor itself answers for its counter of time.
 */
void engine_compares(struct engine *engine);
bool engine_left_same(const struct engine *engine, char why[ENGINE_WHY]);

/*
 * engine_run() has been false, or engine_pass_over() called, and by stops the plan gave this trace, which is counted: has what the engine had done of it begun in the same way? If not it runs none from now
 * on, and its account tells why.
 */
bool engine_stopped_as_begun(struct engine *engine, const struct trace *trace);

/* Why executions were run by stops, and how many for that reason; in the order in which they came up, the last one stands for all others. */
#define ENGINE_REASONS 8
struct engine_reason {
	char why[ENGINE_WHY];
	uint64_t executions, transitions;
};

struct engine_account {
	uint64_t run, run_transitions;	    /* executions by the agent; */
	uint64_t stopped, stop_transitions; /* and by stops: */
	struct engine_reason reasons[ENGINE_REASONS];
	size_t reasons_length;
	uint64_t refused;     /* those of them that were attempted in vain; */
	char why[ENGINE_WHY]; /* the last time: a few words, empty if there was none */
	uint64_t
	    calls; /* system calls that stopped its targets: they lead to the agent by themselves from then on */
};
struct engine_account engine_account(const struct engine *engine);

#endif
