/* One execution: how it chooses, how it ends, what its trace says; divergences and the theorems of [FAIR]. */
#include <fmc/supervisor/bitset.h>
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/search.h>

#include "tests/table/brute.h"
#include "tests/table/table_random.h"
#include "tests/unit/rounds.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

/* A program with what is needed to run it. */
struct bench {
	struct table_program program;
	struct table_machine machine;
	struct execution *execution;
	struct trace trace;
};

static void bench_init(struct bench *b)
{
	memset(b, 0, sizeof *b);
	table_machine_init(&b->machine, &b->program);
	b->execution = execution_new(&b->machine.machine);
	trace_init(&b->trace);
}

static void bench_release(struct bench *b)
{
	execution_free(b->execution);
	trace_release(&b->trace);
}

static void bench_run(struct bench *b, struct policy policy)
{
	struct plan plan = {.policy = policy};
	execution_run(b->execution, &plan, &b->trace);
}

/* Run what the trace says as a prefix; the end result goes to *again. */
static void bench_replay(struct bench *b, const struct trace *trace, struct policy policy,
			 struct trace *again)
{
	struct step *steps = calloc(trace->length + 1, sizeof *steps);
	for (size_t i = 0; i < trace->length; i++)
		steps[i] = transition_step(&trace->at[i]);
	struct plan plan = {.prefix = steps, .prefix_length = trace->length, .policy = policy};
	execution_run(b->execution, &plan, again);
	free(steps);
}

/* Run a depth-first search until an execution ends this way; false: none did. */
static bool search_for(struct bench *b, enum end_reason end, uint64_t max_depth, uint64_t most)
{
	struct search_options options = {.strategy = STRATEGY_DFS, .fair_k = 1, .max_depth = max_depth};
	struct search *search = search_new(&options);
	struct plan plan;
	bool found = false;
	for (uint64_t i = 0; i < most && !found && search_next(search, &plan); i++) {
		execution_run(b->execution, &plan, &b->trace);
		ck_assert_int_eq(search_feed(search, plan.ticket, &b->trace), STATUS_OK);
		found = b->trace.end == end;
	}
	search_free(search);
	return found;
}

/* Every execution ends by itself; returns how many there are. */
static uint64_t all_exit(struct bench *b)
{
	struct search_options options = {.strategy = STRATEGY_DFS, .fair_k = 1, .max_depth = 1000};
	struct search *search = search_new(&options);
	struct plan plan;
	uint64_t executions = 0;
	for (; search_next(search, &plan); executions++) {
		execution_run(b->execution, &plan, &b->trace);
		/* What it says of a trace is tested elsewhere. */
		(void)search_feed(search, plan.ticket, &b->trace);
		ck_assert_int_eq(b->trace.end, END_EXIT);
	}
	struct search_progress progress;
	search_progress(search, &progress);
	ck_assert(progress.complete && progress.cut_at_depth == 0);
	search_free(search);
	return executions;
}

static const struct policy plain = {.kind = POLICY_DEFAULT, .fair_k = 1};

/* Figure 1: each takes one fork and tries for the other, gives back the first if that fails, and starts
 * again. */
static void figure_1(struct table_program *p)
{
	uint32_t forks[2] = {table_mutex(p, MUTEX_NORMAL), table_mutex(p, MUTEX_NORMAL)};
	for (uint32_t i = 0; i < 2; i++) {
		struct table_body *b = table_body(p);
		table_op(b, OP_MUTEX_LOCK, forks[i]);
		table_op(b, OP_MUTEX_TRYLOCK, forks[1 - i]);
		struct table_code *eat = table_jump(b, TABLE_JUMP_IF, 0, 0, 0);
		table_op(b, OP_MUTEX_UNLOCK, forks[i]);
		table_jump(b, TABLE_JUMP, 0, 0, 0);
		eat->target = b->length;
		table_op(b, OP_MUTEX_UNLOCK, forks[i]);
		table_op(b, OP_MUTEX_UNLOCK, forks[1 - i]);
	}
}

/* The part of the trace that repeats: who is scheduled, who is enabled, who yields in it. */
static void check_loop(const struct trace *trace)
{
	uint32_t words = trace->set_words;
	uint64_t scheduled[4] = {0}, enabled[4] = {0}, yields[4] = {0};
	ck_assert_uint_lt(trace->loop_start, trace->length);
	ck_assert_uint_le(words, 4);
	for (size_t i = trace->loop_start; i < trace->length; i++) {
		bitset_add(scheduled, trace->at[i].thread);
		if (trace->at[i].flags & TRANSITION_YIELD)
			bitset_add(yields, trace->at[i].thread);
		for (uint32_t w = 0; w < words; w++)
			enabled[w] |= trace_enabled(trace, i)[w];
	}
	bool fair = bitset_subset(enabled, scheduled, words);
	if (trace->end == END_LIVELOCK)
		ck_assert(fair);
	else
		ck_assert(!fair && bitset_has(scheduled, trace->end_thread) &&
			  !bitset_has(yields, trace->end_thread));
}

START_TEST(figure_1_livelock)
{
	struct bench b;
	bench_init(&b);
	figure_1(&b.program);
	ck_assert(search_for(&b, END_LIVELOCK, 60, 100000));
	check_loop(&b.trace);
	struct trace again;
	trace_init(&again);
	struct policy policy = plain;
	policy.max_depth = 60;
	bench_replay(&b, &b.trace, policy, &again);
	ck_assert_uint_eq(trace_difference(&b.trace, &again), SIZE_MAX);
	trace_release(&again);
	bench_release(&b);
}
END_TEST

