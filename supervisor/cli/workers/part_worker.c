/* Searching a part: which of its executions are told, and which only counted. */
#include "supervisor/cli/workers/part_worker.h"
#include "supervisor/cli/workers/failures.h"
#include "supervisor/cli/workers/part_report.h"
#include "supervisor/cli/workers/parted.h"

#include <fmc/supervisor/lock_order.h>
#include <fmc/tracer/array.h>

#include <stdlib.h>
#include <string.h>

/* So many executions that ended alike are told by one worker: not each is confirmed when it is replayed. */
#define TELLINGS 3

/* And so many ways to end are told apart; of others each execution is told. */
#define ENDS 256

void part_worker_init(struct part_worker *worker, struct session *session, const struct options *options)
{
	*worker = (struct part_worker){.session = session, .options = options};
	trace_init(&worker->trace);
	coverage_init(&worker->coverage);
}

void part_worker_release(struct part_worker *worker)
{
	trace_release(&worker->trace);
	coverage_release(&worker->coverage);
	free(worker->told);
	free(worker->uncontrolled);
}

/* What an execution is counted with that has exited as all should: nothing else is to be said of it. */
static uint64_t digest_of(const struct trace *trace)
{
	if (trace->end == END_REDUNDANT || (trace->end == END_EXIT && trace->end_value == 0))
		return 1;
	return failures_digest(trace);
}

/* Has so much been told of those that end like it? Else it counts as told. */
static bool was_told(struct part_worker *worker, uint64_t digest)
{
	for (size_t i = 0; i < worker->told_length; i++)
		if (worker->told[i].digest == digest)
			return worker->told[i].times++ >= TELLINGS;
	if (worker->told_length < ENDS && ARRAY_ONE_MORE(worker->told, worker->told_length))
		worker->told[worker->told_length++] = (struct part_told){digest, 1};
	return false;
}

/* Does the verdict say more of it than that it has been run? */
static bool has_remarks(const struct part_worker *worker, const struct plan *plan, bool ordered)
{
	const struct trace *trace = &worker->trace;
	const uint64_t depth = plan->policy.max_depth;
	for (uint32_t t = 0; t < trace->found_length; t++)
		if (trace->found[t].flags & OP_ABSENT)
			return true;
	if (trace->held_back || trace->unmodelled || (depth != 0 && trace->length > depth) ||
	    (ordered && trace_holds(trace)))
		return true;
	switch (trace->end) {
	case END_DEPTH:
	case END_THREAD_DEPTH:
	case END_ALLOWED:
	case END_DIVERGED:
	case END_UNSUPPORTED:
	case END_STUCK:
	case END_ABSENT:
	case END_GOES_ON:
	case END_INTERRUPTED:
	case END_ERROR:
		return true;
	default:
		return false;
	}
}

/* What is said once, and was not. */
static bool has_news(struct part_worker *worker, const char *uncontrolled)
{
	const struct trace *trace = &worker->trace;
	struct lock_inversion inversion;
	bool news = false;
	if (uncontrolled && (!worker->uncontrolled || strcmp(uncontrolled, worker->uncontrolled) != 0)) {
		free(worker->uncontrolled);
		worker->uncontrolled = strdup(uncontrolled);
		news = true;
	}
	if (!worker->parted && is_parted(trace))
		news = worker->parted = true;
	if (!worker->goes_on && trace->end == END_DEADLOCK && trace_goes_on(trace))
		news = worker->goes_on = true;
	if (trace->end != END_EXIT)
		return news;
	if (worker->inversions < TELLINGS && lock_order_find(trace, &inversion)) {
		worker->inversions++;
		news = true;
	}
	if (worker->leaks < TELLINGS && leaked_thread(trace) != NO_THREAD) {
		worker->leaks++;
		news = true;
	}
	return news;
}

/* Is it one of those that are looked at again (watch/looks.h)? */
static bool is_new_class(struct part_worker *worker, struct trace_hash class)
{
	const uint64_t before = worker->coverage.classes;
	const bool counted = coverage_count(&worker->coverage, class);
	const uint64_t classes = worker->coverage.classes;
	return counted && classes > before && (classes & (classes - 1)) == 0;
}

/* The last execution, into the report. *urgent: it should be known soon. False without memory. */
static bool note(struct part_worker *worker, const struct plan *plan, bool ordered, bool fed, bool diverged,
		 const struct search *search, struct part_report *report, bool *urgent)
{
	const struct trace *trace = &worker->trace;
	const char *uncontrolled = process_uncontrolled(worker->session->process);
	struct part_execution execution = {
	    .policy = plan->policy,
	    .took = worker->session->took,
	    .uncontrolled = uncontrolled && *uncontrolled ? (char *)(uintptr_t)uncontrolled : NULL,
	    .fed = fed,
	    .diverged = diverged};
	struct trace_hash class = {0, 0};
	execution.policy.profile = NULL;
	execution.heard = fed && search_part_tells(search, &execution.from);
	bool tell = !coverage_class(&worker->coverage, trace, &class);
	tell = is_new_class(worker, class) || tell;
	tell = has_remarks(worker, plan, ordered) || tell;
	tell = has_news(worker, execution.uncontrolled) || tell;
	const uint64_t digest = digest_of(trace);
	const bool again = was_told(worker, digest);
	execution.fails = digest != 1;
	*urgent = !again && finding_classify(trace) != FINDING_NONE;
	if (tell || !again || execution.heard || diverged || !fed)
		return part_report_tell(report, &execution, trace);
	return part_report_count(report, trace, execution.took, &class, digest == 1 ? 0 : digest);
}

/* Has it taught something by which the search has to begin again, or come to no end? Then the part's search doesn't hear of it. */
static bool is_fed(const struct part_worker *worker, uint32_t learned)
{
	const enum end_reason end = worker->trace.end;
	return end != END_INTERRUPTED && end != END_ERROR &&
	       process_learned(worker->session->process) == learned;
}

static bool run(struct part_worker *worker, struct search *search, const struct job_part *part,
		const struct session_time *time, struct part_report *report)
{
	const uint64_t end = clock_now() + part->lease;
	const uint32_t learned = process_learned(worker->session->process);
	struct plan plan;
	bool good = true, over = false;
	while (good && !over && search_next(search, &plan) == SEARCH_PLAN) {
		bool urgent;
		worker->session->deadline = session_time_deadline(time);
		(void)session_search(worker->session, &plan, &worker->trace); /* the trace says how it went */
		const bool fed = is_fed(worker, learned);
		const enum status status = fed ? search_feed(search, plan.ticket, &worker->trace) : STATUS_OK;
		const bool diverged = status == STATUS_DIVERGED;
		good = (status == STATUS_OK || diverged) &&
		       note(worker, &plan, part->ordered, fed, diverged, search, report, &urgent);
		const uint64_t now = clock_now();
		over = !good || !fed || urgent || now >= end || (time->end && now >= time->end) ||
		       tracer_interrupted();
	}
	return good;
}

bool part_worker_run(struct part_worker *worker, const struct job_part *part, const struct session_time *time,
		     struct saver *saved)
{
	struct loader loader = {part->bytes, part->length, false};
	struct search *search = search_of_part(&loader);
	struct part_report report = {0};
	struct saver rest = {0};
	bool good = search && (!worker->session || run(worker, search, part, time, &report));
	if (good) {
		search_part_save(search, &rest);
		part_report_save(&report, &rest, saved);
	}
	saver_release(&rest);
	part_report_release(&report);
	search_free(search);
	return good && !saved->failed;
}
