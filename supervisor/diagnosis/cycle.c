/* Causes that rest on who holds what: cycles of waits, and holders that are dead. */
#include "supervisor/diagnosis/private.h"

#include <stdlib.h>

/*
 * Depth first from every thread along "is held back by". A thread on the path that is met again closes a cycle; each thread is
 * on at most one that is told.
 *
 *     NEW -> ON_PATH -> DONE
 */
enum colour { NEW, ON_PATH, DONE };

struct walk {
	struct graph *graph;
	bool certain;
	bool likely; /* follow all holders, not only where the wait is certain */
	unsigned char *colours;
	uint32_t *path;
	size_t *next; /* of each thread on the path: which of its holders is tried next */
	size_t length;
	struct diagnosis *diagnosis;
};

static bool followed(const struct walk *w, uint32_t thread)
{
	const struct graph *g = w->graph;
	if (g->explained[thread] || graph_gone(g, thread))
		return false;
	if (w->likely)
		return g->waits[thread]->kind != WAIT_NOTHING &&
		       (g->waits[thread]->reach.length == 0 || g->waits[thread]->reach.thread);
	return g->stuck[thread] && (g->endings[thread] == ENDS_BY_ALL ||
				    (g->endings[thread] == ENDS_BY_ANY && graph_follows(g->waits[thread])));
}

static void print_cycle(const struct graph *graph, const uint32_t *threads, size_t length, FILE *stream)
{
	const size_t most = 12;
	char label[THREAD_LABEL];
	for (size_t i = 0; i < length; i++) {
		if (length > most && i == most / 2) {
			fprintf(stream, ", and so on through %zu more", length - most);
			i = length - most / 2;
		}
		fprintf(stream, "%s%s ", i ? ", " : "", thread_label(graph->situation, threads[i], label));
		wait_print(graph->situation, threads[i], 0, stream);
	}
}

/* The threads outside of the cycle that wait for one in it, or for another such thread. */
static bool print_followers(const struct graph *graph, const bool *before, const struct cause_draft *draft)
{
	struct thread_list after = {0};
	bool good = true;
	for (uint32_t t = 0; t < graph->length && good; t++) {
		bool member = false;
		for (size_t i = 0; i < draft->threads.length; i++)
			member = member || draft->threads.at[i] == t;
		if (!member && graph->explained[t] && !before[t])
			good = thread_list_add(&after, t);
	}
	if (after.length > 0) {
		threads_print(graph->situation, after.at, after.length, draft->evidence);
		fputs(after.length > 1 ? " wait for them" : " waits for them", draft->evidence);
	}
	free(after.at);
	return good;
}

/* Why a cycle may yet end. */
static void print_doubt(const struct graph *graph, const struct thread_list *threads, FILE *stream)
{
	bool timed = false, across = false;
	for (size_t i = 0; i < threads->length; i++) {
		timed = timed || graph->waits[threads->at[i]]->timed;
		across = across || graph->waits[threads->at[i]]->reach.length;
	}
	fputs(timed ? "it ends when a time is over"
	      : across
		  ? "a handler of a signal, or a process that can't be seen, might end one of these waits"
		  : "somebody else might end one of these waits",
	      stream);
}

static bool tell_cycle(struct walk *w, const uint32_t *threads, size_t length)
{
	struct graph *g = w->graph;
	struct cause_draft draft;
	bool *before = calloc(g->length, sizeof(*before));
	if (!before || !cause_begin(&draft, length == 1 ? CAUSE_SELF : CAUSE_DEADLOCK, w->certain)) {
		free(before);
		return false;
	}
	bool good = true;
	for (uint32_t t = 0; t < g->length; t++)
		before[t] = g->explained[t];
	for (size_t i = 0; i < length; i++)
		good = thread_list_add(&draft.threads, threads[i]) && good;
	print_cycle(g, threads, length, draft.message);
	graph_explain(g, threads, length);
	if (!w->certain)
		print_doubt(g, &draft.threads, draft.evidence);
	else
		good = print_followers(g, before, &draft) && good;
	free(before);
	return cause_end(&draft, w->diagnosis) && good;
}

