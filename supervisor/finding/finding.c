#include <fmc/supervisor/finding.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[FINDING_KINDS] = {
    [FINDING_NONE] = "none",	     [FINDING_DEADLOCK] = "deadlock",
    [FINDING_LIVELOCK] = "livelock", [FINDING_GOOD_SAMARITAN] = "good-samaritan",
    [FINDING_CRASH] = "crash",	     [FINDING_ABORT] = "abort",
    [FINDING_EXIT] = "exit",	     [FINDING_MISUSE] = "misuse",
    [FINDING_OUTCOME] = "outcome",   [FINDING_INVARIANT] = "invariant",
    [FINDING_LTL] = "ltl",	     [FINDING_REJECTED] = "rejected",
};

const char *finding_kind_name(enum finding_kind kind)
{
	return kind < FINDING_KINDS ? names[kind] : "unknown";
}

enum finding_kind finding_kind_by_name(const char *name)
{
	enum finding_kind kind = FINDING_NONE;
	while (kind < FINDING_KINDS && strcmp(names[kind], name) != 0)
		kind++;
	return kind;
}

/* Of an execution that has ended well. */
static enum finding_kind classify_outcome(const struct trace *trace)
{
	return trace->other_outcome ? FINDING_OUTCOME : FINDING_NONE;
}

enum finding_kind finding_classify(const struct trace *trace)
{
	switch (trace->end) {
	case END_DEADLOCK:
		return FINDING_DEADLOCK;
	case END_LIVELOCK:
		return FINDING_LIVELOCK;
	case END_NO_YIELD:
	case END_SPIN:
		return FINDING_GOOD_SAMARITAN;
	case END_SIGNAL:
		if (trace->good_end)
			return classify_outcome(trace);
		return trace->end_value == SIGABRT ? FINDING_ABORT : FINDING_CRASH;
	case END_EXIT:
		return trace->end_value != 0 && !trace->good_end ? FINDING_EXIT : classify_outcome(trace);
	case END_MISUSE:
		return FINDING_MISUSE;
	case END_VIOLATED:
		return FINDING_INVARIANT;
	case END_UNFULFILLED:
	case END_UNFULFILLED_LOOP:
		return FINDING_LTL;
	case END_REJECTED:
		return FINDING_REJECTED;
	case END_ALLOWED:
	case END_NONE:
	case END_DEPTH:
	case END_THREAD_DEPTH:
	case END_REDUNDANT:
	case END_DIVERGED:
	case END_UNSUPPORTED:
	case END_STUCK:
	case END_ABSENT:
	case END_GOES_ON:
	case END_INTERRUPTED:
	case END_ERROR:
		break;
	}
	return FINDING_NONE;
}

void finding_init(struct finding *finding)
{
	*finding = (struct finding){0};
	trace_init(&finding->trace);
}

void thread_report_release(struct thread_report *thread)
{
	free(thread->name);
	free(thread->state);
	free(thread->holds);
	frames_free(thread->frames, thread->frames_length);
	*thread = (struct thread_report){0};
}

void finding_release(struct finding *finding)
{
	free(finding->message);
	free(finding->signature);
	free(finding->output);
	free(finding->client_output);
	trace_release(&finding->trace);
	for (size_t i = 0; i < finding->threads_length; i++)
		thread_report_release(&finding->threads[i]);
	free(finding->threads);
	for (size_t i = 0; i < finding->objects_length; i++)
		free(finding->objects[i]);
	for (size_t i = 0; finding->names && i < finding->objects_length; i++)
		free(finding->names[i]);
	free(finding->names);
	for (size_t i = 0; finding->details && i < finding->objects_length; i++)
		free(finding->details[i]);
	free(finding->objects);
	free(finding->details);
	for (size_t i = 0; i < finding->places_length; i++) {
		free(finding->places[i].function);
		free(finding->places[i].file);
		free(finding->places[i].source);
	}
	free(finding->places);
	finding_init(finding);
}
