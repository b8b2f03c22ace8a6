/* Which strategies to try, in which order. */
#include "portfolio.h"

static struct phase make_phase(const struct options *options, enum strategy strategy, uint32_t bound,
			       uint64_t executions, double share)
{
	struct phase phase = {options->search, executions, share};
	phase.search.strategy = strategy;
	phase.search.bound = bound;
	return phase;
}

/*
 * Most failures need at most one preemption ([CB], section 4), and such a schedule is the easiest to read.
 * Some random executions then look where a search by depth comes last; higher bounds may complete a small
 * state space; what is left of the time is random.
 */
static size_t make_automatic(const struct options *options, struct phase phases[PORTFOLIO_ROOM])
{
	phases[0] = make_phase(options, STRATEGY_CB, 1, 0, 0.4);
	phases[1] = make_phase(options, STRATEGY_RANDOM, 0, 100, 0.5);
	phases[2] = make_phase(options, STRATEGY_CB, UINT32_MAX, 0, 0.8);
	phases[3] = make_phase(options, STRATEGY_RANDOM, 0, 0, 1);
	phases[3].search.seed++; /* not the same again */
	return 4;
}

size_t portfolio_make(const struct options *options, bool repeatable, struct phase phases[PORTFOLIO_ROOM])
{
	if (!repeatable) {
		phases[0] = make_phase(options, STRATEGY_RANDOM, 0, 0, 1);
		return 1;
	}
	if (options->automatic)
		return make_automatic(options, phases);
	phases[0] = (struct phase){options->search, 0, 1};
	return 1;
}