/* Figure 3: t sets x, u waits for it. */
static void figure_3(struct table_program *p, enum op_kind in_loop)
{
	uint32_t x = table_variable(p, 0);
	table_spin(table_body(p), x, 1, in_loop);
	table_write(table_body(p), x, 1);
}

START_TEST(figure_3_terminates)
{
	struct bench b;
	bench_init(&b);
	figure_3(&b.program, OP_YIELD);
	ck_assert_uint_gt(all_exit(&b), 2);
	bench_release(&b);
}
END_TEST

START_TEST(figure_3_without_fairness_starves)
{
	struct bench b;
	bench_init(&b);
	figure_3(&b.program, OP_YIELD);
	bench_run(&b, (struct policy){.kind = POLICY_DEFAULT, .fair_k = 0, .max_depth = 100});
	ck_assert_int_eq(b.trace.end, END_DEPTH);
	ck_assert_uint_eq(b.trace.length, 100);
	bench_release(&b);
}
END_TEST

/* Without fairness the depth cuts exactly, even where the loop is a livelock: it isn't looked at. */
START_TEST(figure_1_without_fairness_is_cut)
{
	struct bench b;
	bench_init(&b);
	figure_1(&b.program);
	struct search_options options = {.strategy = STRATEGY_DFS, .fair_k = 0, .max_depth = 11};
	struct search *search = search_new(&options);
	struct plan plan;
	uint64_t cut = 0, ended = 0;
	while (search_next(search, &plan)) {
		execution_run(b.execution, &plan, &b.trace);
		ck_assert_int_eq(search_feed(search, plan.ticket, &b.trace), STATUS_OK);
		ck_assert(b.trace.end == END_EXIT || b.trace.end == END_DEPTH);
		ck_assert_uint_le(b.trace.length, 11);
		ck_assert(b.trace.end == END_EXIT || b.trace.length == 11);
		cut += b.trace.end == END_DEPTH;
		ended += b.trace.length == 11 && b.trace.end == END_EXIT;
	}
	struct search_progress progress;
	search_progress(search, &progress);
	ck_assert(cut > 0 && progress.cut_at_depth == cut);
	ck_assert_uint_gt(ended, 0); /* by itself, where it would have been cut */
	search_free(search);
	bench_release(&b);
}
END_TEST

START_TEST(figure_3_without_yield_is_no_good_samaritan)
{
	struct bench b;
	bench_init(&b);
	figure_3(&b.program, OP_NONE);
	ck_assert(search_for(&b, END_NO_YIELD, 100, 1));
	ck_assert_uint_eq(b.trace.end_thread, 0);
	ck_assert_uint_eq(b.trace.length - b.trace.loop_start, 1);
	check_loop(&b.trace);
	bench_release(&b);
}
END_TEST

/* Figure 8: the loop waits for a copy of the variable that nothing will change. */
START_TEST(figure_8_livelock)
{
	struct bench b;
	bench_init(&b);
	uint32_t x = table_variable(&b.program, 0);
	struct table_body *waiter = table_body(&b.program);
	table_read(waiter, 1, x);
	uint32_t head = waiter->length;
	struct table_code *leave = table_jump(waiter, TABLE_JUMP_IF, 1, 1, 0);
	table_op(waiter, OP_SLEEP, NO_OBJECT);
	table_jump(waiter, TABLE_JUMP, 0, 0, head);
	leave->target = waiter->length;
	table_write(table_body(&b.program), x, 1);
	bench_run(&b, (struct policy){.kind = POLICY_DEFAULT, .fair_k = 1, .max_depth = 100});
	ck_assert_int_eq(b.trace.end, END_LIVELOCK);
	check_loop(&b.trace);
	ck_assert(model_exited(execution_model(b.execution), 1));
	bench_release(&b);
}
END_TEST

/* A loop whose state never repeats can't be proven. */
START_TEST(depth_without_a_loop)
{
	struct bench b;
	bench_init(&b);
	uint32_t x = table_variable(&b.program, 0);
	struct table_body *body = table_body(&b.program);
	table_op(body, OP_YIELD, NO_OBJECT);
	table_add(body, TABLE_LOAD, 0, x, 0);
	table_add(body, TABLE_ADD, 0, 0, 1);
	table_add(body, TABLE_STORE, 0, x, 0);
	table_jump(body, TABLE_JUMP, 0, 0, 0);
	bench_run(&b, (struct policy){.kind = POLICY_DEFAULT, .fair_k = 1, .max_depth = 100});
	ck_assert_int_eq(b.trace.end, END_DEPTH);
	ck_assert_uint_ge(b.trace.length, 100);
	bench_release(&b);
}
END_TEST

