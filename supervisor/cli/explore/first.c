/* The first executions: what they show of the program shapes the search. */
#include "supervisor/cli/explore/explore.h"
#include "supervisor/cli/session/confirm.h"

#include <fmc/tracer/answers.h>

#include <stdio.h>

/*
 * Where the user hasn't said at how many transitions executions are cut, it is at so many times the first one's. One
 * that would be cut itself goes on for so many times as long, in this part of the budget.
 */
#define DEPTH_TIMES 4
#define LONGER	    16
#define PART	    8

struct policy explore_first_policy(const struct exploration *x)
{
	/* What auto begins with shows how the program ends where nothing is late. */
	const bool open = x->options->automatic && !x->options->timeouts_given;
	return (struct policy){.kind = POLICY_DEFAULT,
			       .fair_k = x->options->search.fair_k,
			       .max_depth =
				   x->unending ? PORTFOLIO_SHORTEST + x->lead : x->options->search.max_depth,
			       .unwatched = x->unending,
			       .max_thread_depth = x->options->search.max_thread_depth,
			       .ordered = x->options->search.ordered || open};
}

static void run_first(struct exploration *x, const struct policy *policy)
{
	const struct plan plan = {.policy = *policy};
	(void)session_run(x->session, &plan, &x->last.trace, NULL); /* the trace says how it went */
	x->last.took = x->session->took;
	x->threaded |= process_threaded(x->session->process);
	x->timeouts |= trace_holds(&x->last.trace);
}

/* How long an execution gets that is only to show how long it is. */
static uint64_t probing_end(const struct exploration *x)
{
	uint64_t now = clock_now();
	return x->deadline ? now + (x->deadline > now ? x->deadline - now : 0) / PART
			   : session_time_deadline(&(struct session_time){.patience = explore_patience(x)});
}

/* Has it been cut as one that has no end near? Then its length says nothing. */
static bool is_endless(const struct exploration *x)
{
	const struct trace *trace = &x->last.trace;
	return trace->end == END_DEPTH ||
	       (trace->end == END_INTERRUPTED && trace->length >= x->probing && !tracer_interrupted());
}

/*
 * An execution of the first schedule; where it is cut though it makes no loop, up to its end if that isn't far off. Of one that has
 * none the beginning serves.
 */
static void run_to_end(struct exploration *x)
{
	struct policy policy = explore_first_policy(x);
	const uint64_t deadline = x->session->deadline;
	/* By then it has been looked for a loop. */
	x->probing = policy.max_depth + policy.max_depth / 2;
	policy.longer = LONGER * policy.max_depth;
	run_first(x, &policy);
	x->session->deadline = deadline;
	if (is_endless(x)) {
		verdict_uncontrolled(x->verdict, process_uncontrolled(x->session->process));
		x->probing = 0;
		x->unending = x->options->automatic;
		x->lead = process_client_began(x->session->process);
		policy = explore_first_policy(x);
		run_first(x, &policy);
	}
	x->probing = 0;
}

/* The depth that goes with the first execution, too. */
static void run_whole(struct exploration *x)
{
	uint64_t *depth = &x->own.search.max_depth;
	const struct policy policy = explore_first_policy(x);
	if (x->options->depth_given || !policy.max_depth) {
		run_first(x, &policy);
		return;
	}
	run_to_end(x);
	uint64_t wanted = DEPTH_TIMES * (uint64_t)x->last.trace.length;
	if (x->last.trace.end != END_DEPTH && x->last.trace.end != END_INTERRUPTED &&
	    !end_reason_loops(x->last.trace.end) && wanted > *depth)
		*depth = wanted;
}

void explore_probe(struct exploration *x, const struct trace *trace)
{
	if (x->probing && trace->length == x->probing)
		x->session->deadline = probing_end(x);
}

/* What may have made the difference, in `why`. */
static void suspect(const struct exploration *x, char why[512])
{
	const char *changing = process_changing(x->session->process);
	*why = '\0';
	if (*changing)
		snprintf(why, 512, "; it reads %s, which is another one each time", changing);
	else if (!tracer_answers_early_ticks())
		snprintf(
		    why, 512,
		    "; this machine doesn't let fmc answer what libraries read of the processor's counter of "
		    "time before main()");
}

