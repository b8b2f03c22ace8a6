/* Independent random executions, for ever: seed, seed + 1 ... */
#include "policy.h"
#include "random_profile.h"
#include "search_strategy.h"

#include <math.h>
#include <stdlib.h>

/* Half the width of an interval that holds the mean with 95 % confidence, in standard errors. */
#define CONFIDENCE 1.96

struct random_walks {
	enum policy_kind kind;
	uint64_t seed;
	uint32_t changes; /* PCT */
	uint64_t executions;
	/* POLICY_RANDOM: mean of the inverse probabilities so far, and sum of the squared distances from it
	 * (Welford 1962). */
	double mean, squares;
	uint64_t longest; /* PCT: transitions */
	struct random_profile profile;
};

static void random_destroy(void *strategy)
{
	struct random_walks *walks = strategy;
	random_profile_release(&walks->profile);
	free(walks);
}

static void *create(const struct search_options *options, enum policy_kind kind)
{
	struct random_walks *walks = calloc(1, sizeof *walks);
	if (!walks)
		return NULL;
	walks->kind = kind;
	walks->seed = options->seed;
	walks->changes = kind == POLICY_PCT ? options->bound - 1 : 0;
	return walks;
}

static void *random_create(const struct search_options *options)
{
	return create(options, POLICY_RANDOM);
}

static void *pct_create(const struct search_options *options)
{
	return create(options, POLICY_PCT);
}

static void *pos_create(const struct search_options *options)
{
	return create(options, POLICY_POS);
}

static void *surw_create(const struct search_options *options)
{
	return create(options, POLICY_SURW);
}

/* What PCT and SURW have to know of executions is measured on random walks first. */
static bool measured(const struct random_walks *walks)
{
	switch (walks->kind) {
	case POLICY_PCT:
		return walks->longest > 0;
	case POLICY_SURW:
		return walks->profile.valid;
	default:
		return true;
	}
}

static enum search_answer random_next(void *strategy, struct plan *plan)
{
	struct random_walks *walks = strategy;
	struct policy *policy = &plan->policy;
	policy->seed = walks->seed + walks->executions;
	policy->kind = measured(walks) ? walks->kind : POLICY_RANDOM;
	if (policy->kind == POLICY_PCT) {
		policy->changes = walks->changes;
		policy->length = walks->longest;
	} else if (policy->kind == POLICY_SURW) {
		policy->profile = &walks->profile.profile;
		policy->group = random_profile_draw(&walks->profile, policy->seed);
	}
	return SEARCH_PLAN;
}

/* The inverse of the probability with which POLICY_RANDOM takes this execution. */
static double stands_for(const struct trace *trace)
{
	double inverse = 1;
	for (size_t i = 0; i < trace->length; i++) {
		const struct transition *transition = &trace->at[i];
		const struct alternative *alternatives = trace->alternatives + transition->first_alternative;
		size_t taken = 0;
		while (alternatives[taken].step.thread != transition->thread ||
		       alternatives[taken].step.choice != transition->choice)
			taken++;
		inverse /= policy_probability(alternatives, transition->alternatives, taken);
	}
	return inverse;
}

static enum status random_feed(void *strategy, uint64_t ticket, const struct trace *trace)
{
	(void)ticket;
	struct random_walks *walks = strategy;
	walks->executions++;
	if (trace->length > walks->longest)
		walks->longest = trace->length;
	if (walks->kind == POLICY_SURW && !walks->profile.valid && trace->end == END_EXIT &&
	    !random_profile_make(&walks->profile, trace))
		return STATUS_NO_MEMORY;
	if (walks->kind != POLICY_RANDOM)
		return STATUS_OK;
	double inverse = stands_for(trace);
	double distance = inverse - walks->mean;
	walks->mean += distance / (double)walks->executions;
	walks->squares += distance * (inverse - walks->mean);
	return STATUS_OK;
}

/*
 * An execution taken with probability p stands for 1/p of them: the mean over independent walks is an
 * unbiased estimate of their number (Knuth, Estimating the Efficiency of Backtrack Programs, 1975).
 */
static void random_progress(const void *strategy, struct search_progress *progress)
{
	const struct random_walks *walks = strategy;
	double n = (double)walks->executions;
	if (walks->kind != POLICY_RANDOM || n < 1)
		return;
	progress->estimate = walks->mean;
	if (n < 2)
		return;
	double off = CONFIDENCE * sqrt(walks->squares / (n - 1) / n);
	progress->estimate_low = fmax(1, walks->mean - off);
	progress->estimate_high = walks->mean + off;
}

#define RANDOM_OPS(the_name, the_create, the_usual)                                                          \
	{                                                                                                    \
		.name = the_name, .random = true, .usual = the_usual, .create = the_create,                  \
		.destroy = random_destroy, .next = random_next, .feed = random_feed,                         \
		.progress = random_progress,                                                                 \
	}

const struct strategy_ops search_random = RANDOM_OPS("random", random_create, 0);
const struct strategy_ops search_pct = RANDOM_OPS("pct", pct_create, 3);
const struct strategy_ops search_pos = RANDOM_OPS("pos", pos_create, 0);
const struct strategy_ops search_surw = RANDOM_OPS("surw", surw_create, 0);
