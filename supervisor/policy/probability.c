/* How likely chance takes an alternative. Apart from what draws one, which runs where there are no numbers but whole ones, too. */
#include "supervisor/policy/state.h"

#include <fmc/tracer/assert.h>

static double probability_if(const struct alternative *a, size_t count, size_t taken, bool wild)
{
	if (!policy_counts(a, taken, wild))
		return 0;
	return 1.0 / ((double)policy_count_threads(a, count, wild) *
		      (double)policy_count_choices(a, count, taken, wild));
}

double policy_probability(const struct alternative *alternatives, size_t count, size_t taken)
{
	FMC_ASSERT(taken < count);
	if (policy_are_single(alternatives, count))
		return 1.0 / (double)count;
	double wild = probability_if(alternatives, count, taken, true);
	if (policy_count_threads(alternatives, count, false) == 0)
		return wild;
	double tame = probability_if(alternatives, count, taken, false);
	return wild / POLICY_WILD_ODDS + tame * (POLICY_WILD_ODDS - 1) / POLICY_WILD_ODDS;
}
