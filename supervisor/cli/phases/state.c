/* What an exploration has come to, as bytes. */
#include "supervisor/cli/phases/state.h"
#include "supervisor/cli/explore/explore.h"
#include "supervisor/cli/kept/learned.h"
#include "supervisor/cli/session/confirm.h"
#include "supervisor/cli/session/past.h"
#include "supervisor/cli/verdict/races.h"

#include <fmc/supervisor/wire.h>

#include <stdlib.h>
#include <string.h>

static void save_counts(const struct exploration *x, struct saver *saver)
{
	const struct verdict *v = x->verdict;
	/* What is to be run again is counted then. */
	save_number(saver, v->executions - x->undecided);
	save_number(saver, v->before);
	save_number(saver, v->transitions);
	save_number(saver, v->unmodelled);
	save_number(saver, v->atomics);
	save_number(saver, v->reduced);
	save_double(saver, (double)(clock_now() - x->begin) / 1e9 + x->earlier_seconds);
	save_double(saver, v->estimate);
	save_double(saver, v->estimate_low);
	save_double(saver, v->estimate_high);
	save_text(saver, v->estimate_of);
	save_number(saver, x->complete);
	save_number(saver, x->completed_at);
	save_number(saver, x->sampled);
	save_number(saver, x->bounded);
	save_number(saver, x->delays);
	save_number(saver, x->bound);
	save_number(saver, x->cut);
	save_number(saver, x->beyond);
	save_number(saver, x->holding);
	save_number(saver, x->held_back);
	save_number(saver, x->diverged);
	save_number(saver, x->unconfirmed - x->undecided);
	save_number(saver, x->outside);
	save_number(saver, x->going_round);
	save_number(saver, x->absent);
	save_signed(saver, v->assumed_exit);
	save_number(saver, x->broken_off);
	save_text(saver, x->broken_off ? v->broken_at : "");
	save_number(saver, v->broken_doing);
	save_number(saver, x->forbade);
	save_number(saver, x->longest_trace);
	save_number(saver, x->options->search.max_depth);
	save_number(saver, x->unending);
	save_number(saver, x->cut_early);
	save_number(saver, x->allowed);
}

static void load_into(struct loader *loader, char *text, size_t room)
{
	char *loaded = load_text(loader);
	snprintf(text, room, "%s", loaded ? loaded : "");
	free(loaded);
}

static void load_counts(struct exploration *x, struct loader *loader)
{
	struct verdict *v = x->verdict;
	v->earlier = v->executions = load_number(loader);
	v->before = load_number(loader);
	v->transitions = load_number(loader);
	v->unmodelled = load_number(loader);
	v->atomics = load_bool(loader);
	v->reduced = load_bool(loader);
	x->earlier_seconds = load_double(loader);
	v->estimate = load_double(loader);
	v->estimate_low = load_double(loader);
	v->estimate_high = load_double(loader);
	load_into(loader, v->estimate_of, sizeof v->estimate_of);
	x->complete = load_bool(loader);
	x->completed_at = load_number(loader);
	x->sampled = load_bool(loader);
	x->bounded = load_bool(loader);
	x->delays = load_bool(loader);
	x->bound = (uint32_t)load_most(loader, UINT32_MAX);
	x->cut = load_number(loader);
	x->beyond = load_number(loader);
	x->holding = load_number(loader);
	x->held_back = load_number(loader);
	x->diverged = load_number(loader);
	x->unconfirmed = load_number(loader);
	x->outside = load_number(loader);
	x->going_round = load_number(loader);
	x->absent = load_number(loader);
	int64_t assumed = load_signed(loader);
	if (assumed == 0)
		explore_assume(x, 0);
	v->broken_off = x->broken_off = load_number(loader);
	load_into(loader, v->broken_at, sizeof v->broken_at);
	v->broken_doing = (enum whereabouts)load_most(loader, WHERE_WAITS);
	x->forbade = load_bool(loader);
	x->longest_trace = load_number(loader);
	x->own.search.max_depth = load_number(loader);
	x->unending = load_bool(loader);
	x->cut_early = load_number(loader);
	x->allowed = load_number(loader);
}

static void save_reasons(const struct exploration *x, struct saver *saver)
{
	save_number(saver, x->found_reasons);
	for (size_t i = 0; i < x->found_reasons; i++)
		save_text(saver, x->verdict->because[i]);
}

