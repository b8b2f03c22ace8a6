/* Which strategies to try, in which order. */
#include "supervisor/cli/explore/portfolio.h"

/* Shares of the time budget after which each part of auto ends. */
#define SHARE_FIRST    0.05
#define SHARE_ROUND    0.15
#define SHARE_COMPLETE 0.3
#define SHARE_BOUNDED  0.65

/* What a turn of a random strategy may use where executions are slow: all of them are to have theirs. */
#define PART_FIRST 0.02
#define PART_LATER 0.03

/* A program that has no more classes of executions than this is done before anything is left to chance. */
#define EXECUTIONS_SMALL 64

/* What may be spent on leaving no equivalent executions out. */
#define SHARE_WHOLE	 0.05
#define EXECUTIONS_WHOLE 1000

/* And on those in which fairness kept a thread from running. */
#define SHARE_UNFAIR	  0.3
#define EXECUTIONS_UNFAIR 20000
#define UNFAIR_LONGER	  4
#define UNFAIR_MORE	  200

/* Executions of each random strategy in the first round, in the rounds after it. */
#define FIRST_ROUND  100
#define LATER_ROUNDS 1000

#define TURNS 5

/* Where executions have no end: how deep they go, each level so many times as deep as the one before it, and with seeds of its own. */
#define LEVELS	      4
#define LEVEL_DEEPER  4
#define SEEDS_A_LEVEL UINT64_C(1000000)

static struct phase make_phase(const struct options *options, enum strategy strategy, uint32_t bound,
			       uint64_t executions, double share)
{
	struct phase phase = {.search = options->search, .executions = executions, .share = share};
	phase.search.strategy = strategy;
	phase.search.bound = bound;
	return phase;
}

/* Most failures need at most one preemption ([CB], section 4), and such a schedule is the easiest to read. */
static struct phase make_first(const struct options *options)
{
	struct phase phase = make_phase(options, STRATEGY_CB, 1, 0, SHARE_FIRST);
	phase.part = SHARE_FIRST;
	return phase;
}

/* Each class of executions once, of a small program. */
static struct phase make_small(const struct options *options)
{
	struct phase phase = make_phase(options, STRATEGY_OPTIMAL, UINT32_MAX, EXECUTIONS_SMALL, SHARE_ROUND);
	phase.part = SHARE_FIRST;
	phase.small = true;
	return phase;
}

/*
 * None of the random strategies is the best for every program (a walk finds the deadlock of seven philosophers
 * after 18 executions and PCT after 2061, elsewhere it is the other way round), so each gets its turn. Each turn has seeds of its own.
 *
 * With every yield counted, a thread that spins a few times and then gives up or goes to sleep is interrupted by
 * fairness before it does. Some turns count fewer of them.
 *
 * A livelock in which threads have to keep step is out of reach of all of these but RECUR, which needs few executions for it, or finds none.
 */
static size_t add_round(const struct options *options, uint64_t executions, double share, double part,
			uint64_t seed, struct phase phases[TURNS])
{
	static const struct {
		enum strategy strategy;
		uint32_t bound, yields;
	} turns[TURNS] = {{STRATEGY_RANDOM, 0, 1},
			  {STRATEGY_RECUR, 0, 1},
			  {STRATEGY_POS, 0, 5},
			  {STRATEGY_SURW, 0, 1},
			  {STRATEGY_PCT, 3, 2}};
	for (size_t i = 0; i < TURNS; i++) {
		phases[i] = make_phase(options, turns[i].strategy, turns[i].bound, executions, share);
		phases[i].part = part;
		phases[i].search.seed += seed;
		phases[i].search.fair_k *= turns[i].yields;
	}
	return TURNS;
}

/*
 * A small program is explored to the end with one execution for each class, and is then done. In a larger one some random executions look,
 * after the first bound, where a search by depth comes last; both also see what threads do to each other by plain memory, which a reduced search
 * takes for nothing, so they come before more of that, but briefly. Of a still larger one bounds are worth more. What
 * is left of the time is random, and that is nearly all where not even a bound can be worked through: with many threads a
 * bound of one is out of reach.
 */
static size_t make_automatic(const struct options *options, struct phase phases[PORTFOLIO_ROOM])
{
	size_t length = 0;
	phases[length++] = make_first(options);
	if (!options->search.max_thread_depth)
		phases[length++] = make_small(options);
	length += add_round(options, FIRST_ROUND, SHARE_ROUND, PART_FIRST, 0, phases + length);
	const size_t bounded = length;
	if (!options->search.max_thread_depth)
		phases[length++] = make_phase(options, STRATEGY_OPTIMAL, UINT32_MAX, 0, SHARE_COMPLETE);
	phases[length++] = make_phase(options, STRATEGY_CB, 3, 0, SHARE_BOUNDED);
	for (size_t i = bounded; i < length; i++)
		phases[i].gives_up = true;
	length += add_round(options, LATER_ROUNDS, 1, PART_LATER, FIRST_ROUND, phases + length);
	return length;
}

