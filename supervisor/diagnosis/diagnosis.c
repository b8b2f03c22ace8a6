/* What is wrong with a process: its causes in order, the most certain first. */
#include "supervisor/diagnosis/private.h"

#include <stdlib.h>

static bool find_certain(struct graph *graph, struct diagnosis *diagnosis)
{
	return find_crash(graph, diagnosis) && find_cycles(graph, diagnosis) &&
	       find_dead_owners(graph, diagnosis) && find_nobody_left(graph, TRUST_NOTHING, diagnosis) &&
	       find_stopped(graph, diagnosis) && find_stopped_others(graph, diagnosis);
}

/* What isn't certain, but would be with more trust. */
static bool find_with(const struct situation *situation, enum trust trust, struct diagnosis *diagnosis)
{
	struct graph graph;
	if (diagnosis->length > 0)
		return true;
	if (!graph_make(&graph, situation, trust))
		return false;
	bool good = trust == TRUST_SEEN ? find_trusted_cycles(&graph, diagnosis)
					: find_nobody_left(&graph, trust, diagnosis);
	graph_release(&graph);
	return good;
}

static bool find_likely(struct graph *graph, struct diagnosis *diagnosis)
{
	return find_likely_cycles(graph, diagnosis) && find_with(graph->situation, TRUST_SEEN, diagnosis) &&
	       find_with(graph->situation, TRUST_HANDLERS, diagnosis) &&
	       find_with(graph->situation, TRUST_LOCKS, diagnosis) && find_hot(graph, diagnosis) &&
	       find_chains(graph, diagnosis) && (diagnosis->length > 0 || find_ordinary(graph, diagnosis));
}

/* Those that are certain go first, in their order. */
static void sort(struct diagnosis *diagnosis)
{
	size_t certain = 0;
	for (size_t i = 0; i < diagnosis->length; i++) {
		struct cause cause = diagnosis->causes[i];
		if (!cause.certain)
			continue;
		for (size_t k = i; k > certain; k--)
			diagnosis->causes[k] = diagnosis->causes[k - 1];
		diagnosis->causes[certain++] = cause;
	}
}

enum status diagnosis_make(const struct situation *situation, struct diagnosis *diagnosis)
{
	struct graph graph;
	*diagnosis = (struct diagnosis){0};
	if (!graph_make(&graph, situation, TRUST_NOTHING))
		return STATUS_NO_MEMORY;
	bool good = find_certain(&graph, diagnosis) && find_likely(&graph, diagnosis);
	graph_release(&graph);
	sort(diagnosis);
	if (good)
		return STATUS_OK;
	diagnosis_release(diagnosis);
	return STATUS_NO_MEMORY;
}

void diagnosis_release(struct diagnosis *diagnosis)
{
	for (size_t i = 0; i < diagnosis->length; i++) {
		free(diagnosis->causes[i].message);
		free(diagnosis->causes[i].evidence);
		free(diagnosis->causes[i].threads);
	}
	free(diagnosis->causes);
	*diagnosis = (struct diagnosis){0};
}

bool diagnosis_certain(const struct diagnosis *diagnosis)
{
	for (size_t i = 0; i < diagnosis->length; i++)
		if (diagnosis->causes[i].certain)
			return true;
	return false;
}
