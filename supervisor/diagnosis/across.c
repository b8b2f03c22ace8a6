/* Causes that lie in another process. */
#include "supervisor/diagnosis/private.h"

#include <stdlib.h>

/* Is it of a process that is stopped, or frozen? */
static bool is_stopped(const struct graph *graph, uint32_t thread)
{
	const struct other_process *process = thread_process(graph->situation, thread);
	return process && (process->frozen || graph->waits[thread]->kind == WAIT_STOPPED);
}

/* All who could end its wait are. */
static bool waits_for_stopped(const struct graph *graph, uint32_t thread)
{
	const struct wait *wait = graph->waits[thread];
	for (size_t i = 0; i < wait->holders_length; i++)
		if (!is_stopped(graph, wait->holders[i]))
			return false;
	return wait->holders_length > 0 && wait->reach.length > 0 && wait->reach.followed &&
	       wait->reach.closed && !graph->explained[thread];
}

static bool tell_stopped(struct graph *graph, const struct thread_list *waiters, struct diagnosis *diagnosis)
{
	struct cause_draft draft;
	const uint32_t holder = graph->waits[waiters->at[0]]->holders[0];
	const struct other_process *process = thread_process(graph->situation, holder);
	if (!cause_begin(&draft, CAUSE_STOPPED, true))
		return false;
	fprintf(draft.message, "process %d (%s) is %s, and ", (int)process->pid, process->name,
		process->frozen ? "frozen" : "stopped by job control");
	bool good = print_groups(graph->situation, waiters, 0, draft.message);
	fputs(process->frozen ? "its control group is; it goes on when that is thawed"
			      : "it got SIGSTOP, or Ctrl-Z was typed; SIGCONT lets it go on",
	      draft.evidence);
	for (size_t i = 0; i < waiters->length && good; i++)
		good = thread_list_add(&draft.threads, waiters->at[i]);
	graph_explain(graph, waiters->at, waiters->length);
	return cause_end(&draft, diagnosis) && good;
}

bool find_stopped_others(struct graph *graph, struct diagnosis *diagnosis)
{
	struct thread_list waiters = {0};
	bool good = true;
	for (uint32_t t = 0; t < graph->own && good; t++)
		if (waits_for_stopped(graph, t))
			good = thread_list_add(&waiters, t);
	if (good && waiters.length > 0)
		good = tell_stopped(graph, &waiters, diagnosis);
	free(waiters.at);
	return good;
}
