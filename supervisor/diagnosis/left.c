/* Causes that rest on nobody being left who could end a wait. */
#include "supervisor/diagnosis/private.h"

#include <stdlib.h>

/* All threads of its process are. */
static bool all_stuck(const struct graph *graph, uint32_t thread)
{
	const struct other_process *process = thread_process(graph->situation, thread);
	const uint32_t first = process ? process->first : 0;
	const uint32_t end = process ? process->first + process->length : graph->own;
	for (uint32_t t = first; t < end; t++)
		if (!graph->stuck[t])
			return false;
	return true;
}

/* One that waits for what has no holder, and for none of the causes that rest on processes. */
static bool is_root(const struct graph *graph, uint32_t thread)
{
	const struct wait *wait = graph->waits[thread];
	return graph->stuck[thread] && graph->concerned[thread] && graph->endings[thread] == ENDS_BY_ANY &&
	       !graph_follows(wait) && (!wait->outsider_dead || wait->guessed) && all_stuck(graph, thread);
}

/* A thread that waits for what any thread could end, and that nothing else holds back. */
static bool collect_roots(const struct graph *graph, struct thread_list *roots)
{
	for (uint32_t t = 0; t < graph->length; t++)
		if (is_root(graph, t) && !thread_list_add(roots, t))
			return false;
	return true;
}

/* All of them take their work from the same place. */
static bool one_queue(const struct graph *graph, const struct thread_list *roots)
{
	const struct wait *first = graph->waits[roots->at[0]];
	if (roots->length < 2 || !first->object)
		return false;
	if (first->kind != WAIT_COND && first->kind != WAIT_SEMAPHORE && first->kind != WAIT_FUTEX)
		return false;
	for (size_t i = 1; i < roots->length; i++)
		if (graph->waits[roots->at[i]]->object != first->object)
			return false;
	return true;
}

/* The others, which wait for those: the ones that could have given the signal. */
static bool collect_givers(const struct graph *graph, struct thread_list *givers)
{
	for (uint32_t t = 0; t < graph->length; t++)
		if ((graph->endings[t] == ENDS_BY_ALL || graph_follows(graph->waits[t])) &&
		    graph->explained[t] && !thread_list_add(givers, t))
			return false;
	return true;
}

static const char *wakening(enum wait_kind kind)
{
	switch (kind) {
	case WAIT_COND:
		return "give one";
	case WAIT_SEMAPHORE:
		return "post it";
	case WAIT_BARRIER:
		return "come to it";
	case WAIT_PIPE:
	case WAIT_SOCKET:
		return "come to its other end";
	case WAIT_MUTEX:
	case WAIT_READ:
	case WAIT_WRITE:
		return "unlock it";
	default:
		return "wake it";
	}
}

static bool write_message(const struct graph *graph, const struct thread_list *roots,
			  const struct thread_list *givers, struct cause_draft *draft)
{
	if (!print_groups(graph->situation, roots, 0, draft->message))
		return false;
	if (draft->kind == CAUSE_EMPTY_QUEUE) {
		fputs(", while ", draft->message);
		return print_groups(graph->situation, givers, 0, draft->message);
	}
	bool same = true;
	for (size_t i = 1; i < roots->length; i++)
		same = same && graph->waits[roots->at[i]]->kind == graph->waits[roots->at[0]]->kind;
	fprintf(draft->message, ", and nobody is left to %s",
		same ? wakening(graph->waits[roots->at[0]]->kind) : "wake them");
	return true;
}

static bool write_evidence(const struct graph *graph, const struct thread_list *givers, enum trust trust,
			   struct cause_draft *draft)
{
	static const char *const texts[] = {
	    [TRUST_NOTHING] = "every thread of the process waits for another one, without a time-out",
	    [TRUST_HANDLERS] =
		"every thread of the process waits for another one; only a handler of a signal "
		"could still wake one",
	    [TRUST_LOCKS] =
		"every thread of the process waits for another one, as far as can be told: not of "
		"every lock is it known who holds it",
	};
	if (graph->situation->others_length && trust == TRUST_NOTHING)
		fputs("every thread of these processes waits for another one, without a time-out",
		      draft->evidence);
	else
		fputs(texts[trust], draft->evidence);
	if (draft->kind == CAUSE_EMPTY_QUEUE || givers->length == 0)
		return true;
	fputs(": ", draft->evidence);
	return print_groups(graph->situation, givers, 0, draft->evidence);
}

/* After another cause everything that this one says is true, too, but who waits for whom has been told. */
static bool tell(struct graph *graph, const struct thread_list *roots, enum trust trust,
		 struct diagnosis *diagnosis)
{
	struct thread_list givers = {0};
	struct cause_draft draft;
	graph_explain(graph, roots->at, roots->length);
	bool good = diagnosis->length > 0 || collect_givers(graph, &givers);
	bool queue = good && givers.length > 0 && one_queue(graph, roots);
	if (!good ||
	    !cause_begin(&draft, queue ? CAUSE_EMPTY_QUEUE : CAUSE_NOBODY_LEFT, trust == TRUST_NOTHING)) {
		free(givers.at);
		return false;
	}
	for (size_t i = 0; i < roots->length && good; i++)
		good = thread_list_add(&draft.threads, roots->at[i]);
	good = good && write_message(graph, roots, &givers, &draft) &&
	       write_evidence(graph, &givers, trust, &draft);
	free(givers.at);
	return cause_end(&draft, diagnosis) && good;
}

bool find_nobody_left(struct graph *graph, enum trust trust, struct diagnosis *diagnosis)
{
	struct thread_list roots = {0};
	bool good = collect_roots(graph, &roots);
	if (good && roots.length > 0)
		good = tell(graph, &roots, trust, diagnosis);
	free(roots.at);
	return good;
}
