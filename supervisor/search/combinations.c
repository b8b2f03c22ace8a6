/* The table of combinations. Reasons that are theorems or counter-examples are tests too. */
#include <fmc/supervisor/combinations.h>

static const struct {
	enum feature feature;
	const char *name;
} names[] = {
    {FEATURE_AUTO, "auto"},
    {FEATURE_DFS, "dfs"},
    {FEATURE_PREEMPTIONS, "cb"},
    {FEATURE_DELAYS, "delay"},
    {FEATURE_BPOR, "bpor"},
    {FEATURE_SLEEP_SETS, "source and optimal"},
    {FEATURE_RANDOM, "random strategies"},
    {FEATURE_BOUND, "a bound"},
    {FEATURE_CACHE, "--cache"},
    {FEATURE_NO_FAIR, "--no-fair"},
    {FEATURE_FAIR_K, "--fair-k"},
    {FEATURE_THREAD_DEPTH, "--max-thread-depth"},
    {FEATURE_SPURIOUS, "--spurious"},
    {FEATURE_FIRST, "--first"},
    {FEATURE_ALL, "--all"},
    {FEATURE_JOBS, "--jobs"},
    {FEATURE_RESUME, "--resume"},
    {FEATURE_SHARD, "--shard"},
};

static const struct {
	enum feature one, other;
	const char *reason;
} refused[] = {
    {FEATURE_SLEEP_SETS, FEATURE_BOUND,
     "what a sleep set leaves out is reached by another order, which may be beyond the bound; use cb:K"},
    {FEATURE_DFS, FEATURE_BOUND, "dfs runs everything; use cb:K or delay:K"},
    {FEATURE_AUTO, FEATURE_BOUND, "auto chooses its bounds itself; use cb:K or delay:K"},
    {FEATURE_SLEEP_SETS, FEATURE_CACHE,
     "what follows a state that was left out would be missing from the races that the search reverses"},
    {FEATURE_BPOR, FEATURE_CACHE,
     "what follows a state that was left out would be missing from the backtrack sets"},
    {FEATURE_DFS, FEATURE_CACHE,
     "dfs is what the others are compared with; cb without a bound has the cache"},
    {FEATURE_RANDOM, FEATURE_CACHE, "random executions leave nothing out"},
    {FEATURE_SLEEP_SETS, FEATURE_THREAD_DEPTH,
     "a thread that is held at its budget may hide the race that has to be reversed"},
    {FEATURE_BPOR, FEATURE_THREAD_DEPTH,
     "a thread that is held at its budget may hide the race that has to be reversed"},
    {FEATURE_BPOR, FEATURE_SPURIOUS,
     "when a spurious wakeup is possible depends on all other threads, which a pending operation doesn't "
     "show"},
    {FEATURE_BPOR, FEATURE_JOBS,
     "where it goes next depends on the execution before: only one can run at a time"},
    {FEATURE_BPOR, FEATURE_RESUME,
     "bpor is what cb is compared with, and its backtrack sets aren't kept; cb's search is"},
    {FEATURE_AUTO, FEATURE_SHARD,
     "which strategies it comes to depends on how quick each machine is; name one: dfs, source, optimal, "
     "random, pct, pos or surw"},
    {FEATURE_PREEMPTIONS, FEATURE_SHARD,
     "what one bound leaves to the next comes from all executions within it; use dfs, source, optimal or a "
     "random strategy"},
    {FEATURE_DELAYS, FEATURE_SHARD,
     "what one bound leaves to the next comes from all executions within it; use dfs, source, optimal or a "
     "random strategy"},
    {FEATURE_BPOR, FEATURE_SHARD,
     "where it goes next depends on the execution before; use dfs, source, optimal or a random strategy"},
    {FEATURE_NO_FAIR, FEATURE_FAIR_K, "one switches fairness off, the other sets how it counts"},
    {FEATURE_FIRST, FEATURE_ALL, "one stops at the first failure, the other goes on"},
};

#define NAMES	(sizeof names / sizeof *names)
#define REFUSED (sizeof refused / sizeof *refused)

static const char *name_of(enum feature feature)
{
	size_t i = 0;
	while (i + 1 < NAMES && names[i].feature != feature)
		i++;
	return names[i].name;
}

static enum feature strategy_feature(enum strategy strategy)
{
	switch (strategy) {
	case STRATEGY_CB:
		return FEATURE_PREEMPTIONS;
	case STRATEGY_DELAY:
		return FEATURE_DELAYS;
	case STRATEGY_BPOR:
		return FEATURE_BPOR;
	case STRATEGY_DFS:
		return FEATURE_DFS;
	default:
		return strategy_random(strategy) ? FEATURE_RANDOM : FEATURE_SLEEP_SETS;
	}
}

unsigned combination_features(const struct search_options *options)
{
	unsigned features = strategy_feature(options->strategy);
	features |= options->max_thread_depth != 0 ? FEATURE_THREAD_DEPTH : 0;
	features |= options->fair_k == 0 ? FEATURE_NO_FAIR : 0;
	features |= options->fair_k > 1 ? FEATURE_FAIR_K : 0;
	return features;
}

bool combination_line(size_t i, const char **one, const char **other, const char **reason)
{
	if (i >= REFUSED)
		return false;
	*one = name_of(refused[i].one);
	*other = name_of(refused[i].other);
	*reason = refused[i].reason;
	return true;
}

const char *combination_refused(unsigned features, const char **one, const char **other)
{
	for (size_t i = 0; i < REFUSED; i++) {
		const char *reason;
		if ((features & refused[i].one) && (features & refused[i].other) &&
		    combination_line(i, one, other, &reason))
			return reason;
	}
	return NULL;
}
