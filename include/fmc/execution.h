#ifndef FMC_EXECUTION_H
#define FMC_EXECUTION_H

#include <fmc/fair.h>
#include <fmc/machine.h>

/*
 * One execution: plan in, trace out. The loop over any machine:
 *
 *     enabled (model) -> schedulable (fair) -> step (the plan's prefix, then its policy) -> perform (machine,
 * model)
 *
 * The workspace is kept between executions, so that a search runs in constant memory.
 */
struct execution;

struct execution *
execution_new(struct machine *machine); /* NULL without memory; the machine stays the caller's */
void execution_free(struct execution *execution);

/* For those who look while it runs; any member may be NULL. The execution may be asked for its model
 * meanwhile. */
struct execution_watcher {
	void *context;
	/* This thread is about to perform the next transition, number trace->length; it stands before its operation. */
	void (*before)(void *context, struct execution *execution, const struct trace *trace,
		       uint32_t thread);
	/* trace->at[trace->length - 1] has just been performed. Returning false ends it with END_INTERRUPTED.
	 */
	bool (*transition)(void *context, struct execution *execution, const struct trace *trace);
	/* The end, every thread that is left still stopped and alive: the moment to look at stacks. */
	void (*end)(void *context, struct execution *execution, const struct trace *trace);
};

void execution_watch(struct execution *execution, const struct execution_watcher *watcher);

/* Run the plan; trace is cleared first. The end, also a failure of fmc's own, is in the trace. */
void execution_run(struct execution *execution, const struct plan *plan, struct trace *trace);

/* The present model, valid until the next transition. */
const struct model *execution_model(const struct execution *execution);
struct machine *execution_machine(const struct execution *execution);

/* Check the model's predictions of results against the machine's; a difference ends the execution as
 * END_ERROR. */
void execution_verify_model(struct execution *execution, bool on);

#endif
