/* A schedule as what it does otherwise than the default policy. */
#include "replay/minimize/deviations.h"

#include <fmc/tracer/array.h>

#include <stdlib.h>

void deviations_release(struct deviations *list)
{
	free(list->at);
	*list = (struct deviations){0};
}

static bool push(struct deviations *list, struct deviation deviation)
{
	if (!ARRAY_GROW(list->at, list->length, list->room))
		return false;
	list->at[list->length++] = deviation;
	return true;
}

/* How many transitions each thread has taken; more threads than room never occur. */
struct counts {
	uint64_t *steps;
	uint32_t previous;
};

static bool add_decision(struct deviations *list, const struct trace *trace, size_t i,
			 const struct counts *counts)
{
	const struct transition *now = &trace->at[i];
	const struct alternative *a = trace->alternatives + now->first_alternative;
	size_t count = now->alternatives;
	uint64_t steps = counts->previous == NO_THREAD ? 0 : counts->steps[counts->previous];
	uint32_t usual = deviation_thread(NULL, 0, counts->previous, steps, a, count);
	if (now->thread != usual && !push(list, (struct deviation){.thread = counts->previous,
								   .kind = DEVIATION_SWITCH,
								   .steps = steps,
								   .to = now->thread}))
		return false;
	steps = counts->steps[now->thread];
	size_t i_usual = deviation_alternative(NULL, 0, now->thread, steps, a, count);
	return a[i_usual].step.choice == now->choice ||
	       push(list, (struct deviation){.thread = now->thread,
					     .kind = DEVIATION_CHOICE,
					     .steps = steps,
					     .choice = now->choice});
}

bool deviations_from_trace(struct deviations *list, const struct trace *trace)
{
	uint32_t threads = trace->threads_length;
	for (size_t i = 0; i < trace->length; i++)
		if (threads <= trace->at[i].thread)
			threads = trace->at[i].thread + 1;
	struct counts counts = {calloc((size_t)threads + 1, sizeof *counts.steps), NO_THREAD};
	bool ok = counts.steps != NULL;
	list->length = 0;
	for (size_t i = 0; i < trace->length && ok; i++) {
		ok = add_decision(list, trace, i, &counts);
		counts.previous = trace->at[i].thread;
		counts.steps[counts.previous]++;
	}
	free(counts.steps);
	return ok;
}
