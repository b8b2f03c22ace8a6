#include "supervisor/policy/lasso.h"

#include "supervisor/policy/cycle.h"

#define WINDOW_LEAST 1024u
#define WINDOW_MOST  16384u

/* How long a watched execution goes on past its depth bound while a loop is looked for. */
static size_t window(uint64_t depth)
{
	uint64_t length = depth / 4;
	if (length < WINDOW_LEAST)
		length = WINDOW_LEAST;
	return length > WINDOW_MOST ? WINDOW_MOST : (size_t)length;
}

static void start_at(struct lasso *lasso, size_t depth, bool watched)
{
	*lasso = (struct lasso){.depth = depth,
				.limit = depth + (watched ? window(depth) : 0),
				.longer = lasso->longer,
				.blind = lasso->blind};
}

void lasso_start(struct lasso *lasso, const struct policy *policy)
{
	const bool watched = policy->fair_k != 0 && !policy->unwatched;
	*lasso = (struct lasso){.longer = (size_t)policy->longer};
	start_at(lasso, (size_t)(policy->early && watched ? policy_early(policy) : policy->max_depth),
		 watched);
	lasso->early = policy->early && watched;
	lasso->later = (size_t)policy->max_depth;
}

void lasso_only_cut(struct lasso *lasso)
{
	lasso->blind = true;
}

void lasso_again(struct lasso *lasso)
{
	lasso->active = false;
}

/* The base's distance doubles until it is no less than the cycle. */
void lasso_longer(struct lasso *lasso, size_t now, size_t cycle)
{
	const size_t limit = now + 4 * cycle + 4;
	lasso_again(lasso);
	if (lasso->limit < limit)
		lasso->limit = limit;
}

size_t lasso_unwatched(const struct lasso *lasso, size_t length)
{
	const size_t end = lasso->blind ? lasso->limit : lasso->depth;
	if (lasso->early)
		return 0;
	if (lasso->depth == 0)
		return SIZE_MAX;
	return end > length ? end - length : 0;
}

static bool take_base(struct lasso *lasso, struct machine *machine, uint64_t model, size_t now)
{
	lasso->renewal = lasso->active ? 2 * lasso->renewal : 1;
	lasso->active = true;
	lasso->base = now;
	lasso->model = model;
	return machine->ops->digest(machine, lasso->machine);
}

static bool same_machine(struct lasso *lasso, struct machine *machine)
{
	uint64_t now[2];
	return machine->ops->digest(machine, now) && now[0] == lasso->machine[0] &&
	       now[1] == lasso->machine[1];
}

/* No loop has been seen. False: it isn't cut yet. */
static bool gives_up(struct lasso *lasso, struct trace *trace)
{
	const size_t longer = lasso->longer;
	if (lasso->early) {
		start_at(lasso, lasso->later, true);
		return false;
	}
	if (longer > trace->length) {
		*lasso = (struct lasso){.depth = longer, .limit = longer, .blind = lasso->blind};
		return false;
	}
	trace->end = END_DEPTH;
	return true;
}

bool lasso_ends(struct lasso *lasso, struct machine *machine, const struct model *model, struct trace *trace)
{
	if (lasso->early && lasso->later != 0 && trace->length >= lasso->later)
		start_at(lasso, lasso->later, true);
	if (lasso->depth == 0 || trace->length < lasso->depth)
		return false;
	const uint64_t digest = lasso->blind ? 0 : model_digest(model);
	if (lasso->active && digest == lasso->model && same_machine(lasso, machine))
		trace->end = cycle_judge(trace, lasso->base, model_threads(model), false);
	if (trace->end == END_NONE && trace->length >= lasso->limit)
		return gives_up(lasso, trace);
	if (trace->end != END_NONE || lasso->blind)
		return trace->end != END_NONE;
	if (lasso->active && trace->length - lasso->base < lasso->renewal)
		return false;
	if (take_base(lasso, machine, digest, trace->length))
		return false;
	return gives_up(lasso, trace); /* this machine can't tell */
}