START_TEST(deadlock_says_who_waits_for_whom)
{
	struct bench b;
	bench_init(&b);
	uint32_t m[2] = {table_mutex(&b.program, MUTEX_NORMAL), table_mutex(&b.program, MUTEX_NORMAL)};
	for (uint32_t i = 0; i < 2; i++) {
		struct table_body *body = table_body(&b.program);
		table_op(body, OP_MUTEX_LOCK, m[i]);
		table_op(body, OP_MUTEX_LOCK, m[1 - i]);
		table_op(body, OP_MUTEX_UNLOCK, m[0]);
		table_op(body, OP_MUTEX_UNLOCK, m[1]);
	}
	ck_assert(search_for(&b, END_DEADLOCK, 0, 100));
	ck_assert_uint_eq(b.trace.threads_length, 2);
	for (uint32_t i = 0; i < 2; i++) {
		const struct thread_end *end = &b.trace.threads[i];
		ck_assert(end->pending.kind == OP_MUTEX_LOCK && !end->enabled && end->holds_back);
		ck_assert(end->blocker == 1 - i && end->blocked_class == CLASS_MUTEX &&
			  end->blocked_object == m[1 - i]);
	}
	ck_assert_uint_eq(b.trace.preemptions, 1);
	bench_release(&b);
}
END_TEST

/* while (true) { lock; unlock; yield; } */
static void beat(struct table_program *p)
{
	const uint32_t guard = table_mutex(p, MUTEX_NORMAL);
	struct table_body *body = table_body(p);
	table_op(body, OP_MUTEX_LOCK, guard);
	table_op(body, OP_MUTEX_UNLOCK, guard);
	table_op(body, OP_YIELD, NO_OBJECT);
	table_jump(body, TABLE_JUMP, 0, 0, 0);
}

/* Two that take two locks in opposite order, beside one that goes on for ever: the circle ends it, if that is wanted. */
START_TEST(a_circle_beside_others)
{
	struct bench b;
	struct trace again;
	bench_init(&b);
	trace_init(&again);
	uint32_t m[2] = {table_mutex(&b.program, MUTEX_NORMAL), table_mutex(&b.program, MUTEX_NORMAL)};
	for (uint32_t i = 0; i < 2; i++) {
		struct table_body *body = table_body(&b.program);
		table_op(body, OP_MUTEX_LOCK, m[i]);
		table_op(body, OP_MUTEX_LOCK, m[1 - i]);
		table_op(body, OP_MUTEX_UNLOCK, m[0]);
		table_op(body, OP_MUTEX_UNLOCK, m[1]);
	}
	beat(&b.program);
	const struct policy policy = {.kind = POLICY_DEFAULT, .fair_k = 1, .max_depth = 50};
	const struct step steps[] = {{0, 0}, {1, 0}};
	struct plan plan = {.prefix = steps, .prefix_length = 2, .policy = policy};
	execution_run(b.execution, &plan, &b.trace);
	ck_assert_int_eq(b.trace.end, END_LIVELOCK);
	execution_end_at_circles(b.execution);
	bench_replay(&b, &b.trace, policy, &again);
	ck_assert_uint_eq(trace_difference(&b.trace, &again), SIZE_MAX);
	execution_run(b.execution, &plan, &b.trace);
	ck_assert_int_eq(b.trace.end, END_DEADLOCK);
	ck_assert_uint_eq(b.trace.length, 2);
	ck_assert(b.trace.threads[2].enabled && trace_goes_on(&b.trace));
	ck_assert(trace_stuck(&b.trace, 0) && trace_stuck(&b.trace, 1) && !trace_stuck(&b.trace, 2));
	trace_release(&again);
	bench_release(&b);
}
END_TEST

/* A thread that waits for a signal holds a lock that its signaller wants next; the signal brings it to a lock of the other's. */
START_TEST(a_circle_that_a_signal_closes)
{
	struct bench b;
	bench_init(&b);
	const uint32_t kept = table_mutex(&b.program, MUTEX_NORMAL),
		       given = table_mutex(&b.program, MUTEX_NORMAL), ready = table_cond(&b.program);
	struct table_body *waiter = table_body(&b.program), *owner = table_body(&b.program),
			  *signaller = table_body(&b.program);
	table_op(waiter, OP_MUTEX_LOCK, kept);
	table_op(waiter, OP_MUTEX_LOCK, given);
	table_op2(waiter, OP_COND_WAIT, ready, given);
	table_op(owner, OP_MUTEX_LOCK, given);
	table_op(owner, OP_MUTEX_LOCK, kept);
	table_op(signaller, OP_COND_SIGNAL, ready);
	beat(&b.program);
	execution_end_at_circles(b.execution);
	const struct step steps[] = {{0, 0}, {0, 0}, {0, 0}, {1, 0}, {2, 0}};
	const struct plan plan = {.prefix = steps, .prefix_length = 5, .policy = plain};
	execution_run(b.execution, &plan, &b.trace);
	ck_assert_int_eq(b.trace.end, END_DEADLOCK);
	ck_assert_uint_eq(b.trace.length, 5);
	ck_assert(trace_stuck(&b.trace, 0) && trace_stuck(&b.trace, 1) && !trace_stuck(&b.trace, 3));
	bench_release(&b);
}
END_TEST

START_TEST(a_crash_and_an_exit)
{
	struct bench b;
	bench_init(&b);
	struct table_body *body = table_body(&b.program);
	table_op(body, OP_YIELD, NO_OBJECT);
	table_add(body, TABLE_CRASH, 0, 0, 0);
	bench_run(&b, plain);
	ck_assert(b.trace.end == END_SIGNAL && b.trace.end_value == 6 && b.trace.end_thread == 0);
	ck_assert(b.trace.threads[0].pending.kind == OP_YIELD && !b.trace.threads[0].enabled);
	body->length = 1;
	table_op(body, OP_PROCESS_EXIT, NO_OBJECT)->op.arg = 3;
	bench_run(&b, plain);
	ck_assert(b.trace.end == END_EXIT && b.trace.end_value == 3);
	bench_release(&b);
}
END_TEST

