/* Independent random executions, for ever: seed, seed + 1 ... */
#include "supervisor/policy/policy.h"
#include "supervisor/policy/random_profile.h"
#include "supervisor/tree/search_strategy.h"

#include <fmc/tracer/array.h>
#include <fmc/tracer/assert.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/*
 * PCT and SURW go by what the first so many walks were like, and by no later ones: so a walk is the same whatever
 * has come of others by then.
 */
#define MEASURED_PCT  8
#define MEASURED_SURW 64

/* Half the width of an interval that holds the mean with 95 % confidence, in standard errors. */
#define CONFIDENCE 1.96

/* One that has been begun. */
struct walk {
	uint64_t number; /* from 0 */
	uint64_t ticket; /* 0: to be run again, it was out when the search was saved */
};

struct random_walks {
	enum policy_kind kind;
	uint64_t seed;
	uint32_t changes;	/* PCT */
	uint32_t shard, shards; /* every so many-th is this shard's; 0: all are */
	uint64_t begun, executions;
	struct walk *out; /* by their numbers */
	size_t out_length, out_room;
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
	free(walks->out);
	free(walks);
}

static void *create(const struct search_options *options, enum policy_kind kind)
{
	struct random_walks *walks = calloc(1, sizeof *walks);
	if (!walks)
		return NULL;
	walks->kind = kind;
	walks->seed = options->seed;
	walks->shard = options->shard;
	walks->shards = options->shards;
	walks->changes = kind == POLICY_PCT ? options->bound - 1 : 0;
	return walks;
}

static void *recur_create(const struct search_options *options)
{
	return create(options, POLICY_RECUR);
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

/* So many walks come first, one after the other, on each of which those after it may depend. */
static uint64_t measuring(const struct random_walks *walks)
{
	if (walks->kind == POLICY_PCT)
		return MEASURED_PCT;
	return walks->kind == POLICY_SURW && !walks->profile.whole ? MEASURED_SURW : 0;
}

static bool is_elsewhere(const struct random_walks *walks, uint64_t number)
{
	return walks->shards && number % walks->shards != walks->shard;
}

/* The next number for which something is to be run. */
static uint64_t next_number(const struct random_walks *walks)
{
	uint64_t number = walks->begun;
	while (number >= measuring(walks) && is_elsewhere(walks, number))
		number++;
	return number;
}

/* Until something has been measured, walks are plain ones. */
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

static struct walk *push_walk(struct random_walks *walks, uint64_t number)
{
	if (!ARRAY_GROW(walks->out, walks->out_length, walks->out_room))
		return NULL;
	struct walk *walk = &walks->out[walks->out_length++];
	*walk = (struct walk){.number = number};
	return walk;
}

static void set_policy(const struct random_walks *walks, uint64_t number, struct policy *policy)
{
	policy->seed = walks->seed + number;
	policy->kind = measured(walks) ? walks->kind : POLICY_RANDOM;
	if (policy->kind == POLICY_PCT) {
		policy->changes = walks->changes;
		policy->length = walks->longest;
	} else if (policy->kind == POLICY_SURW) {
		policy->profile = &walks->profile.profile;
		policy->group = random_profile_draw(&walks->profile, policy->seed);
	}
	policy->early |= policy->kind == POLICY_RECUR;
}

static enum search_answer random_next(void *strategy, struct plan *plan)
{
	struct random_walks *walks = strategy;
	size_t again = 0;
	while (again < walks->out_length && walks->out[again].ticket != 0)
		again++;
	struct walk *walk = again < walks->out_length ? &walks->out[again] : NULL;
	uint64_t number = walk ? walk->number : next_number(walks);
	uint64_t needed = number < measuring(walks) ? number : measuring(walks);
	if (again > 0 && walks->out[0].number < needed)
		return SEARCH_LATER;
	if (!walk && !(walk = push_walk(walks, number)))
		return SEARCH_OVER;
	walks->begun = number >= walks->begun ? number + 1 : walks->begun;
	plan->elsewhere = is_elsewhere(walks, number);
	walk->ticket = plan->ticket;
	set_policy(walks, walk->number, &plan->policy);
	return SEARCH_PLAN;
}

/* The number of the walk with this ticket, which is no longer out. */
static uint64_t come_back(struct random_walks *walks, uint64_t ticket)
{
	size_t i = 0;
	while (i < walks->out_length && walks->out[i].ticket != ticket)
		i++;
	FMC_ASSERT(i < walks->out_length);
	uint64_t number = walks->out[i].number;
	walks->out_length--;
	memmove(&walks->out[i], &walks->out[i + 1], (walks->out_length - i) * sizeof *walks->out);
	return number;
}

/* The inverse of the probability with which POLICY_RANDOM takes this execution. */
static double stands_for(const struct trace *trace)
{
	double inverse = 1;
	for (size_t i = 0; i < trace->length; i++) {
		const struct transition *transition = &trace->at[i];
		const struct alternative *alternatives = trace->alternatives + transition->first_alternative;
		inverse /= policy_probability(alternatives, transition->alternatives, trace_taken(trace, i));
	}
	return inverse;
}

static enum status random_feed(void *strategy, uint64_t ticket, const struct trace *trace)
{
	struct random_walks *walks = strategy;
	uint64_t number = come_back(walks, ticket);
	walks->executions++;
	if (number < MEASURED_PCT && trace->length > walks->longest)
		walks->longest = trace->length;
	if (walks->kind == POLICY_SURW && number < measuring(walks) && trace->end == END_EXIT &&
	    !random_profile_take(&walks->profile, trace))
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

static void random_save(const void *strategy, struct saver *saver)
{
	const struct random_walks *walks = strategy;
	save_number(saver, walks->begun);
	save_number(saver, walks->executions);
	save_double(saver, walks->mean);
	save_double(saver, walks->squares);
	save_number(saver, walks->longest);
	random_profile_save(&walks->profile, saver);
	save_number(saver, walks->out_length);
	for (size_t i = 0; i < walks->out_length; i++)
		save_number(saver, walks->out[i].number);
}

static bool random_load(void *strategy, struct loader *loader)
{
	struct random_walks *walks = strategy;
	walks->begun = load_number(loader);
	walks->executions = load_most(loader, walks->begun);
	walks->mean = load_double(loader);
	walks->squares = load_double(loader);
	walks->longest = load_number(loader);
	if (!random_profile_load(&walks->profile, loader))
		return false;
	uint64_t least = 0;
	for (size_t left = load_count(loader, 1); left > 0; left--) {
		uint64_t number = load_number(loader);
		if (number < least || number >= walks->begun)
			load_refuse(loader);
		if (loader->failed || !push_walk(walks, number))
			return false;
		least = number + 1;
	}
	if (!walks->shards && walks->begun - walks->executions != walks->out_length)
		load_refuse(loader);
	return !loader->failed;
}

#define RANDOM_OPS(the_name, the_create, the_usual)                                                          \
	{                                                                                                    \
		.name = the_name, .random = true, .usual = the_usual, .create = the_create,                  \
		.destroy = random_destroy, .several = true, .split = true, .next = random_next,              \
		.feed = random_feed, .progress = random_progress, .save = random_save, .load = random_load,  \
	}

const struct strategy_ops search_random = RANDOM_OPS("random", random_create, 0);
const struct strategy_ops search_pct = RANDOM_OPS("pct", pct_create, 3);
const struct strategy_ops search_pos = RANDOM_OPS("pos", pos_create, 0);
const struct strategy_ops search_surw = RANDOM_OPS("surw", surw_create, 0);
const struct strategy_ops search_recur = RANDOM_OPS("recur", recur_create, 0);
