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
	if (wait->certain || (trust == TRUST_LOCKS && lock && !wait->outsider && !wait->reach.length))
		return true;
	/* Who hasn't been seen may yet come to memory that has a name. */
	return trust == TRUST_SEEN && wait->reach.followed && !wait->guessed && !wait->object;
}

bool graph_follows(const struct wait *wait)
{
	return wait->reach.followed && !wait->object;
}

/* The process that a thread is of, or one whose threads its wait is left to, has handlers. */
static bool has_handlers(const struct situation *situation, uint32_t thread)
{
	const struct other_process *process = thread_process(situation, thread);
	const struct wait *wait = &situation->inspection->threads[thread].wait;
	bool handlers = process ? process->handlers : situation->handlers;
	for (size_t i = 0; i < wait->holders_length && wait->reach.length && !handlers; i++) {
		process = thread_process(situation, wait->holders[i]);
		handlers = process ? process->handlers : situation->handlers;
	}
	return handlers;
}

/* Is any thread of the processes that have it enough? */
static bool left_to_any(const struct wait *wait)
{
	return wait->reach.length && !wait->reach.thread;
}

static enum ending ending_of(const struct situation *situation, uint32_t thread, enum trust trust)
{
	const struct wait *wait = &situation->inspection->threads[thread].wait;
	if (wait->kind == WAIT_NOTHING || wait->timed || !trusted(wait, trust))
		return ENDS_BY_ITSELF;
	if (wait->outsider_dead && !wait->guessed)
		return wait->reach.length ? ENDS_BY_ANY : ENDS_NEVER;
	if (trust == TRUST_NOTHING && handlers_reach(wait) && has_handlers(situation, thread))
		return ENDS_BY_ITSELF;
	if (wait->guessed || left_to_any(wait))
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
	const struct other_process *process = thread_process(situation, thread);
	enum ending ending = ending_of(situation, thread, trust);
	if (graph_gone(graph, thread))
		return ENDS_NEVER;
	if ((process ? process->frozen : situation->frozen) || (situation->awake && situation->awake[thread]))
		return ENDS_BY_ITSELF;
	for (size_t i = 0; ending == ENDS_BY_ALL && i < wait->holders_length; i++)
		if (graph_gone(graph, wait->holders[i]))
			ending = wait->kind == WAIT_JOIN ? ENDS_BY_ITSELF : ENDS_NEVER;
	return ending;
}

static bool has_newcomers(const struct situation *situation, uint32_t thread)
{
	const struct other_process *process = thread_process(situation, thread);
	return process ? process->newcomers : situation->newcomers;
}

/* Is there a thread in its process that can go on? */
static bool moves(const struct graph *graph, uint32_t thread)
{
	const struct other_process *process = thread_process(graph->situation, thread);
	const uint32_t first = process ? process->first : 0;
	const uint32_t end = process ? process->first + process->length : graph->own;
	bool any = has_newcomers(graph->situation, thread);
	for (uint32_t t = first; t < end && !any; t++)
		any = !graph->stuck[t];
	return any;
}

static bool can_end(const struct graph *graph, uint32_t thread)
{
	const struct wait *wait = graph->waits[thread];
	size_t going = 0;
	for (size_t i = 0; i < wait->holders_length; i++)
		going += !graph->stuck[wait->holders[i]] ||
			 (left_to_any(wait) && has_newcomers(graph->situation, wait->holders[i]));
	going += left_to_any(wait) && wait->reach.own && has_newcomers(graph->situation, thread);
	switch (graph->endings[thread]) {
	case ENDS_BY_ITSELF:
		return true;
	case ENDS_BY_ALL:
		return going == wait->holders_length;
	case ENDS_BY_ANY:
		return wait->holders_length && !wait->guessed ? going > 0 : moves(graph, thread);
	default:
		return false;
	}
}

static void spread(struct graph *graph)
{
	bool changed;
	do {
		changed = false;
		for (uint32_t t = 0; t < graph->length; t++) {
			if (!graph->stuck[t] || !can_end(graph, t))
				continue;
			graph->stuck[t] = false;
			changed = true;
		}
	} while (changed);
}

/* Without holders that are known it is all the others of its process that it can't go on without. */
static bool concern_others(struct graph *graph, uint32_t thread)
{
	const struct wait *wait = graph->waits[thread];
	const struct other_process *process = thread_process(graph->situation, thread);
	bool changed = false;
	for (size_t i = 0; i < wait->holders_length; i++) {
		changed = changed || !graph->concerned[wait->holders[i]];
		graph->concerned[wait->holders[i]] = true;
	}
	for (uint32_t t = 0; process && wait->holders_length == 0 && t < process->length; t++) {
		changed = changed || !graph->concerned[process->first + t];
		graph->concerned[process->first + t] = true;
	}
	return changed;
}

static void concern(struct graph *graph)
{
	bool changed;
	for (uint32_t t = 0; t < graph->own; t++)
		graph->concerned[t] = true;
	do {
		changed = false;
		for (uint32_t t = 0; t < graph->length; t++)
			if (graph->concerned[t] && graph->stuck[t])
				changed = concern_others(graph, t) || changed;
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
				.concerned = calloc(n + 1, sizeof(*graph->concerned)),
				.length = n,
				.own = situation->others_length ? situation->others[0].first : n};
	if (!graph->waits || !graph->endings || !graph->stuck || !graph->explained || !graph->concerned) {
		graph_release(graph);
		return false;
	}
	for (uint32_t t = 0; t < n; t++) {
		graph->waits[t] = &situation->inspection->threads[t].wait;
		graph->endings[t] = ending_in(graph, t, trust);
		graph->stuck[t] = true;
	}
	spread(graph);
	concern(graph);
	return true;
}

void graph_release(struct graph *graph)
{
	free(graph->waits);
	free(graph->endings);
	free(graph->stuck);
	free(graph->explained);
	free(graph->concerned);
	*graph = (struct graph){0};
}

static bool waits_for_explained(const struct graph *graph, uint32_t thread)
{
	const struct wait *wait = graph->waits[thread];
	if (left_to_any(wait) && !graph->stuck[thread])
		return false;
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