/* Threads born during the execution; the first is number 1 and starts with OP_THREAD_START. */
START_TEST(births)
{
	struct bench b;
	bench_init(&b);
	struct table_body *first = table_body(&b.program), *later = table_later(&b.program);
	table_op(later, OP_YIELD, NO_OBJECT);
	for (int i = 0; i < 2; i++)
		table_op(first, OP_THREAD_CREATE, NO_OBJECT)->op.arg = later - b.program.bodies;
	table_op(first, OP_THREAD_JOIN, 1);
	table_op(first, OP_THREAD_JOIN, 2);
	bench_run(&b, plain);
	ck_assert_int_eq(b.trace.end, END_EXIT);
	ck_assert_uint_eq(b.trace.length, 8);
	ck_assert(b.trace.at[0].created == 1 && b.trace.at[1].created == 2);
	ck_assert(b.trace.at[2].op.kind == OP_THREAD_START && b.trace.at[2].thread == 1);
	ck_assert(b.trace.at[3].flags & TRANSITION_EXITS);
	ck_assert_uint_eq(b.trace.preemptions, 0);
	bench_release(&b);
}
END_TEST

/* Born one by one beyond 64, so that model, fair scheduler and recorded sets grow in the middle of an
 * execution. */
START_TEST(hundred_threads)
{
	struct bench b;
	bench_init(&b);
	uint32_t mutex = table_mutex(&b.program, MUTEX_NORMAL);
	struct table_body *first = table_body(&b.program), *later = table_later(&b.program);
	table_op(later, OP_MUTEX_LOCK, mutex);
	table_op(later, OP_YIELD, NO_OBJECT);
	table_op(later, OP_MUTEX_UNLOCK, mutex);
	table_add(first, TABLE_SET, 1, 0, 0);
	uint32_t head = first->length;
	table_op(first, OP_THREAD_CREATE, NO_OBJECT)->op.arg = later - b.program.bodies;
	table_add(first, TABLE_ADD, 1, 0, 1);
	table_jump(first, TABLE_JUMP_NOT, 1, 100, head);
	table_op(first, OP_THREAD_JOIN, 100);
	struct trace again;
	trace_init(&again);
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct policy policy = {.kind = POLICY_RANDOM, .seed = seed, .fair_k = 1};
		bench_run(&b, policy);
		ck_assert_int_eq(b.trace.end, END_EXIT);
		ck_assert_uint_eq(b.trace.threads_length, 101);
		ck_assert_uint_eq(b.trace.set_words, 2);
		/* The sets recorded before they grew: only the first thread was there. */
		ck_assert(trace_enabled(&b.trace, 0)[0] == 1 && trace_enabled(&b.trace, 0)[1] == 0);
		bool good = true;
		for (size_t i = 0; i < b.trace.length; i++) {
			const uint64_t *can = trace_enabled(&b.trace, i),
				       *may = trace_schedulable(&b.trace, i);
			good &= bitset_subset(may, can, 2) && bitset_has(may, b.trace.at[i].thread);
		}
		ck_assert(good);
		bench_replay(&b, &b.trace, policy, &again);
		ck_assert_uint_eq(trace_difference(&b.trace, &again), SIZE_MAX);
	}
	trace_release(&again);
	bench_release(&b);
}
END_TEST

START_TEST(replay_is_equal)
{
	struct bench b;
	bench_init(&b);
	struct trace again, copy;
	trace_init(&again);
	trace_init(&copy);
	for (uint64_t seed = 0; seed < 400; seed++) {
		table_random(&b.program, seed, seed % 2);
		struct policy policy = {
		    .kind = POLICY_RANDOM, .seed = seed, .fair_k = 1 + seed % 2, .max_depth = 50};
		bench_run(&b, policy);
		ck_assert_int_ne(b.trace.end, END_ERROR);
		bench_replay(&b, &b.trace, policy, &again);
		ck_assert(trace_copy(&copy, &again));
		ck_assert_uint_eq(trace_difference(&b.trace, &copy), SIZE_MAX);
	}
	trace_release(&again);
	trace_release(&copy);
	bench_release(&b);
}
END_TEST

START_TEST(a_prefix_that_does_not_fit)
{
	struct bench b;
	bench_init(&b);
	figure_3(&b.program, OP_YIELD);
	struct step steps[] = {{0, 0}, {0, 0}, {7, 0}};
	struct plan plan = {.prefix = steps, .prefix_length = 3, .policy = plain};
	execution_run(b.execution, &plan, &b.trace);
	ck_assert(b.trace.end == END_DIVERGED && b.trace.length == 2 && b.trace.status == STATUS_DIVERGED);
	steps[2] = (struct step){1, CHOICE_TIMEOUT};
	execution_run(b.execution, &plan, &b.trace);
	ck_assert(b.trace.end == END_DIVERGED && b.trace.length == 2);
	steps[2] = (struct step){1, CHOICE_DEFAULT};
	execution_run(b.execution, &plan, &b.trace);
	ck_assert_int_eq(b.trace.end, END_EXIT);
	bench_release(&b);
}
END_TEST