static void load_reasons(struct verdict *verdict, struct loader *loader)
{
	size_t reasons = load_count(loader, 1);
	for (size_t i = 0; i < reasons && !loader->failed; i++) {
		char *text = load_text(loader);
		if (text)
			verdict_because(verdict, "%s", text);
		free(text);
	}
}

static void save_reported(const struct reported *reported, struct saver *saver)
{
	wire_put_plan(saver, &(struct plan){.policy = reported->policy});
	wire_put_trace(saver, &reported->finding.trace);
	save_number(saver, reported->finding.knowledge.loops);
	save_number(saver, reported->finding.knowledge.shared);
	save_number(saver, reported->count);
	save_number(saver, reported->execution);
	save_double(saver, reported->seconds);
	save_number(saver, reported->least_preemptions);
	save_text(saver, reported->phase);
	save_text(saver, reported->schedule);
}

/*
 * All but the finding, of which there is what was known, not more than that; the trace that it is of goes to `trace`. False if the bytes
 * can't be that.
 */
static bool load_reported(struct loader *loader, const struct knowledge *most, struct reported *reported,
			  struct trace *trace)
{
	struct wire_plan plan;
	if (!wire_get_plan(loader, &plan))
		return false;
	reported->policy = plan.plan.policy;
	reported->policy.profile = NULL;
	wire_plan_release(&plan);
	if (!wire_get_trace(loader, trace))
		return false;
	reported->finding.knowledge.loops = (uint32_t)load_most(loader, most->loops);
	reported->finding.knowledge.shared = (uint32_t)load_most(loader, most->shared);
	reported->count = load_number(loader);
	reported->execution = load_number(loader);
	reported->seconds = load_double(loader);
	reported->least_preemptions = (uint32_t)load_most(loader, UINT32_MAX);
	load_into(loader, reported->phase, sizeof reported->phase);
	reported->schedule = load_text(loader);
	return !loader->failed;
}

/* Does it fail as it did, when no more is known than then? */
static enum confirmation confirm_again(struct exploration *x, struct reported *how, const struct trace *trace)
{
	const struct knowledge then = how->finding.knowledge;
	struct past past = {0};
	struct session *session = x->session;
	const uint64_t deadline = explore_confirming_end(x, x->longest);
	if (past_differs(session, &then) && past_open(&past, session, x->launch, x->options, &then, deadline))
		session = &past.session;
	session->deadline = deadline;
	enum confirmation confirmation = confirm_finding(session, trace, &how->policy, &how->finding);
	const bool learned = past.open && past_differs(session, &then);
	past_release(&past);
	return confirmation == CONFIRMED && learned ? CONFIRM_DIFFERENT : confirmation;
}

/* Report a failure of an earlier run if it still is one. */
static enum status recall(struct exploration *x, struct reported *how, const struct trace *trace)
{
	switch (confirm_again(x, how, trace)) {
	case CONFIRMED: {
		struct reported *reported = verdict_report(x->verdict);
		if (!reported)
			return STATUS_NO_MEMORY;
		*reported = *how;
		return STATUS_OK;
	}
	case CONFIRM_DIFFERENT:
		x->unconfirmed += how->count;
		finding_release(&how->finding);
		free(how->schedule);
		return STATUS_OK;
	case CONFIRM_INTERRUPTED:
		return STATUS_INTERRUPTED;
	default:
		return STATUS_NO_MEMORY;
	}
}

static enum status load_failure(struct exploration *x, struct loader *loader)
{
	const struct knowledge most = process_knows(x->session->process);
	struct reported how = {0};
	struct trace trace;
	trace_init(&trace);
	finding_init(&how.finding);
	enum status status =
	    load_reported(loader, &most, &how, &trace) ? recall(x, &how, &trace) : STATUS_MALFORMED;
	trace_release(&trace);
	if (status) {
		finding_release(&how.finding);
		free(how.schedule);
	}
	return status;
}

#define GONE SIZE_MAX

/* place[i]: where the i-th failure of the file is in verdict->reported now, or GONE. */
static enum status load_failures(struct exploration *x, struct loader *loader, size_t *place, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		size_t before = x->verdict->reported_length;
		enum status status = load_failure(x, loader);
		if (status)
			return status;
		place[i] = x->verdict->reported_length > before ? before : GONE;
	}
	size_t digests = load_count(loader, 2);
	for (size_t i = 0; i < digests && !loader->failed; i++) {
		uint64_t digest = load_number(loader), at = load_number(loader);
		if (at >= length)
			return STATUS_MALFORMED;
		if (place[at] != GONE && !failures_know(&x->failures, digest, place[at]))
			return STATUS_NO_MEMORY;
	}
	return loader->failed ? STATUS_MALFORMED : STATUS_OK;
}

