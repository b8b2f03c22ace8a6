/* Independent random executions, for ever: seed, seed + 1 ... */
#include "policy.h"
#include "search_strategy.h"

#include <stdlib.h>

struct random_walks {
	uint64_t seed;
	uint64_t executions;
	double sum; /* of the inverse probabilities of the executions so far */
};

static void *random_create(const struct search_options *options)
{
	struct random_walks *walks = calloc(1, sizeof *walks);
	if (walks)
		walks->seed = options->seed;
	return walks;
}

static bool random_next(void *strategy, struct plan *plan)
{
	struct random_walks *walks = strategy;
	plan->policy.kind = POLICY_RANDOM;
	plan->policy.seed = walks->seed + walks->executions;
	return true;
}

/*
 * An execution taken with probability p stands for 1/p of them: the mean over independent walks is an
 * unbiased estimate of their number (Knuth, Estimating the Efficiency of Backtrack Programs, 1975).
 */
static enum status random_feed(void *strategy, const struct trace *trace)
{
	struct random_walks *walks = strategy;
	double stands_for = 1;
	for (size_t i = 0; i < trace->length; i++) {
		const struct transition *transition = &trace->at[i];
		const struct alternative *alternatives = trace->alternatives + transition->first_alternative;
		size_t taken = 0;
		while (alternatives[taken].step.thread != transition->thread ||
		       alternatives[taken].step.choice != transition->choice)
			taken++;
		stands_for /= policy_probability(alternatives, transition->alternatives, taken);
	}
	walks->executions++;
	walks->sum += stands_for;
	return STATUS_OK;
}

static void random_progress(const void *strategy, struct search_progress *progress)
{
	const struct random_walks *walks = strategy;
	if (walks->executions > 0)
		progress->estimate = walks->sum / (double)walks->executions;
}

const struct strategy_ops search_random = {
    .name = "random",
    .create = random_create,
    .destroy = free,
    .next = random_next,
    .feed = random_feed,
    .progress = random_progress,
};
