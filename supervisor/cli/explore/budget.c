/* How long a search and its parts may take. */
#include "supervisor/cli/explore/explore.h"

/*
 * An execution that takes so many times what others took is broken off, but not before so much time has passed: this part of the
 * budget; of a search without one these nanoseconds.
 */
#define TIMES	     20
#define PART	     20
#define UNLIMITED_NS UINT64_C(60000000000)

/* Of its time a phase has this part to show that it isn't hopeless: that there aren't so many times as many executions. */
#define TRIAL	 10
#define HOPELESS 20

/* So many plans each random turn has, however slow executions are. */
#define LEAST_PLANS 3

/* A failure that was found in time is confirmed in this part of the budget beyond it, or in this time. */
#define BEYOND	      10
#define CONFIRMING_NS UINT64_C(1000000000)

uint64_t explore_last_moment(const struct exploration *x)
{
	return x->deadline ? x->deadline + (x->deadline - x->begin) / BEYOND : 0;
}

uint64_t explore_confirming_end(const struct exploration *x, uint64_t took)
{
	if (!x->deadline)
		return 0;
	uint64_t least = clock_now() + CONFIRMING_NS + TIMES * took, end = explore_last_moment(x);
	return end > least ? end : least;
}

uint64_t explore_phase_end(const struct exploration *x, const struct phase *phase)
{
	if (!x->deadline)
		return 0;
	const double budget = (double)(x->deadline - x->begin);
	uint64_t end = x->begin + (uint64_t)(budget * phase->share);
	uint64_t own = x->phase_begin + (uint64_t)(budget * phase->part);
	return phase->part > 0 && own < end ? own : end;
}

/*
 * Are there so many more executions than the phase has the time for that it shows nothing that random ones don't? Not
 * before a part of its time has told how long they take.
 */
static bool hopeless(const struct exploration *x, const struct phase *phase, uint64_t now)
{
	uint64_t end = explore_phase_end(x, phase);
	if (!phase->gives_up || !end || now >= end || now - x->phase_begin < (end - x->phase_begin) / TRIAL)
		return false;
	double done = (double)(x->search.executions - x->phase_from);
	double possible = done / (double)(now - x->phase_begin) * (double)(end - now);
	return x->search.countless || x->search.estimate > HOPELESS * (possible + 1);
}

bool explore_tried(const struct exploration *x, const struct phase *phase)
{
	const uint64_t end = explore_phase_end(x, phase), trial = (end - x->phase_begin) / TRIAL;
	return !phase->gives_up || !end || end <= x->phase_begin || clock_now() - x->phase_begin > 2 * trial;
}

/* Of so many random executions of all shards, the share of this one; else so many as the user says. 0: there is no limit. */
static uint64_t most_executions(const struct exploration *x, const struct phase *phase)
{
	const uint64_t most = x->options->executions;
	const uint32_t shards = phase->search.shards, shard = phase->search.shard;
	if (!most || !shards || !strategy_random(phase->search.strategy))
		return most;
	return most / shards + (shard < most % shards);
}

/* A turn for which others have left no time takes it from those after it: each strategy is to be tried. */
static bool has_its_least(const struct phase *phase, uint64_t planned)
{
	return planned >= LEAST_PLANS || !strategy_random(phase->search.strategy);
}

/* Has a search that is only tried had what it may have? */
static bool is_aside_over(const struct exploration *x, uint64_t now)
{
	const struct aside *aside = &x->aside;
	return aside->most && (x->verdict->executions + jobs_out(x->jobs) >= aside->most ||
			       (aside->end && now >= aside->end));
}

bool explore_spent(struct exploration *x, const struct phase *phase, uint64_t planned)
{
	uint64_t most = most_executions(x, phase);
	uint64_t now = clock_now();
	x->enough |= tracer_interrupted();
	uint64_t now_run = x->verdict->executions - x->verdict->earlier + jobs_out(x->jobs) - x->elsewhere;
	x->over = x->over || x->enough || (most && now_run >= most) || (x->deadline && now >= x->deadline) ||
		  is_aside_over(x, now);
	uint64_t end = explore_phase_end(x, phase);
	return x->over || hopeless(x, phase, now) || (phase->executions && planned >= phase->executions) ||
	       (end && now >= end && has_its_least(phase, planned)) || (x->unfair && x->endless);
}

uint64_t explore_patience(const struct exploration *x)
{
	uint64_t patience = x->deadline ? (x->deadline - x->begin) / PART : UNLIMITED_NS;
	return patience > TIMES * x->longest ? patience : TIMES * x->longest;
}

struct session_time explore_time(const struct exploration *x, const struct phase *phase)
{
	/* The first execution may have it all. */
	if (!phase && x->deadline)
		return (struct session_time){.last = x->deadline};
	return (struct session_time){.end = phase ? explore_phase_end(x, phase) : 0,
				     .patience = explore_patience(x),
				     .last = x->deadline};
}
