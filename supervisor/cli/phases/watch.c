/*
 * A search that has run every order of its operations, once more with every access to memory watched. If none is left that no
 * operation orders, then any interleaving of accesses does what one of these executions did: their operations include all
 * accesses that could matter (Adve and Hill, Weak Ordering, 1990).
 */
#include "supervisor/cli/phases/phases.h"

#include <fmc/supervisor/search.h>

#include <string.h>

/* What this may take where the user hasn't asked for it: this much, or a part of what the search took. */
#define WATCH_NS   UINT64_C(1000000000)
#define WATCH_PART 3

#define ASTRAY "a watched execution didn't follow its schedule: the program isn't repeatable"

static bool is_asked_for(const struct exploration *x)
{
	return x->options->require_complete || x->options->granularity >= GRANULARITY_RACE || x->resume->path;
}

/* On clock_now(); 0: never. */
static uint64_t watch_end(const struct exploration *x)
{
	const uint64_t now = clock_now(), part = now + (now - x->begin) / WATCH_PART;
	uint64_t end = part > now + WATCH_NS ? part : now + WATCH_NS;
	if (is_asked_for(x))
		return x->deadline;
	return x->deadline && x->deadline < end ? x->deadline : end;
}

static bool may_watch(const struct exploration *x)
{
	const struct verdict *verdict = x->verdict;
	return x->complete && !x->over && !x->options->prune_states && !verdict->alone &&
	       !verdict->reported_length && !verdict->reasons && !verdict->broken_off &&
	       !verdict->memory.length && !tracer_interrupted() && !x->diverged;
}

/* Has an earlier run come further than this? */
static bool was_watched(const struct exploration *x)
{
	return x->resume->going_on && x->resume->position > EXPLORE_WATCHING;
}

/* No more executions are watched in a run than it may have of others. */
static bool is_limited(const struct exploration *x)
{
	const uint64_t most = x->options->executions;
	return most && x->verdict->watched - x->watched_before + jobs_out(x->jobs) >= most;
}

/* Which accesses they are is looked at later: of each digest one execution. */
static void suspect(struct exploration *x, const struct job *job)
{
	const uint64_t races = job->watched.races + 31 * job->watched.ordered;
	const size_t length = x->suspects.length;
	for (size_t i = 0; i < length; i++)
		if (x->suspicions[i] == races)
			return;
	looks_keep_this(&x->suspects, &job->trace, &job->plan.policy);
	if (x->suspects.length > length)
		x->suspicions[length] = races;
}

static void miss(struct verdict *verdict, const char *why)
{
	if (!*verdict->unwatched)
		snprintf(verdict->unwatched, sizeof verdict->unwatched, "%s", why);
}

static bool has_failed(struct verdict *verdict, const struct trace *trace)
{
	const bool failed =
	    trace->end == END_INTERRUPTED || trace->end == END_ERROR || trace->end == END_DIVERGED;
	if (trace->end == END_DIVERGED)
		miss(verdict, ASTRAY);
	else if (trace->end == END_ERROR)
		miss(verdict, trace->message);
	return failed;
}

/* One that was watched. False: what it shows can't be relied on. */
static bool take(struct exploration *x, struct search *search)
{
	struct verdict *verdict = x->verdict;
	const struct job *job = &x->last;
	if (has_failed(verdict, &job->trace))
		return false;
	verdict->watched += !job->plan.elsewhere;
	if (!job->watched.all && !*verdict->unwatched)
		memcpy(verdict->unwatched, job->watched.missed, sizeof verdict->unwatched);
	x->unordered |= job->watched.races != 0;
	if (job->watched.races || job->watched.ordered)
		suspect(x, job);
	const enum status status = search_feed(search, job->plan.ticket, &job->trace);
	if (status == STATUS_DIVERGED)
		miss(verdict, ASTRAY);
	else if (status != STATUS_OK)
		miss(verdict, status_text(status));
	return status == STATUS_OK;
}

static void plan_ahead(struct exploration *x, struct search *search, uint64_t end)
{
	const struct session_time time = {.end = end, .patience = explore_patience(x), .last = end};
	struct plan plan;
	while (jobs_room(x->jobs) && !is_limited(x) && search_next(search, &plan) == SEARCH_PLAN)
		jobs_put(x->jobs, &plan, &time);
}

static void keep_place(struct exploration *x, const struct search *search)
{
	if (resume_due(x->resume) && explore_note_place(x, EXPLORE_WATCHING, jobs_out(x->jobs), search))
		explore_write_state(x);
}

/* Run what the search plans. False: no time was left, or something went wrong. */
static bool run_all(struct exploration *x, struct search *search, uint64_t end)
{
	char why[256];
	for (plan_ahead(x, search, end); jobs_out(x->jobs) > 0; plan_ahead(x, search, end)) {
		enum status status = jobs_take(x->jobs, false, &x->last, why);
		progress_update(&x->progress, x->phase, &x->search, x->verdict, x->last.trace.length);
		if (tracer_interrupted() || (end && clock_now() >= end))
			return false;
		if (status != STATUS_TIMEOUT && (status != STATUS_OK || !take(x, search)))
			return false;
		keep_place(x, search);
	}
	return true;
}

/* What is still out isn't wanted any more. */
static void drain(struct exploration *x)
{
	char why[256];
	while (jobs_out(x->jobs) > 0) {
		enum status status = jobs_take(x->jobs, false, &x->last, why);
		if (status != STATUS_OK && status != STATUS_TIMEOUT)
			break;
	}
}

static bool is_over(struct search *search)
{
	struct search_progress progress;
	struct plan plan;
	if (search_next(search, &plan) != SEARCH_OVER)
		return false;
	search_progress(search, &progress);
	return progress.complete && !progress.bound_met;
}

/* Which accesses they are. */
static void name_suspects(struct exploration *x)
{
	uint64_t end = clock_now() + WATCH_NS;
	if (x->deadline && x->deadline < end)
		end = x->deadline;
	x->races.list = explore_race_list(x);
	looks_make(&x->suspects, x->session, end, x->deadline, &x->verdict->memory, &x->races);
}

static void leave(struct exploration *x, const struct search *search)
{
	x->watching_cut = x->resume->unfinished = true;
	x->resume->noted = explore_note_place(x, EXPLORE_WATCHING, jobs_out(x->jobs), search);
}

void explore_leave_watching(struct exploration *x)
{
	struct search *search = search_new(&x->completed.search);
	if (search)
		leave(x, search);
	search_free(search);
}

static void watch(struct exploration *x, struct search *search)
{
	struct verdict *verdict = x->verdict;
	snprintf(x->phase, sizeof x->phase, "watching");
	jobs_watch(x->jobs, true);
	const bool all = run_all(x, search, watch_end(x)) && (is_over(search) || !is_limited(x));
	jobs_watch(x->jobs, false);
	if (!all && x->resume->path)
		leave(x, search);
	drain(x);
	if (!all)
		miss(verdict, x->watching_cut
				  ? "this run has ended before (the next one with --resume goes on with it)"
				  : "there was no time for it (--require-complete takes what --time leaves)");
	verdict->watched_all = all && is_over(search) && !*verdict->unwatched && !x->unordered;
}

void explore_watch(struct exploration *x)
{
	uint64_t planned = 0;
	struct search *search = may_watch(x) && !was_watched(x) ? search_new(&x->completed.search) : NULL;
	if (search && explore_load_place(x, EXPLORE_WATCHING, search, &planned))
		watch(x, search);
	search_free(search);
	if (search || was_watched(x))
		name_suspects(x);
}
