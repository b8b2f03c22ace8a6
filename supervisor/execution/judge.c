/* Somebody looks at the states of an execution, and may end it. */
#include "supervisor/execution/state.h"

#include "supervisor/policy/cycle.h"

#include <fmc/tracer/assert.h>

#include <stdio.h>

/* What the last transition has touched is known anew. */
static bool touch_again(struct execution *x)
{
	struct trace *trace = x->trace;
	trace->accesses_length = trace->at[trace->length - 1].first_access;
	return trace_push_footprint(trace, &x->footprint) || execution_out_of_memory(trace);
}

static bool note(struct execution *x, const struct sighting *sighting)
{
	const bool asserts = sighting->asserted || sighting->asserted_changed || sighting->roams;
	if (x->trace->length == 0 || !(sighting->changed || sighting->violated || asserts))
		return true;
	if (sighting->changed)
		footprint_touch(&x->footprint, touch_key(TOUCH_SEEN, 0), TOUCH_WRITE);
	if (sighting->asserted || sighting->asserted_changed)
		footprint_touch(&x->footprint, touch_key(TOUCH_ASSERTED, 0),
				sighting->asserted_changed ? TOUCH_WRITE : TOUCH_READ);
	if (sighting->roams)
		footprint_touch(&x->footprint, touch_key(TOUCH_ASSERTED, 1),
				sighting->roamed ? TOUCH_WRITE : TOUCH_READ);
	if (sighting->violated)
		dependence_ended(&x->footprint);
	return touch_again(x);
}

static void end(struct execution *x, const struct sighting *sighting)
{
	struct trace *trace = x->trace;
	trace->end = sighting->failed ? END_ERROR : sighting->unfulfilled ? END_UNFULFILLED : END_VIOLATED;
	trace->status = sighting->failed ? sighting->status : STATUS_OK;
	trace->end_value = sighting->failed ? 0 : sighting->number;
	trace->end_thread = x->previous;
	snprintf(trace->message, sizeof trace->message, "%s", sighting->message);
}

/* All states so far are known, and the present one unless the process is gone. */
static void tell_state(struct execution *x, const uint64_t now[3])
{
	const size_t length = x->trace->length;
	if (x->judges_cycles && x->monitor.come && x->recurrences.length >= length)
		x->monitor.come(x->monitor.context, x->trace,
				length ? x->recurrences.at[length - 1].state : NULL, now);
}

static bool look(struct execution *x, bool on)
{
	struct trace *trace = x->trace;
	struct sighting sighting = {0};
	trace->observed = true;
	trace->counted = x->monitor.counts;
	/* What crashes, or breaks off, has another end than this. */
	if (!on && trace->end != END_EXIT)
		return on;
	x->monitor.look(x->monitor.context, x, trace, false, &sighting);
	if (!note(x, &sighting))
		return false;
	if (sighting.violated || sighting.failed)
		end(x, &sighting);
	else if (!on)
		tell_state(x, NULL);
	return on && trace->end == END_NONE;
}

bool execution_judge(struct execution *x, bool on)
{
	return x->monitor.look ? look(x, on) : on;
}

/* From state `start` on. True: the execution ends here, unfulfilled; *allowed: nothing new comes of another round. */
static bool judge_one(struct execution *x, size_t start, bool *allowed)
{
	struct trace *trace = x->trace;
	struct sighting sighting = {0};
	trace->end = cycle_judge(trace, start, model_threads(x->block.model), true);
	if (trace->end != END_LIVELOCK)
		return trace->end != END_NONE;
	trace->end = END_NONE;
	x->monitor.cycle(x->monitor.context, trace, &sighting);
	*allowed = !sighting.other;
	if (!sighting.violated && !sighting.failed)
		return false;
	end(x, &sighting);
	trace->end_thread = NO_THREAD;
	if (trace->end == END_UNFULFILLED)
		trace->end = END_UNFULFILLED_LOOP;
	return true;
}

bool execution_judge_cycles(struct execution *x)
{
	struct trace *trace = x->trace;
	const enum status status = recurrences_add(&x->recurrences, x->machine, x->block.model);
	size_t start = trace->length, over = NO_RECURRENCE;
	if (status == STATUS_NO_MEMORY)
		return !execution_out_of_memory(trace);
	/* What can't be told goes on up to its depth. */
	if (status != STATUS_OK)
		return x->judges_cycles = false;
	FMC_ASSERT(x->recurrences.length == trace->length + 1);
	tell_state(x, x->recurrences.at[trace->length].state);
	while ((start = recurrences_before(&x->recurrences, start)) != NO_RECURRENCE) {
		bool allowed = false;
		if (judge_one(x, start, &allowed))
			return true;
		if (allowed && over == NO_RECURRENCE)
			over = start;
	}
	trace->loop_start = over == NO_RECURRENCE ? 0 : over;
	if (over != NO_RECURRENCE)
		trace->end = END_ALLOWED;
	return over != NO_RECURRENCE;
}