/* Figure 3 by the default policy: u keeps running until its second yield forces it to let t go first. */
START_TEST(forced_switch_is_no_preemption)
{
	struct bench b;
	bench_init(&b);
	figure_3(&b.program, OP_YIELD);
	bench_run(&b, plain);
	ck_assert_int_eq(b.trace.end, END_EXIT);
	ck_assert_uint_eq(b.trace.length, 6); /* read, yield, read, yield, t's write, read */
	for (size_t i = 0; i < b.trace.length; i++)
		ck_assert_uint_eq(b.trace.at[i].thread, i == 4 ? 1 : 0);
	ck_assert_uint_eq(b.trace.at[4].flags, TRANSITION_FORCED | TRANSITION_EXITS);
	ck_assert_uint_eq(b.trace.preemptions, 0);
	ck_assert_uint_eq(*trace_enabled(&b.trace, 4), 3);
	ck_assert_uint_eq(*trace_schedulable(&b.trace, 4), 2);
	bench_release(&b);
}
END_TEST

START_TEST(predictions_are_checked)
{
	struct bench b;
	bench_init(&b);
	table_op(table_body(&b.program), OP_MUTEX_TRYLOCK, table_mutex(&b.program, MUTEX_NORMAL));
	table_op(&b.program.bodies[0], OP_YIELD, NO_OBJECT);
	b.machine.lie = true;
	bench_run(&b, plain);
	ck_assert_int_eq(b.trace.end, END_EXIT);
	execution_verify_model(b.execution, true);
	bench_run(&b, plain);
	ck_assert(b.trace.end == END_ERROR && b.trace.status == STATUS_BUG);
	ck_assert_ptr_nonnull(strstr(b.trace.message, "mutex_trylock"));
	b.machine.lie = false;
	bench_run(&b, plain);
	ck_assert_int_eq(b.trace.end, END_EXIT);
	bench_release(&b);
}
END_TEST

/* A thread in a system call that isn't ready is passed over while others can run, and waited for when none
 * can. */
START_TEST(waiting_for_the_outside)
{
	struct bench b;
	bench_init(&b);
	b.machine.deny = true;
	table_op(table_body(&b.program), OP_SYSCALL, NO_OBJECT);
	table_op(table_body(&b.program), OP_YIELD, NO_OBJECT);
	bench_run(&b, plain);
	ck_assert_int_eq(b.trace.end, END_EXIT);
	ck_assert_uint_eq(b.trace.length, 2);
	ck_assert(b.trace.at[0].thread == 1 && b.trace.at[0].alternatives == 1);
	ck_assert(b.trace.at[1].thread == 0 && b.trace.at[1].op.flags == OP_READY);
	b.machine.deny = false;
	bench_run(&b, plain);
	ck_assert(b.trace.at[0].thread == 0 && b.trace.at[0].alternatives == 2);
	bench_release(&b);
}
END_TEST

static enum hope expect_nothing(struct machine *machine, int64_t until)
{
	(void)machine;
	(void)until;
	return HOPE_NONE;
}

/* Where the machine knows that nothing outside could wake it, nobody waits for that. */
START_TEST(waiting_for_nothing)
{
	struct bench b;
	bench_init(&b);
	struct machine_ops ops = *b.machine.machine.ops;
	ops.await = expect_nothing;
	b.machine.machine.ops = &ops;
	b.machine.deny = true;
	table_op(table_body(&b.program), OP_SYSCALL, NO_OBJECT);
	table_op(table_body(&b.program), OP_YIELD, NO_OBJECT);
	bench_run(&b, plain);
	ck_assert_int_eq(b.trace.end, END_DEADLOCK);
	ck_assert_uint_eq(b.trace.length, 1);
	bench_release(&b);
}
END_TEST

struct watch {
	size_t transitions, ends, stop_after;
	uint32_t thread; /* of the transition that is about to come */
	bool in_order;
};

static void watch_before(void *context, struct execution *execution, const struct trace *trace,
			 uint32_t thread)
{
	struct watch *w = context;
	w->in_order &= trace->length == w->transitions;
	w->in_order &= model_pending(execution_model(execution), thread)->kind != OP_NONE;
	w->thread = thread;
}

static bool watch_transition(void *context, struct execution *execution, const struct trace *trace)
{
	struct watch *w = context;
	w->in_order &= trace->at[trace->length - 1].thread == w->thread;
	w->in_order &= trace->length == ++w->transitions && model_threads(execution_model(execution)) == 2;
	return w->transitions != w->stop_after;
}

static void watch_end(void *context, struct execution *execution, const struct trace *trace)
{
	struct watch *w = context;
	w->ends++;
	w->in_order &= trace->length == w->transitions && trace->end != END_NONE;
	w->in_order &= trace->threads_length == model_threads(execution_model(execution));
}

START_TEST(watcher)
{
	struct bench b;
	bench_init(&b);
	figure_3(&b.program, OP_YIELD);
	struct watch w = {.in_order = true};
	execution_watch(b.execution, &(struct execution_watcher){.context = &w,
								 .before = watch_before,
								 .transition = watch_transition,
								 .end = watch_end});
	bench_run(&b, plain);
	ck_assert(w.in_order && w.ends == 1 && w.transitions == b.trace.length);
	w = (struct watch){.in_order = true, .stop_after = 3};
	bench_run(&b, plain);
	ck_assert(w.in_order && w.ends == 1 && b.trace.end == END_INTERRUPTED && b.trace.length == 3);
	bench_release(&b);
}
END_TEST

/*
 * Choices by the state alone keep two in step who give way to each other: found in the beginning of executions, far below the depth, and
 * again by who plays the schedule with a depth of 1.
 */
