/* The threads that can go on some day: the least set that is closed under "its wait can be ended by one of them". */
#include "supervisor/diagnosis/private.h"

#include <stdlib.h>

bool graph_gone(const struct graph *graph, uint32_t thread)
{
	const char *states = graph->situation->states;
	return states && (states[thread] == 'Z' || states[thread] == 'X');
}

/* Might a handler of a signal end this wait? What POSIX lets one do: post a semaphore, write to a descriptor. */
static bool handlers_reach(const struct wait *wait)
{
	switch (wait->kind) {
	case WAIT_MUTEX:
	case WAIT_READ:
	case WAIT_WRITE:
	case WAIT_COND:
	case WAIT_BARRIER:
	case WAIT_JOIN:
	case WAIT_ONCE:
		return wait->handler || wait->guessed;
	default:
		return true;
	}
}

static bool trusted(const struct wait *wait, enum trust trust)
{
	bool lock = wait->kind == WAIT_MUTEX || wait->kind == WAIT_READ || wait->kind == WAIT_WRITE ||
		    wait->kind == WAIT_ONCE;
	return wait->certain || (trust == TRUST_LOCKS && lock && !wait->outsider);
}

static enum ending ending_of(const struct wait *wait, const struct situation *situation, enum trust trust)
{
	if (wait->kind == WAIT_NOTHING || wait->timed || !trusted(wait, trust))
		return ENDS_BY_ITSELF;
	if (wait->outsider_dead && !wait->guessed)
		return ENDS_NEVER;
	if (situation->handlers && trust == TRUST_NOTHING && handlers_reach(wait))
		return ENDS_BY_ITSELF;
	if (wait->guessed)
		return ENDS_BY_ANY;
	switch (wait->kind) {
	case WAIT_MUTEX:
	case WAIT_READ:
	case WAIT_WRITE:
	case WAIT_ONCE:
		return wait->holders_length ? ENDS_BY_ALL : ENDS_BY_ANY;
	case WAIT_JOIN:
		return wait->holders_length ? ENDS_BY_ALL : ENDS_BY_ITSELF;
	case WAIT_SLEEP:
	case WAIT_CHILD:
	case WAIT_SIGNAL:
	case WAIT_SYSCALL:
	case WAIT_STOPPED:
		return ENDS_BY_ITSELF;
	default:
		return ENDS_BY_ANY;
	}
}

/* The same, holders that have exited considered: they are joined at once, and don't unlock any more. */
static enum ending ending_in(const struct graph *graph, uint32_t thread, enum trust trust)
{
	const struct wait *wait = graph->waits[thread];
	const struct situation *situation = graph->situation;
	enum ending ending = ending_of(wait, situation, trust);
	if (graph_gone(graph, thread))
		return ENDS_NEVER;
	if (situation->frozen || (situation->awake && situation->awake[thread]))
		return ENDS_BY_ITSELF;
	for (size_t i = 0; ending == ENDS_BY_ALL && i < wait->holders_length; i++)
		if (graph_gone(graph, wait->holders[i]))
			ending = wait->kind == WAIT_JOIN ? ENDS_BY_ITSELF : ENDS_NEVER;
	return ending;
}

/* moving: how many threads there are that can go on. */
static bool can_end(const struct graph *graph, uint32_t thread, uint32_t moving)
{
	const struct wait *wait = graph->waits[thread];
	size_t going = 0;
	for (size_t i = 0; i < wait->holders_length; i++)
		going += !graph->stuck[wait->holders[i]];
	switch (graph->endings[thread]) {
	case ENDS_BY_ITSELF:
		return true;
	case ENDS_BY_ALL:
		return going == wait->holders_length;
	case ENDS_BY_ANY:
		return wait->holders_length && !wait->guessed ? going > 0 : moving > 0;
	default:
		return false;
	}
}

static void spread(struct graph *graph)
{
	uint32_t moving = graph->situation->newcomers;
	bool changed;
	do {
		changed = false;
		for (uint32_t t = 0; t < graph->length; t++) {
			if (!graph->stuck[t] || !can_end(graph, t, moving))
				continue;
			graph->stuck[t] = false;
			moving++;
			changed = true;
		}
	} while (changed);
}

bool graph_make(struct graph *graph, const struct situation *situation, enum trust trust)
{
	uint32_t n = (uint32_t)situation->inspection->length;
	*graph = (struct graph){.situation = situation,
				.waits = calloc(n + 1, sizeof(*graph->waits)),
				.endings = calloc(n + 1, sizeof(*graph->endings)),
				.stuck = calloc(n + 1, sizeof(*graph->stuck)),
				.explained = calloc(n + 1, sizeof(*graph->explained)),
				.length = n};
	if (!graph->waits || !graph->endings || !graph->stuck || !graph->explained) {
		graph_release(graph);
		return false;
	}
	for (uint32_t t = 0; t < n; t++) {
		graph->waits[t] = &situation->inspection->threads[t].wait;
		graph->endings[t] = ending_in(graph, t, trust);
		graph->stuck[t] = true;
	}
	spread(graph);
	return true;
}

void graph_release(struct graph *graph)
{
	free(graph->waits);
	free(graph->endings);
	free(graph->stuck);
	free(graph->explained);
	*graph = (struct graph){0};
}

static bool waits_for_explained(const struct graph *graph, uint32_t thread)
{
	const struct wait *wait = graph->waits[thread];
	for (size_t i = 0; i < wait->holders_length; i++)
		if (graph->explained[wait->holders[i]])
			return true;
	return false;
}

void graph_explain(struct graph *graph, const uint32_t *threads, size_t length)
{
	for (size_t i = 0; i < length; i++)
		graph->explained[threads[i]] = true;
	bool changed;
	do {
		changed = false;
		for (uint32_t t = 0; t < graph->length; t++) {
			if (graph->explained[t] || graph_gone(graph, t) || !waits_for_explained(graph, t))
				continue;
			graph->explained[t] = true;
			changed = true;
		}
	} while (changed);
}