/* Which of the searches that follow each other it is. */
enum stage { STAGE_FIRST, STAGE_FOLLOWS, STAGE_TSO };

static enum stage stage_of(const struct exploration *x)
{
	if (!x->follows)
		return STAGE_FIRST;
	return x->options->tso ? STAGE_TSO : STAGE_FOLLOWS;
}

/* And at which accesses threads are switched, if others have come before. */
static void save_stage(const struct exploration *x, struct saver *saver)
{
	save_number(saver, stage_of(x));
	promoted_save(x->options->promoted, saver);
	memory_seen_save(&x->verdict->switched, saver);
}

static enum status load_stage(struct exploration *x, struct loader *loader)
{
	struct races races = {0};
	const enum stage stage = (enum stage)load_most(loader, STAGE_TSO);
	bool good = promoted_load(&races.places, loader);
	good = good && memory_seen_load(&races.names, loader);
	x->passed_over = good && stage > STAGE_FIRST && !x->follows;
	x->passed_sc = x->passed_over && stage == STAGE_TSO;
	if (x->passed_over)
		x->races = races;
	else
		races_release(&races);
	return good && !loader->failed ? STATUS_OK : STATUS_MALFORMED;
}

/* What was seen of accesses to memory. */
static void save_watched(const struct exploration *x, struct saver *saver)
{
	looks_save(&x->looks, saver);
	looks_save(&x->suspects, saver);
	for (size_t i = 0; i < x->suspects.length; i++)
		save_number(saver, x->suspicions[i]);
	save_number(saver, x->unordered);
	save_number(saver, x->verdict->watched);
	save_number(saver, x->verdict->watched_all);
	save_text(saver, x->watching_cut ? "" : x->verdict->unwatched);
	race_list_save(x->verdict->races, saver);
}

static bool load_watched(struct exploration *x, struct loader *loader)
{
	struct verdict *v = x->verdict;
	bool good = looks_load(&x->looks, loader) && looks_load(&x->suspects, loader);
	for (size_t i = 0; good && i < x->suspects.length; i++)
		x->suspicions[i] = load_number(loader);
	x->unordered = load_bool(loader);
	x->watched_before = v->watched = load_number(loader);
	v->watched_all = load_bool(loader);
	load_into(loader, v->unwatched, sizeof v->unwatched);
	return good && race_list_load(v->races, loader);
}

void explore_state_save(const struct exploration *x, struct saver *saver)
{
	save_stage(x, saver);
	learned_save(process_loops(x->session->process), 0, process_shared(x->session->process), 0, saver);
	save_counts(x, saver);
	save_reasons(x, saver);
	save_watched(x, saver);
	coverage_save(&x->coverage, saver);
	save_number(saver, x->verdict->reported_length);
	for (size_t i = 0; i < x->verdict->reported_length; i++)
		save_reported(&x->verdict->reported[i], saver);
	save_number(saver, x->failures.length);
	for (size_t i = 0; i < x->failures.length; i++) {
		save_number(saver, x->failures.known[i].digest);
		save_number(saver, x->failures.known[i].reported);
	}
	certify_save(&x->certifying, saver);
}

static enum status load_all_failures(struct exploration *x, struct loader *loader)
{
	size_t length = load_count(loader, 1);
	size_t *place = calloc(length + 1, sizeof *place);
	if (!place)
		return STATUS_NO_MEMORY;
	enum status status = load_failures(x, loader, place, length);
	free(place);
	return status;
}

enum status explore_state_load(struct exploration *x, struct loader loader)
{
	enum status status = load_stage(x, &loader);
	if (status || x->passed_over)
		return status;
	if (!x->options->loops || !x->options->shared)
		return STATUS_NO_MEMORY;
	if (!learned_load(x->options->loops, x->options->shared, &loader))
		return STATUS_MALFORMED;
	load_counts(x, &loader);
	load_reasons(x->verdict, &loader);
	if (!load_watched(x, &loader) || !coverage_load(&x->coverage, &loader))
		return STATUS_MALFORMED;
	x->verdict->classes = x->coverage.classes;
	x->verdict->saturation = coverage_saturation(&x->coverage);
	status = load_all_failures(x, &loader);
	if (status)
		return status;
	certify_load(&x->certifying, &loader);
	return loader.failed || loader.left > 0 ? STATUS_MALFORMED : STATUS_OK;
}