START_TEST(recurrence_is_found_early)
{
	struct bench b;
	struct trace again;
	uint32_t loops = 0;
	bench_init(&b);
	trace_init(&again);
	figure_1(&b.program);
	for (uint64_t seed = 0; seed < 100; seed++) {
		bench_run(
		    &b,
		    (struct policy){
			.kind = POLICY_RECUR, .seed = seed, .fair_k = 1, .early = true, .max_depth = 20000});
		ck_assert(b.trace.end == END_EXIT || b.trace.end == END_LIVELOCK);
		if (b.trace.end == END_EXIT)
			continue;
		loops++;
		ck_assert_uint_lt(b.trace.length, 200);
		check_loop(&b.trace);
		bench_replay(&b, &b.trace, (struct policy){.fair_k = 1, .max_depth = 1}, &again);
		ck_assert_int_eq(again.end, END_LIVELOCK);
		ck_assert_uint_eq(again.loop_start, b.trace.loop_start);
		ck_assert_uint_eq(again.length, b.trace.length);
	}
	ck_assert_uint_gt(loops, 0);
	trace_release(&again);
	bench_release(&b);
}
END_TEST

/* The same, but each waits next for the fork that it missed, as std::lock does. In step they go on so for ever, too, and aren't at fault. */
static void polite(struct table_program *p)
{
	uint32_t forks[2] = {table_mutex(p, MUTEX_NORMAL), table_mutex(p, MUTEX_NORMAL)};
	for (uint32_t i = 0; i < 2; i++) {
		struct table_body *b = table_body(p);
		struct table_code *eat[2];
		for (uint32_t n = 0; n < 2; n++) {
			table_op(b, OP_MUTEX_LOCK, forks[i ^ n]);
			table_op(b, OP_MUTEX_TRYLOCK, forks[1 - (i ^ n)]);
			eat[n] = table_jump(b, TABLE_JUMP_IF, 0, 0, 0);
			table_op(b, OP_MUTEX_UNLOCK, forks[i ^ n]);
		}
		table_jump(b, TABLE_JUMP, 0, 0, 0);
		eat[0]->target = eat[1]->target = b->length;
		table_op(b, OP_MUTEX_UNLOCK, forks[0]);
		table_op(b, OP_MUTEX_UNLOCK, forks[1]);
	}
}

START_TEST(politeness_is_no_livelock)
{
	struct bench b;
	bool in_step = false;
	bench_init(&b);
	polite(&b.program);
	for (uint64_t seed = 0; seed < 100; seed++) {
		bench_run(
		    &b,
		    (struct policy){
			.kind = POLICY_RECUR, .seed = seed, .fair_k = 1, .early = true, .max_depth = 20000});
		ck_assert_int_eq(b.trace.end, END_EXIT);
		in_step |= b.trace.length >= POLICY_RECURS;
	}
	ck_assert(in_step);
	bench_release(&b);
}
END_TEST

/* Where nothing repeats early the depth counts as ever: 0 is none, and the loop that begins after it is found there. */
START_TEST(early_is_no_depth)
{
	struct bench b;
	bench_init(&b);
	struct table_body *body = table_body(&b.program);
	for (int i = 0; i < 40; i++)
		table_point(body);
	const uint32_t loop = body->length;
	table_op(body, OP_YIELD, NO_OBJECT);
	table_jump(body, TABLE_JUMP, 0, 0, loop);
	struct policy policy = {.kind = POLICY_DEFAULT, .fair_k = 1, .early = true, .max_depth = 20};
	bench_run(&b, policy);
	ck_assert_int_eq(b.trace.end, END_LIVELOCK);
	ck_assert_uint_ge(b.trace.loop_start, 40);
	policy.max_depth = 0;
	bench_run(&b, policy);
	ck_assert_int_eq(b.trace.end, END_LIVELOCK);
	policy.unwatched = true;
	policy.max_depth = 30;
	bench_run(&b, policy);
	ck_assert_int_eq(b.trace.end, END_DEPTH);
	ck_assert_uint_eq(b.trace.length, 30);
	bench_release(&b);
}
END_TEST

/*
 * Theorem 1: whatever goes on for ever is fair or breaks the good samaritan rule. These programs have
 * finitely many states, so an execution that doesn't end must repeat one, and the repetition is checked from
 * the recorded sets.
 */
START_TEST(theorem_1)
{
	struct bench b;
	bench_init(&b);
	int livelocks = 0, selfish = 0;
	for (uint64_t seed = 0; seed < 1500; seed++) {
		table_random(&b.program, seed, true);
		static const enum policy_kind kinds[] = {POLICY_RANDOM, POLICY_DEFAULT, POLICY_RECUR};
		const enum policy_kind kind = kinds[seed % 3];
		bench_run(&b, (struct policy){.kind = kind,
					      .seed = seed,
					      .fair_k = 1,
					      .early = kind == POLICY_RECUR,
					      .max_depth = 200});
		ck_assert_int_ne(b.trace.end, END_DEPTH);
		if (b.trace.end != END_LIVELOCK && b.trace.end != END_NO_YIELD)
			continue;
		check_loop(&b.trace);
		livelocks += b.trace.end == END_LIVELOCK;
		selfish += b.trace.end == END_NO_YIELD;
	}
	ck_assert_int_gt(livelocks, 20);
	ck_assert_int_gt(selfish, 5);
	bench_release(&b);
}
END_TEST