/* The cycle that ends at the top of the path and begins at `first`; told from its lowest thread on. */
static bool close_cycle(struct walk *w, uint32_t first)
{
	size_t begin = 0, least = 0;
	while (w->path[begin] != first)
		begin++;
	size_t length = w->length - begin;
	uint32_t *cycle = calloc(length, sizeof(*cycle));
	if (!cycle)
		return false;
	for (size_t i = 1; i < length; i++)
		if (w->path[begin + i] < w->path[begin + least])
			least = i;
	for (size_t i = 0; i < length; i++)
		cycle[i] = w->path[begin + (least + i) % length];
	bool good = tell_cycle(w, cycle, length);
	free(cycle);
	return good;
}

static void push(struct walk *w, uint32_t thread)
{
	w->colours[thread] = ON_PATH;
	w->next[w->length] = 0;
	w->path[w->length++] = thread;
}

/* Try one more holder of the thread at the top; takes it off when it has no more. False without memory. */
static bool step(struct walk *w)
{
	uint32_t top = w->path[w->length - 1];
	const struct wait *wait = w->graph->waits[top];
	if (!followed(w, top) || w->next[w->length - 1] == wait->holders_length) {
		w->colours[top] = DONE;
		w->length--;
		return true;
	}
	uint32_t holder = wait->holders[w->next[w->length - 1]++];
	if (w->colours[holder] == NEW && followed(w, holder))
		push(w, holder);
	else if (w->colours[holder] == ON_PATH)
		return close_cycle(w, holder);
	return true;
}

static bool walk_all(struct graph *graph, bool certain, bool likely, struct diagnosis *diagnosis)
{
	struct walk w = {.graph = graph,
			 .certain = certain,
			 .likely = likely,
			 .colours = calloc(graph->length + 1, 1),
			 .path = calloc(graph->length + 1, sizeof(*w.path)),
			 .next = calloc(graph->length + 1, sizeof(*w.next)),
			 .diagnosis = diagnosis};
	bool good = w.colours && w.path && w.next;
	for (uint32_t t = 0; good && t < graph->own; t++) {
		if (w.colours[t] != NEW || !followed(&w, t))
			continue;
		push(&w, t);
		while (good && w.length > 0)
			good = step(&w);
	}
	free(w.colours);
	free(w.path);
	free(w.next);
	return good;
}

bool find_cycles(struct graph *graph, struct diagnosis *diagnosis)
{
	return walk_all(graph, true, false, diagnosis);
}

bool find_trusted_cycles(struct graph *graph, struct diagnosis *diagnosis)
{
	return walk_all(graph, false, false, diagnosis);
}

bool find_likely_cycles(struct graph *graph, struct diagnosis *diagnosis)
{
	return walk_all(graph, false, true, diagnosis);
}

/* The holder of what the thread waits for is dead: a number that nobody has, or a thread that has exited. */
static bool orphaned(const struct graph *graph, uint32_t thread)
{
	const struct wait *wait = graph->waits[thread];
	if (graph->explained[thread] || graph_gone(graph, thread) || wait->kind == WAIT_JOIN ||
	    !graph->concerned[thread])
		return false;
	if (wait->outsider_dead)
		return true;
	if (wait->reach.length && !wait->reach.thread)
		return false;
	for (size_t i = 0; i < wait->holders_length; i++)
		if (graph_gone(graph, wait->holders[i]))
			return true;
	return false;
}

static bool tell_orphans(struct graph *graph, uint32_t first, struct diagnosis *diagnosis)
{
	struct cause_draft draft;
	const struct wait *wait = graph->waits[first];
	if (!cause_begin(&draft, CAUSE_OWNER_DEAD,
			 graph->endings[first] == ENDS_NEVER || (graph->stuck[first] && !wait->guessed)))
		return false;
	bool good = true;
	for (uint32_t t = first; t < graph->length && good; t++)
		if (orphaned(graph, t) && graph->waits[t]->object == wait->object)
			good = thread_list_add(&draft.threads, t);
	good = good && print_groups(graph->situation, &draft.threads, 0, draft.message);
	fputs("the thread has ended without unlocking it", draft.evidence);
	graph_explain(graph, draft.threads.at, draft.threads.length);
	return cause_end(&draft, diagnosis) && good;
}

bool find_dead_owners(struct graph *graph, struct diagnosis *diagnosis)
{
	for (uint32_t t = 0; t < graph->length; t++)
		if (orphaned(graph, t) && !tell_orphans(graph, t, diagnosis))
			return false;
	return true;
}
