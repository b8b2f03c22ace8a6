/* Executions of a search: by the agent, where that is possible. */
#include "supervisor/cli/output/say.h"
#include "supervisor/cli/session/session.h"

#include <fmc/supervisor/wire.h>
#include <fmc/tracer/clock.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Who looks at the execution on its way, or at its end, for more than its trace; NULL: nobody. */
static const char *onlooker(const struct session *session)
{
	if (session->properties)
		return "what has to hold is looked at in each state";
	if (session->states)
		return "its states are told apart";
	if (session->endings.on)
		return "what it prints in the end is compared";
	return session->also || session->stacks_length > 0 ? "somebody looks on" : NULL;
}

static bool same_bytes(const struct trace *a, const struct trace *b)
{
	struct saver one = {0}, other = {0};
	wire_put_trace(&one, a);
	wire_put_trace(&other, b);
	const bool same = one.failed || other.failed ||
			  (one.length == other.length && memcmp(one.at, other.at, one.length) == 0);
	saver_release(&one);
	saver_release(&other);
	return same;
}

static enum status fail(struct trace *trace)
{
	trace->end = END_ERROR;
	trace->status = STATUS_BUG;
	return STATUS_OK;
}

/* By stops as well. An execution that was broken off there tells nothing, nor does one in which something is learned: it is run anew. */
static enum status compare(struct session *session, const struct plan *plan, struct trace *trace)
{
	char otherwise[ENGINE_WHY] = "";
	struct trace inside;
	trace_init(&inside);
	const bool copied = trace_copy(&inside, trace);
	const uint32_t learned = process_learned(session->process);
	session->left_otherwise = otherwise;
	enum status status = session_run(session, plan, trace, NULL);
	session->left_otherwise = NULL;
	if (!copied || trace->end == END_INTERRUPTED || trace->end == END_ERROR ||
	    process_learned(session->process) != learned) {
		trace_release(&inside);
		return status;
	}
	const size_t from = trace_difference(&inside, trace);
	if (!same_bytes(&inside, trace)) {
		status = fail(trace);
		snprintf(trace->message, sizeof trace->message,
			 "by the agent the execution goes otherwise than by stops, from transition %zu on",
			 from < trace->length ? from : trace->length);
	} else if (*otherwise) {
		status = fail(trace);
		snprintf(trace->message, sizeof trace->message,
			 "by the agent the execution ends otherwise than by stops: %s", otherwise);
	}
	trace_release(&inside);
	return status;
}

/* By stops, because the engine hasn't: what it had done of it has to be the beginning. */
static enum status run_instead(struct session *session, const struct plan *plan, struct trace *trace)
{
	const enum status status = session_run(session, plan, trace, NULL);
	if (trace->end == END_INTERRUPTED || trace->end == END_ERROR ||
	    engine_stopped_as_begun(session->engine, trace) || !session->verify_engine)
		return status;
	snprintf(trace->message, sizeof trace->message,
		 "the agent has begun an execution otherwise than it goes by stops");
	return fail(trace);
}

enum status session_search(struct session *session, const struct plan *plan, struct trace *trace)
{
	const uint64_t begin = clock_now();
	if (!session->engine)
		return session_run(session, plan, trace, NULL);
	const char *looks_on = onlooker(session);
	if (looks_on) {
		engine_pass_over(session->engine, looks_on);
		return run_instead(session, plan, trace);
	}
	session_begin_time(session);
	const bool run = engine_run(session->engine, plan, trace);
	session_end_time(session);
	if (!run)
		return run_instead(session, plan, trace);
	session->took = clock_now() - begin;
	session->out_of_time = false;
	if (session->verify_engine && ++session->searched % session->verify_engine == 0)
		return compare(session, plan, trace);
	return STATUS_OK;
}

void session_tell_engine(const struct session *session)
{
	if (!session->engine)
		return;
	const struct engine_account account = engine_account(session->engine);
	/* Workers have run them, and tell of theirs. */
	if (account.run == 0 && account.stopped == 0)
		return;
	say("%" PRIu64 " executions by the agent, of %" PRIu64 " transitions, and %" PRIu64
	    " by stops, of %" PRIu64,
	    account.run, account.run_transitions, account.stopped, account.stop_transitions);
	for (size_t i = 0; i < account.reasons_length; i++)
		say("%" PRIu64 " not by the agent: %s: %" PRIu64 " transitions",
		    account.reasons[i].executions, account.reasons[i].why, account.reasons[i].transitions);
}