/* The states of an execution in their order. */
struct states {
	struct table_machine *machine;
	uint64_t at[512];
	size_t count;
};

static bool note_state(void *context, struct execution *execution, const struct trace *trace)
{
	struct states *s = context;
	if (trace->length < 512)
		s->at[trace->length] = state_digest(execution_model(execution), &s->machine->state);
	s->count = trace->length < 512 ? trace->length + 1 : 512;
	return true;
}

/* Do transitions [i, i + n) repeat in [i + n, i + 2n) and [i + 2n, i + 3n), states and all? */
static bool unrolled_thrice(const struct states *s, const struct trace *trace, size_t i, size_t n)
{
	for (size_t k = i; k < i + 2 * n; k++)
		if (s->at[k] != s->at[k + n] || trace->at[k].thread != trace->at[k + n].thread)
			return false;
	return s->at[i + 2 * n] == s->at[i + 3 * n];
}

/* The cycle starves somebody although every thread that runs in it yields in it. */
static bool unfair_and_samaritan(const struct trace *trace, size_t i, size_t n)
{
	uint64_t scheduled = 0, yields = 0, enabled = 0;
	for (size_t k = i; k < i + n; k++) {
		scheduled |= UINT64_C(1) << trace->at[k].thread;
		if (trace->at[k].flags & TRANSITION_YIELD)
			yields |= UINT64_C(1) << trace->at[k].thread;
		enabled |= *trace_enabled(trace, k);
	}
	return (enabled & ~scheduled) && yields == scheduled;
}

static size_t count_unrolled(const struct states *s, const struct trace *trace)
{
	size_t found = 0;
	for (size_t n = 1; n <= 12; n++)
		for (size_t i = 1; i + 3 * n < s->count; i++)
			found += s->at[i] == s->at[i + n] && unfair_and_samaritan(trace, i, n) &&
				 unrolled_thrice(s, trace, i, n);
	return found;
}

/* Theorem 4: an unfair cycle is unrolled at most twice. Without fairness it is unrolled more often. */
START_TEST(theorem_4)
{
	struct bench b;
	bench_init(&b);
	struct states states = {.machine = &b.machine};
	execution_watch(b.execution,
			&(struct execution_watcher){.context = &states, .transition = note_state});
	size_t fair = 0, unfair = 0;
	for (uint64_t seed = 0; seed < 600; seed++) {
		table_random(&b.program, seed, true);
		enum policy_kind kind = seed % 2 ? POLICY_RANDOM : POLICY_DEFAULT;
		struct policy policy = {.kind = kind, .seed = seed, .fair_k = 1, .max_depth = 120};
		states.count = 0;
		bench_run(&b, policy);
		fair += count_unrolled(&states, &b.trace);
		policy.fair_k = 0;
		states.count = 0;
		bench_run(&b, policy);
		unfair += count_unrolled(&states, &b.trace);
	}
	ck_assert_uint_eq(fair, 0);
	ck_assert_uint_gt(unfair, 0);
	bench_release(&b);
}
END_TEST

static bool collect_state(void *context, struct execution *execution, const struct trace *trace)
{
	(void)trace;
	struct table_machine *machine = (struct table_machine *)execution_machine(execution);
	hash_set_add(context, state_digest(execution_model(execution), &machine->state));
	return true;
}

/* All states that the fair search comes by; false: it diverges or takes too long. */
static bool fair_states(struct bench *b, struct hash_set *visited)
{
	struct search_options options = {.strategy = STRATEGY_DFS, .fair_k = 1, .max_depth = 60};
	struct search *search = search_new(&options);
	struct plan plan;
	execution_watch(b->execution,
			&(struct execution_watcher){.context = visited, .transition = collect_state});
	int executions = 0;
	while (executions < 1500 && search_next(search, &plan)) {
		execution_run(b->execution, &plan, &b->trace);
		/* What it says of a trace is tested elsewhere. */
		(void)search_feed(search, plan.ticket, &b->trace);
		executions++;
	}
	struct search_progress progress;
	search_progress(search, &progress);
	search_free(search);
	return progress.complete && progress.cut_at_depth == 0;
}

/* Theorem 5: unless it diverges, the search visits every state that can be reached without a yield. */
START_TEST(theorem_5)
{
	struct bench b;
	bench_init(&b);
	uint32_t compared = 0;
	for (uint64_t seed = 0; seed < largest(400, 160); seed++) {
		table_random(&b.program, seed, seed % 2);
		struct hash_set visited, expected;
		hash_set_init(&visited);
		bool small = brute_yield_free(&b.program, 2000, &expected);
		if (small && fair_states(&b, &visited)) {
			struct brute root = {.program = &b.program, .max_depth = 0, .limit = 1};
			brute_run(&root); /* the first state, which no transition leads to */
			for (size_t s = 0; s < root.states.room; s++)
				if (root.states.slots[s])
					hash_set_add(&visited, root.states.slots[s]);
			brute_release(&root);
			ck_assert(hash_set_subset(&expected, &visited));
			compared++;
		}
		hash_set_release(&visited);
		hash_set_release(&expected);
	}
	ck_assert_uint_gt(compared, largest(100, 40));
	bench_release(&b);
}
END_TEST

/* What an execution has come to after some transitions of a plan, with its machine. */
#define DEPTHS 64
struct kept {
	struct execution_copy *copy;
	struct table_state state;
	struct model_block *block;
};

