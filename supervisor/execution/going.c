/* Whether an execution goes on, and why not. */
#include "supervisor/execution/state.h"

#include <fmc/breakpoints/plugin.h>
#include <fmc/tracer/assert.h>

#include <stdio.h>

void execution_set_end(struct trace *trace, enum end_reason end, enum status status, const char *message)
{
	trace->end = end;
	trace->status = status;
	snprintf(trace->message, sizeof trace->message, "%s", message);
}

bool execution_out_of_memory(struct trace *trace)
{
	execution_set_end(trace, END_ERROR, STATUS_NO_MEMORY, "out of memory");
	return false;
}

bool execution_believes_plugin(struct trace *trace)
{
	if (!plugin_failure())
		return true;
	execution_set_end(trace, END_UNSUPPORTED, STATUS_UNSUPPORTED, plugin_failure());
	return false;
}

bool execution_goes_on(struct execution *x, bool on)
{
	FMC_ASSERT(x->again || on == (x->trace->end == END_NONE));
	FMC_ASSERT(!on || x->stage == EXECUTION_BETWEEN);
	x->stage = on ? EXECUTION_BETWEEN : EXECUTION_OVER;
	return on;
}

bool execution_used_up(const struct execution *x, uint32_t t)
{
	uint64_t most = x->plan->policy.max_thread_depth;
	return most != 0 && policy_steps(x->policy, t) >= most;
}

uint32_t execution_ahead(const struct execution *x)
{
	const struct machine_ops *ops = x->machine->ops;
	return ops->ahead ? ops->ahead(x->machine) : NO_THREAD;
}