/*
 * A time-out of an hour that fires at once is worth less than a failure without one. What follows has the rest of the time.
 */
static size_t add_ordered(const struct options *options, size_t length, struct phase phases[PORTFOLIO_ROOM])
{
	struct phase first[1 + TURNS] = {make_first(options)};
	const size_t count = 1 + add_round(options, FIRST_ROUND, SHARE_ROUND, PART_FIRST, 0, first + 1);
	for (size_t i = length; i-- > 0;) {
		phases[i + count] = phases[i];
		phases[i + count].share = SHARE_ROUND + (1 - SHARE_ROUND) * phases[i].share;
	}
	for (size_t i = 0; i < count; i++) {
		phases[i] = first[i];
		phases[i].search.ordered = true;
	}
	return length + count;
}

static void shorten(struct phase *phases, size_t length, uint64_t depth)
{
	for (size_t i = 0; i < length; i++) {
		phases[i].share = 1;
		phases[i].search.max_depth = depth;
		phases[i].search.unwatched = true;
	}
}

/*
 * Every execution is as long as it is let. Most failures need no more than the beginning, of which far more fit into the time, so short
 * ones come first, and have as much of the time as the longer ones later. No systematic search of such a program comes far.
 */
static size_t make_unending(const struct options *options, const struct portfolio_program *program,
			    struct phase phases[PORTFOLIO_ROOM])
{
	size_t length = 0;
	if (program->repeatable)
		phases[length++] = make_first(options);
	length += add_round(options, FIRST_ROUND, SHARE_ROUND, PART_FIRST, 0, phases + length);
	if (program->repeatable && program->timeouts && !options->timeouts_given)
		length = add_ordered(options, length, phases);
	shorten(phases, length, PORTFOLIO_SHORTEST + program->lead);
	uint64_t depth = PORTFOLIO_SHORTEST, executions = LATER_ROUNDS;
	for (uint64_t level = 0; level < LEVELS; level++) {
		const size_t added = add_round(options, executions, 1, PART_LATER,
					       FIRST_ROUND + level * SEEDS_A_LEVEL, phases + length);
		if (level + 1 < LEVELS)
			shorten(phases + length, added, depth + program->lead);
		length += added;
		depth *= LEVEL_DEEPER;
		executions /= LEVEL_DEEPER;
	}
	return length;
}

bool portfolio_begins(const struct options *options, const struct phase *phase)
{
	return (phase->search.ordered && !options->search.ordered) || phase->search.unwatched;
}

struct phase portfolio_whole(const struct options *options, double used)
{
	return make_phase(options, STRATEGY_DFS, UINT32_MAX, EXECUTIONS_WHOLE, used + SHARE_WHOLE);
}

struct phase portfolio_unfair(const struct options *options, bool reduced, uint64_t length, double used)
{
	enum strategy strategy = reduced ? STRATEGY_OPTIMAL : STRATEGY_DFS;
	if (!options->automatic)
		strategy = options->search.strategy;
	struct phase phase =
	    make_phase(options, strategy, UINT32_MAX, EXECUTIONS_UNFAIR, used + SHARE_UNFAIR);
	uint64_t depth = UNFAIR_LONGER * length + UNFAIR_MORE;
	phase.search.fair_k = 0;
	if (!options->search.max_depth || depth < options->search.max_depth)
		phase.search.max_depth = depth;
	return phase;
}

size_t portfolio_make(const struct options *options, const struct portfolio_program *program,
		      struct phase phases[PORTFOLIO_ROOM], size_t *again)
{
	bool named = !options->automatic;
	if (named && (program->repeatable || strategy_random(options->search.strategy))) {
		phases[0] = (struct phase){.search = options->search, .share = 1};
		*again = 0;
		return 1;
	}
	*again = program->unending ? LEVELS * TURNS : TURNS;
	if (program->unending)
		return make_unending(options, program, phases);
	if (!program->repeatable)
		return add_round(options, LATER_ROUNDS, 1, PART_LATER, 0, phases);
	const size_t length = make_automatic(options, phases);
	return program->timeouts && !options->timeouts_given ? add_ordered(options, length, phases) : length;
}