/* Run the plan without its sleep set and keep each state on the way to where its prefix ends; how many there are. */
static size_t keep_states(struct bench *b, const struct plan *plan, struct kept kept[DEPTHS])
{
	struct plan other = *plan;
	size_t length = 0;
	other.sleep_set_length = 0;
	bool on = execution_begin(b->execution, &other, &b->trace);
	while (on && length < DEPTHS && b->trace.length <= plan->prefix_length) {
		kept[length].copy = execution_save(b->execution);
		ck_assert_ptr_nonnull(kept[length].copy);
		kept[length].block = b->machine.block;
		kept[length++].state = b->machine.state;
		on = execution_next(b->execution);
	}
	execution_conclude(b->execution);
	execution_finish(b->execution);
	return length;
}

static void go_on_from(struct bench *b, const struct kept *kept, const struct plan *plan)
{
	b->machine.state = kept->state;
	b->machine.block = kept->block;
	bool on = execution_restore(b->execution, kept->copy, plan, &b->trace);
	while (on)
		on = execution_next(b->execution);
	execution_conclude(b->execution);
	execution_finish(b->execution);
}

/* From each state on the way a plan goes on as it does from its beginning. */
static void goes_on_alike(struct bench *b, const struct plan *plan, struct trace *whole)
{
	static struct kept kept[DEPTHS];
	execution_run(b->execution, plan, whole);
	const size_t length = keep_states(b, plan, kept);
	for (size_t i = 0; i < length; i++) {
		go_on_from(b, &kept[i], plan);
		ck_assert_uint_eq(trace_difference(whole, &b->trace), SIZE_MAX);
		execution_copy_free(kept[i].copy);
	}
}

/* The same of a plan that goes half of the way on that this one went, so that transitions of its own wake sleepers. */
static bool goes_further_alike(struct bench *b, const struct plan *plan, const struct trace *trace,
			       struct trace *whole)
{
	struct plan further = *plan;
	struct step *steps = calloc(trace->length + 1, sizeof *steps);
	for (size_t i = 0; i < trace->length; i++)
		steps[i] = transition_step(&trace->at[i]);
	further.prefix = steps;
	further.prefix_length += (trace->length - plan->prefix_length) / 2;
	goes_on_alike(b, &further, whole);
	free(steps);
	return whole->end == END_REDUNDANT;
}

/* A copy that another plan has made: who is asleep is this one's. */
START_TEST(copies_for_other_plans)
{
	struct bench b;
	bench_init(&b);
	struct trace trace, whole;
	trace_init(&trace);
	trace_init(&whole);
	size_t asleep = 0, redundant = 0;
	for (uint64_t seed = 0; seed < 60; seed++) {
		table_random(&b.program, seed, false);
		struct search_options options = {.strategy = STRATEGY_SOURCE, .fair_k = 1, .max_depth = 50};
		struct search *search = search_new(&options);
		struct plan plan;
		for (int i = 0; i < 60 && search_next(search, &plan); i++) {
			asleep += plan.sleep_set_length > 0;
			goes_on_alike(&b, &plan, &trace);
			redundant += goes_further_alike(&b, &plan, &trace, &whole);
			/* A search that refuses a program says so in its own tests. */
			if (search_feed(search, plan.ticket, &trace) != STATUS_OK)
				break;
		}
		search_free(search);
	}
	ck_assert_uint_gt(asleep, 100);
	ck_assert_uint_gt(redundant, 0);
	trace_release(&trace);
	trace_release(&whole);
	bench_release(&b);
}
END_TEST

static void add_all(TCase *tests)
{
	tcase_add_test(tests, figure_1_livelock);
	tcase_add_test(tests, figure_3_terminates);
	tcase_add_test(tests, figure_3_without_fairness_starves);
	tcase_add_test(tests, figure_1_without_fairness_is_cut);
	tcase_add_test(tests, figure_3_without_yield_is_no_good_samaritan);
	tcase_add_test(tests, figure_8_livelock);
	tcase_add_test(tests, recurrence_is_found_early);
	tcase_add_test(tests, politeness_is_no_livelock);
	tcase_add_test(tests, early_is_no_depth);
	tcase_add_test(tests, depth_without_a_loop);
	tcase_add_test(tests, deadlock_says_who_waits_for_whom);
	tcase_add_test(tests, a_circle_beside_others);
	tcase_add_test(tests, a_circle_that_a_signal_closes);
	tcase_add_test(tests, a_crash_and_an_exit);
	tcase_add_test(tests, births);
	tcase_add_test(tests, hundred_threads);
	tcase_add_test(tests, replay_is_equal);
	tcase_add_test(tests, a_prefix_that_does_not_fit);
	tcase_add_test(tests, forced_switch_is_no_preemption);
	tcase_add_test(tests, predictions_are_checked);
	tcase_add_test(tests, waiting_for_the_outside);
	tcase_add_test(tests, waiting_for_nothing);
	tcase_add_test(tests, watcher);
	tcase_add_test(tests, theorem_1);
	tcase_add_test(tests, theorem_4);
	tcase_add_test(tests, theorem_5);
	tcase_add_test(tests, copies_for_other_plans);
}

int main(void)
{
	Suite *suite = suite_create("execution");
	TCase *tests = tcase_create("execution");
	tcase_set_timeout(tests, 60);
	add_all(tests);
	suite_add_tcase(suite, tests);
	return suite_run(suite);
}
