#include "tests/table/linearization.h"

#include <stdlib.h>

uint32_t roll(uint64_t *dice, uint32_t n)
{
	*dice = *dice * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(*dice >> 33) % n;
}

/* Has all that transition i comes after been taken? */
static bool is_free(const struct happens_before *order, const struct trace *trace, size_t i,
		    const uint32_t *taken)
{
	const uint32_t *clock = happens_before_clock(order, i);
	for (uint32_t t = 0; t < happens_before_threads(order); t++)
		if (taken[t] + (t == trace->at[i].thread) < clock[t])
			return false;
	return true;
}

size_t random_linearization(const struct happens_before *order, const struct trace *trace, uint64_t *dice,
			    struct step *steps)
{
	size_t moved = 0;
	uint32_t *taken = calloc(happens_before_threads(order) + 1, sizeof *taken);
	bool *gone = calloc(trace->length + 1, sizeof *gone);
	size_t *free_ones = calloc(trace->length + 1, sizeof *free_ones);
	for (size_t n = 0; n < trace->length; n++) {
		uint32_t count = 0;
		for (size_t i = 0; i < trace->length; i++)
			if (!gone[i] && is_free(order, trace, i, taken))
				free_ones[count++] = i;
		size_t next = free_ones[roll(dice, count)];
		gone[next] = true;
		taken[trace->at[next].thread]++;
		moved += next != n;
		steps[n] = transition_step(&trace->at[next]);
	}
	free(taken);
	free(gone);
	free(free_ones);
	return moved;
}
