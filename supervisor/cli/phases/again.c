/* A search that finds nothing, and the one with more places to switch threads at that follows it. */
#include "supervisor/cli/phases/phases.h"

#include <fmc/supervisor/search.h>

/*
 * Where atomic instructions run the search without them has this part of the budget: those of libraries may be locks that are at
 * fault, and one that switches threads at both sees what the first one does.
 */
#define FIRST_PART 3

/* So many executions as long as those so far have to fit into what is left. */
#define LEAST_EXECUTIONS 10

/* On the average: how long a single one took says little where the machine has other things to do. */
static bool has_time_for_more(const struct exploration *x)
{
	const struct verdict *v = x->verdict;
	const uint64_t others = v->before > v->earlier ? v->before : v->earlier;
	const uint64_t now = clock_now(), executions = v->executions - others;
	const uint64_t each = executions > 0 ? (now - x->begin) / executions : x->longest;
	return !x->deadline ||
	       now + LEAST_EXECUTIONS * (each < x->longest ? each : x->longest) < x->whole_deadline;
}

static bool has_executions_left(const struct exploration *x)
{
	const uint64_t most = x->options->executions;
	return !most || x->verdict->executions - x->verdict->earlier < most;
}

/* May another search follow? */
static bool is_free(const struct exploration *x)
{
	return has_executions_left(x) && x->repeatable && !x->fatal && !tracer_interrupted();
}

static bool may_add_atomics(const struct exploration *x)
{
	return x->options->automatic && x->options->granularity == GRANULARITY_OPEN && !x->options->atomics &&
	       is_free(x);
}

void explore_leave_time(struct exploration *x)
{
	/* Half of what is left is for the search whose stores wait, which sees more. */
	if (x->options->tso_wanted && !x->options->tso && x->deadline) {
		x->deadline = x->session->deadline = x->begin + (x->deadline - x->begin) / 2;
		return;
	}
	const char *uncontrolled = x->verdict->uncontrolled;
	if (!may_add_atomics(x) || !x->deadline || !uncontrolled || !process_names_atomics(uncontrolled))
		return;
	const uint64_t end = x->begin + (x->deadline - x->begin) / FIRST_PART;
	/* Of long executions hardly one would be run: one of the two searches has all the time. */
	if (clock_now() + LEAST_EXECUTIONS * x->last.took > end)
		return;
	x->deadline = end;
	x->session->deadline = x->deadline;
	x->leaves_time = true;
}

bool explore_wants_atomics(const struct exploration *x)
{
	const struct verdict *verdict = x->verdict;
	if (!may_add_atomics(x) || verdict->reported_length > 0 || verdict->executions == 0 ||
	    !verdict->uncontrolled || !process_names_atomics(verdict->uncontrolled))
		return false;
	/* What has been left to it nobody else would use. */
	return x->leaves_time || has_time_for_more(x);
}

static bool has_new_races(const struct exploration *x)
{
	const struct promoted *races = &x->races.places, *known = x->options->promoted;
	for (size_t i = 0; i < races->length; i++)
		if (!known || !promoted_has(known, races->at[i].module, races->at[i].offset))
			return true;
	return false;
}

bool explore_may_add_races(const struct exploration *x)
{
	const struct options *options = x->options;
	const bool wanted = options->granularity >= GRANULARITY_RACE ||
			    (options->automatic &&
			     (options->granularity == GRANULARITY_OPEN || options->granularity_assumed));
	return wanted && is_free(x) && x->verdict->reported_length == 0;
}

bool explore_wants_races(const struct exploration *x)
{
	return explore_may_add_races(x) && !explore_wants_atomics(x) && has_new_races(x) &&
	       has_time_for_more(x);
}

static bool has_tso_to_come(const struct exploration *x)
{
	const struct options *options = x->options;
	return options->tso_wanted && !options->tso && !x->verdict->alone && !x->verdict->compiled &&
	       x->verdict->executions > 0 && x->verdict->reported_length == 0;
}

bool explore_wants_tso(const struct exploration *x)
{
	return has_tso_to_come(x) && is_free(x);
}

bool explore_leaves_more(const struct exploration *x)
{
	if (!x->resume->path || !x->complete)
		return false;
	return (has_new_races(x) && !explore_wants_races(x)) ||
	       (has_tso_to_come(x) && !explore_wants_tso(x) && !x->fatal);
}

/* The file is to have this search, and not the one that followed, which has run nothing. */
static void take_back(struct exploration *x)
{
	struct resume *resume = x->resume;
	struct search *search = resume->path && x->complete ? search_new(&x->completed.search) : NULL;
	resume->noted = search && resume_note(resume, EXPLORE_WATCHING, 0, search);
	resume->unfinished = resume->unfinished || resume->noted;
	resume->over = false;
	search_free(search);
}

void explore_alone(struct exploration *x, bool races)
{
	take_back(x);
	if (x->verdict->reasons > 0)
		verdict_because(x->verdict,
				"the search with %s that followed came to the end of no execution",
				races ? "accesses to memory" : "atomic instructions");
	x->verdict->seconds = explore_seconds(x);
}

void explore_follow(struct exploration *x, const struct exploration *before, const struct aside *aside)
{
	x->begin = clock_now();
	x->follows = true;
	x->aside = *aside;
	x->tried_more = before->tried_more && !aside->most;
	x->deadline = x->whole_deadline = before->whole_deadline;
	x->session->deadline = x->deadline;
	x->earlier_seconds = explore_seconds(before);
	/* Its own took what the searches before it took, too. */
	x->loading = before->loading;
	x->verdict->before = x->verdict->executions = before->verdict->executions;
	x->verdict->earlier = before->verdict->earlier;
	if (x->options->promoted)
		verdict_switched(x->verdict, before->verdict, &before->races.names);
	x->verdict->transitions = before->verdict->transitions;
	x->outcome_number = before->outcome_number;
}
