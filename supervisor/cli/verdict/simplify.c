/* Minimising on a real process: a session as what minimize.h runs plans on. */
#include "supervisor/cli/verdict/simplify.h"
#include "supervisor/cli/session/confirm.h"

#include <stdlib.h>
#include <string.h>

/* An execution may take so much longer than the budget before it is ended. */
#define GRACE 1000000000u

struct runner {
	struct session *session;
	enum finding_kind kind;
	char *wanted; /* as failure_text() says it */
	uint64_t begin;
	double seconds;
	uint64_t last;
	bool uncontrolled; /* something outside could have made a difference: nothing is proven */
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Kind and places, which the signature has, and the objects that threads wait for. NULL without memory. */
static char *failure_text(const struct finding *finding)
{
	const struct trace *trace = &finding->trace;
	const char **names = calloc(trace->threads_length + 1, sizeof *names);
	char *text = NULL;
	size_t size, length = 0;
	FILE *stream = names && finding->signature ? open_memstream(&text, &size) : NULL;
	if (!stream) {
		free(names);
		return NULL;
	}
	for (uint32_t t = 0; t < trace->threads_length && trace->end == END_DEADLOCK; t++) {
		const struct thread_end *end = &trace->threads[t];
		bool named = trace_stuck(trace, t) && end->blocked_class != CLASS_NONE &&
			     end->blocked_class != CLASS_THREAD &&
			     end->blocked_object < finding->objects_length;
		if (named && finding->objects[end->blocked_object])
			names[length++] = finding->objects[end->blocked_object];
	}
	qsort(names, length, sizeof *names, compare_names);
	fputs(finding->signature, stream);
	for (size_t i = 0; i < length; i++)
		fprintf(stream, " %s", names[i]);
	free(names);
	if (fclose(stream) == 0)
		return text;
	free(text);
	return NULL;
}

static bool same_failure(const struct runner *r, const struct finding *finding)
{
	char *text = finding->kind == r->kind ? failure_text(finding) : NULL;
	bool same = text && strcmp(text, r->wanted) == 0;
	free(text);
	return same;
}

static enum minimize_end run(void *context, const struct plan *plan, struct trace *trace)
{
	struct runner *r = context;
	struct finding finding;
	finding_init(&finding);
	enum status status = session_run(r->session, plan, trace, &finding);
	enum minimize_end end = MINIMIZE_UNKNOWN;
	const char *uncontrolled = process_uncontrolled(r->session->process);
	r->uncontrolled |= uncontrolled && *uncontrolled && strcmp(uncontrolled, NUMBERS_AS_GIVEN) != 0;
	if (status || trace->end == END_INTERRUPTED || trace->end == END_ERROR)
		end = MINIMIZE_STOP;
	else if (finding_classify(trace) != FINDING_NONE)
		end = same_failure(r, &finding) ? MINIMIZE_SAME : MINIMIZE_OTHER;
	else if (trace->end == END_EXIT)
		end = MINIMIZE_GOOD;
	finding_release(&finding);
	return end;
}

static double used(void *context)
{
	const struct runner *r = context;
	if (tracer_interrupted())
		return 1;
	return r->seconds > 0 ? (double)(clock_now() - r->begin) / 1e9 / r->seconds : 0;
}

void simplified_free(struct simplified *simplified)
{
	if (!simplified)
		return;
	minimized_release(&simplified->result);
	finding_release(&simplified->passing);
	free(simplified);
}

/* Where somebody outside makes a difference, a client for instance, what has come in its own time may not have come before. */
#define TRIES_UNCONTROLLED 3

/* The minimised schedule in place of the reported one, if it replays. */
static void replace(struct session *session, struct reported *reported, struct simplified *simplified,
		    bool uncontrolled)
{
	const struct minimized *result = &simplified->result;
	for (int left = uncontrolled ? TRIES_UNCONTROLLED : 1; left > 0 && !simplified->replaced; left--) {
		struct finding finding;
		finding_init(&finding);
		simplified->replaced =
		    confirm_finding(session, &result->trace, &result->policy, &finding) == CONFIRMED;
		if (!simplified->replaced) {
			finding_release(&finding);
			continue;
		}
		finding_release(&reported->finding);
		reported->finding = finding;
		reported->policy = result->policy;
	}
}

static bool is_failure(const struct trace *trace)
{
	return finding_classify(trace) != FINDING_NONE;
}

static void prove_nothing(struct minimized *result)
{
	result->least_preemptions = 0;
	result->least_transitions = result->least_transitions ? 1 : 0;
	result->critical_proven = false;
	result->never_good = false;
}

bool simplify_pass(struct session *session, const struct minimized *result, struct finding *passing)
{
	struct step *steps = confirm_steps(&result->passing);
	struct trace trace;
	bool same = false;
	trace_init(&trace);
	if (steps) {
		const struct plan plan = {
		    .prefix = steps, .prefix_length = result->passing.length, .policy = result->policy};
		enum status status = session_collect(session, &plan, &trace, passing);
		same = !status && confirm_difference(&trace, &result->passing) == SIZE_MAX;
	}
	if (!same) {
		finding_release(passing);
		finding_init(passing);
	}
	trace_release(&trace);
	free(steps);
	return same;
}

/* Run plans for what is to be known of a failure, as long as the budget lasts. */
static void explore_failure(struct runner *r, const struct minimize_options *options,
			    const struct finding *failed, struct minimized *result)
{
	struct session *session = r->session;
	const struct minimize_runner runner = {r, run, used};
	session->wanted = is_failure;
	const struct session_time time = {
	    .end = r->seconds > 0 ? r->begin + (uint64_t)(r->seconds * 1e9) + GRACE : 0, .last = r->last};
	session->deadline = session_time_deadline(&time);
	/* Without memory what there is is still as good as before. */
	(void)minimize(&runner, options, &failed->trace, result);
	if (r->uncontrolled)
		prove_nothing(result);
	session->wanted = NULL;
	session->deadline = r->last;
}

static struct runner make_runner(struct session *session, const struct finding *failed,
				 const struct simplify_budget *budget)
{
	return (struct runner){.session = session,
			       .kind = failed->kind,
			       .wanted = failure_text(failed),
			       .begin = clock_now(),
			       .seconds = budget->seconds,
			       .last = budget->last};
}

static struct minimize_options make_options(const struct policy *policy, const struct simplify_budget *budget)
{
	return (struct minimize_options){.policy = *policy,
					 .executions = budget->executions,
					 .seed = budget->seed,
					 .proven = budget->proven,
					 .depth = budget->depth,
					 .sees_memory = budget->sees_memory};
}

void simplify_criticize(struct session *session, const struct finding *failed, const struct policy *policy,
			const struct simplify_budget *budget, struct minimized *result)
{
	struct runner r = make_runner(session, failed, budget);
	struct minimize_options options = make_options(policy, budget);
	options.keep = true;
	if (r.wanted)
		explore_failure(&r, &options, failed, result);
	free(r.wanted);
}

void simplify(struct session *session, struct reported *reported, const struct simplify_budget *budget)
{
	struct simplified *simplified = calloc(1, sizeof *simplified);
	struct runner r = make_runner(session, &reported->finding, budget);
	if (simplified && r.wanted) {
		const struct minimize_options options = make_options(&reported->policy, budget);
		minimized_init(&simplified->result);
		finding_init(&simplified->passing);
		explore_failure(&r, &options, &reported->finding, &simplified->result);
		if (simplified->result.trace.length > 0)
			replace(session, reported, simplified, r.uncontrolled);
		if (simplified->replaced && simplified->result.critical_known)
			(void)simplify_pass(session, &simplified->result, &simplified->passing);
		simplified->seconds = (double)(clock_now() - r.begin) / 1e9;
		reported->simplified = simplified;
		simplified = NULL;
	}
	free(simplified);
	free(r.wanted);
}