static void compare(struct exploration *x, const struct trace *first)
{
	size_t at = trace_difference(first, &x->last.trace);
	char a[80], b[80], why[512];
	if (at == SIZE_MAX && first->outcome != x->last.trace.outcome) {
		verdict_because(x->verdict,
				"the program isn't repeatable: run twice with the same schedule, it "
				"prints something else");
		x->repeatable = false;
	}
	if (at == SIZE_MAX)
		return;
	suspect(x, why);
	confirm_describe(first, at, a);
	confirm_describe(&x->last.trace, at, b);
	verdict_because(x->verdict,
			"the program isn't repeatable: run twice with the same schedule, it differs "
			"first at transition %zu, %s against %s%s",
			at + 1, a, b, why);
	x->repeatable = false;
}

/* Has the first execution given something to build on? */
static bool good(struct exploration *x)
{
	if (!explore_usable(x)) {
		x->over = true;
		return false;
	}
	if (x->last.trace.end != END_UNSUPPORTED)
		return true;
	explore_give_up(x, STATUS_UNSUPPORTED, x->last.trace.message);
	return false;
}

/*
 * In another process than the one that executions are copies of: they have in common what that one was given by chance, as a
 * replay has not.
 */
static void run_elsewhere(struct exploration *x, const struct launch *launch, const struct policy *policy)
{
	const struct process_options wanted = session_process(launch, x->options, true);
	struct session other, *own = x->session;
	char why[256];
	enum status status = STATUS_UNSUPPORTED;
	if (!launch->image)
		status = session_open_process(&other, &wanted, x->options, own->deadline, why);
	if (status == STATUS_TIMEOUT) {
		snprintf(x->stage, sizeof x->stage, "%.63s", why);
		x->over = true;
		return;
	}
	if (status != STATUS_OK) {
		run_first(x, policy);
		return;
	}
	other.deadline = own->deadline;
	other.on_transition = own->on_transition;
	other.context = own->context;
	execution_expect(other.execution, &x->own.good_ends);
	x->session = &other;
	run_first(x, policy);
	x->session = own;
	session_close(&other);
}

/* Run it again, to compare. */
static bool run_again(struct exploration *x, const struct launch *launch)
{
	const struct policy policy = explore_first_policy(x);
	run_elsewhere(x, launch, &policy);
	const bool usable = !x->over && explore_usable(x);
	if (usable)
		compare(x, &x->first);
	return usable;
}

static bool keep_first(struct exploration *x)
{
	x->first_took = (double)x->last.took / 1e9;
	x->longest = x->last.took;
	x->first_ran = trace_copy(&x->first, &x->last.trace);
	if (!x->first_ran)
		explore_give_up(x, STATUS_NO_MEMORY, status_text(STATUS_NO_MEMORY));
	return x->first_ran;
}

void explore_assume(struct exploration *x, int status)
{
	if (x->verdict->assumed_exit)
		good_ends_remove(&x->own.good_ends, x->verdict->assumed_exit);
	good_ends_add(&x->own.good_ends, status);
	x->verdict->assumed_exit = status;
	execution_expect(x->session->execution, &x->own.good_ends);
	engine_expect(x->session->engine, &x->own.good_ends);
}

/* A status that the first execution has is how this program exits, unless the user has said how it should. */
static void assume_exit(struct exploration *x)
{
	const struct trace *trace = &x->last.trace;
	if (trace->end == END_EXIT && trace->end_value != 0 && !x->options->good_ends_given)
		explore_assume(x, trace->end_value);
}

bool explore_preflight(struct exploration *x, const struct launch *launch)
{
	const struct session_time time = explore_time(x, NULL);
	x->session->deadline = session_time_deadline(&time);
	run_whole(x);
	bool usable = good(x);
	x->launch = launch;
	if (usable)
		assume_exit(x);
	x->last.trace.good_end = good_ends_expect(&x->own.good_ends, &x->last.trace);
	if (usable && !explore_expect_outcome(x, &x->last.trace, &x->session->ending))
		explore_give_up(x, STATUS_NO_MEMORY, status_text(STATUS_NO_MEMORY));
	/* What it leaves to later executions, files for example, may keep them from doing it again. */
	if (usable)
		verdict_uncontrolled(x->verdict, process_uncontrolled(x->session->process));
	x->tried = usable = usable && keep_first(x) && run_again(x, launch);
	x->verdict->alone = usable && !x->threaded;
	const struct policy policy = explore_first_policy(x);
	if (usable && x->last.trace.end == END_EXIT)
		looks_keep(&x->looks, &x->last.trace, &policy, false);
	return usable;
}
