/*
 * Before the first random turn: a search that switches threads at more places is tried for a while. Chance may need thousands of executions at
 * operations alone, and finds nothing that only such a search can see.
 */
#include "supervisor/cli/phases/phases.h"

/* So many executions are to have been run: then it costs little to look at some of them once more. */
#define EARLY_EXECUTIONS 64

/* The other's executions are to have at most so many times as many transitions, or so many more. */
#define LONGER_TIMES 4
#define LONGER_BY    200

/* It has so many executions, with those that follow it, in at most this part of the time that is left. */
#define ASIDE_EXECUTIONS 600
#define ASIDE_PART	 8

static struct aside make_aside(const struct exploration *x)
{
	const uint64_t now = clock_now(), left = x->deadline > now ? x->deadline - now : 0;
	return (struct aside){.most = x->verdict->executions + ASIDE_EXECUTIONS,
			      .end = x->deadline ? now + left / ASIDE_PART : 0};
}

static size_t most_more(const struct exploration *x)
{
	const size_t times = (LONGER_TIMES - 1) * x->first.length;
	return times > LONGER_BY ? times : LONGER_BY;
}

/* Does the first execution come to its end like that when atomic instructions are operations, too? */
static bool has_few_atomics(const struct exploration *x, uint64_t end)
{
	struct options with = *x->options;
	struct session other;
	struct plan plan = {.policy = explore_first_policy(x)};
	struct trace trace;
	char why[256];
	with.atomics = true;
	const struct process_options wanted = session_process(x->launch, &with, true);
	plan.policy.max_depth = x->first.length + most_more(x);
	plan.policy.unwatched = true;
	engine_rest(x->session->engine);
	if (session_open_process(&other, &wanted, &with, end, why) != STATUS_OK)
		return false;
	trace_init(&trace);
	other.deadline = end;
	const bool few = session_run(&other, &plan, &trace, NULL) == STATUS_OK && trace.end == x->first.end;
	trace_release(&trace);
	session_close(&other);
	return few;
}

static bool promises_more(struct exploration *x, uint64_t end)
{
	return explore_wants_atomics(x) ? has_few_atomics(x, end) : explore_look_early(x, most_more(x));
}

static bool is_time(const struct exploration *x, const struct phase *phase)
{
	return x->try_more && !x->tried_more && strategy_random(phase->search.strategy) &&
	       x->verdict->executions - x->verdict->before >= EARLY_EXECUTIONS;
}

bool explore_try_more(struct exploration *x, const struct phase *phase)
{
	if (!is_time(x, phase))
		return false;
	x->tried_more = true;
	const struct aside aside = x->aside.most ? x->aside : make_aside(x);
	if (!promises_more(x, aside.end))
		return false;
	progress_clear(&x->progress);
	x->verdict->seconds = explore_seconds(x);
	x->hands_on = x->aside.most > 0;
	x->decided = !x->hands_on && x->try_more(x->more_context, x, &aside);
	x->over |= x->decided;
	x->looked = x->hands_on || x->decided;
	if (!x->looked)
		explore_forget_look(x);
	return x->looked;
}
