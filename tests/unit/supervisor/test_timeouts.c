/* Time-outs that fire in order, against plain enumeration; and those that don't, told apart. */
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/search.h>

#include "tests/table/brute.h"
#include "tests/table/table_random.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#define PROGRAMS 60
#define LIMIT	 1500
#define DEPTH	 60

/* What a search of a program came to. */
struct result {
	uint64_t executions;
	bool complete;
	bool timed;		/* some of them had time-outs or sleeps */
	struct hash_set all;	/* sequences */
	struct hash_set proper; /* those without a time-out that is too early */
};

static void result_release(struct result *result)
{
	hash_set_release(&result->all);
	hash_set_release(&result->proper);
}

static uint64_t sequence(const struct trace *trace)
{
	uint64_t digest = 1;
	for (size_t i = 0; i < trace->length && i < DEPTH; i++)
		digest = step_digest(digest, trace->at[i].thread, trace->at[i].choice);
	return digest;
}

static bool has_timed(const struct trace *trace)
{
	for (size_t i = 0; i < trace->length; i++)
		if (trace->at[i].flags & TRANSITION_ORDERED)
			return true;
	return false;
}

static void run(const struct table_program *program, const struct search_options *options,
		struct result *result)
{
	struct table_machine machine;
	table_machine_init(&machine, program);
	struct execution *execution = execution_new(&machine.machine);
	struct search *search = search_new(options);
	struct search_progress progress;
	struct trace trace;
	struct plan plan;
	trace_init(&trace);
	*result = (struct result){0};
	hash_set_init(&result->all);
	hash_set_init(&result->proper);
	while (result->executions < 4 * LIMIT && search_next(search, &plan)) {
		execution_run(execution, &plan, &trace);
		ck_assert_int_eq(search_feed(search, plan.ticket, &trace), STATUS_OK);
		result->executions++;
		result->timed |= has_timed(&trace);
		hash_set_add(&result->all, sequence(&trace));
		if (trace_early(&trace) >= DEPTH || trace_early(&trace) == trace.length)
			hash_set_add(&result->proper, sequence(&trace));
	}
	search_progress(search, &progress);
	result->complete = progress.complete;
	trace_release(&trace);
	search_free(search);
	execution_free(execution);
}

static bool equal(const struct hash_set *a, const struct hash_set *b)
{
	return a->count == b->count && hash_set_subset(a, b);
}

/* Give what waits for time an end, and make some yields sleeps. Some ends are equal, some aren't known. */
static void set_ends(struct table_program *p, uint64_t seed)
{
	for (uint32_t i = 0; i < p->body_count; i++) {
		for (uint32_t c = 0; c < p->bodies[i].length; c++) {
			struct op *op = &p->bodies[i].code[c].op;
			uint64_t dice = (seed + 7 * i + c) * UINT64_C(0x9e3779b97f4a7c15) >> 40;
			op->end = (int64_t)(dice % 4) * 10;
			if (op->kind == OP_YIELD && dice % 3 && p->bodies[i].code[c].kind == TABLE_OP)
				op->kind = OP_SLEEP;
		}
	}
}

/* Everything that brute force finds, nothing else, and it is what `any` has without those that are too early. */
static bool check_program(const struct table_program *p, uint32_t fair_k)
{
	struct brute brute = {
	    .program = p, .fair_k = fair_k, .ordered = true, .max_depth = DEPTH, .limit = LIMIT};
	brute_run(&brute);
	bool small = !brute.gave_up;
	struct search_options options = {
	    .strategy = STRATEGY_DFS, .fair_k = fair_k, .max_depth = DEPTH, .ordered = true};
	struct result ordered, any;
	if (small) {
		run(p, &options, &ordered);
		ck_assert(ordered.complete);
		ck_assert_uint_eq(ordered.executions, brute.executions);
		ck_assert(equal(&ordered.all, &brute.sequences));
		ck_assert(equal(&ordered.all, &ordered.proper));
		options.ordered = false;
		run(p, &options, &any);
		/* Under fairness priorities come about in other ways. */
		if (any.complete && fair_k == 0)
			ck_assert(equal(&any.proper, &ordered.all));
		result_release(&any);
		result_release(&ordered);
	}
	brute_release(&brute);
	return small;
}

START_TEST(random_programs_agree_with_brute_force)
{
	static struct table_program p;
	uint32_t checked = 0;
	for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
		memset(&p, 0, sizeof p);
		table_random(&p, seed, seed % 2);
		set_ends(&p, seed);
		checked += check_program(&p, (uint32_t)(seed / 2 % 3));
	}
	ck_assert_uint_gt(checked, PROGRAMS / 2);
}
END_TEST

/* Where time-outs fire in order nothing is taken for equivalent: all sequences are run. */
START_TEST(nothing_is_left_out)
{
	static const enum strategy strategies[] = {STRATEGY_SOURCE, STRATEGY_OPTIMAL, STRATEGY_CB};
	static struct table_program p;
	uint32_t checked = 0;
	for (uint64_t seed = 0; seed < PROGRAMS; seed++) {
		memset(&p, 0, sizeof p);
		table_random(&p, seed, false);
		set_ends(&p, seed);
		struct brute brute = {
		    .program = &p, .fair_k = 1, .ordered = true, .max_depth = DEPTH, .limit = LIMIT};
		brute_run(&brute);
		struct search_options options = {.strategy = strategies[seed % 3],
						 .bound = UINT32_MAX,
						 .cache = true,
						 .sees_memory = true,
						 .fair_k = 1,
						 .max_depth = DEPTH,
						 .ordered = true};
		struct result result;
		if (!brute.gave_up) {
			run(&p, &options, &result);
			if (result.timed && result.complete) {
				ck_assert(equal(&result.all, &brute.sequences));
				checked++;
			}
			result_release(&result);
		}
		brute_release(&brute);
	}
	ck_assert_uint_gt(checked, PROGRAMS / 4);
}
END_TEST

static void run_default(const struct table_program *p, bool ordered, uint64_t depth, struct trace *trace)
{
	struct table_machine machine;
	const struct plan plan = {.policy = {.fair_k = 1, .max_depth = depth, .ordered = ordered}};
	table_machine_init(&machine, p);
	struct execution *execution = execution_new(&machine.machine);
	trace_init(trace);
	execution_run(execution, &plan, trace);
	execution_free(execution);
}

/* A wait that nobody ends but time, and what comes then. */
static struct table_body *wait_for(struct table_program *p, int64_t end)
{
	uint32_t sem = table_sem(p, 0);
	struct table_body *b = table_body(p);
	table_op(b, OP_SEM_TIMEDWAIT, sem)->op.end = end;
	return b;
}

/* Who spins until a time-out has fired isn't waited for for ever, but for a while. */
START_TEST(spinner_gets_past)
{
	static struct table_program p;
	struct trace trace;
	memset(&p, 0, sizeof p);
	uint32_t x = table_variable(&p, 0);
	table_spin(table_body(&p), x, 1, OP_YIELD);
	table_write(wait_for(&p, 5), x, 1);
	run_default(&p, true, 5000, &trace);
	ck_assert_int_eq(trace.end, END_EXIT);
	uint32_t yields = 0;
	size_t i = 0;
	for (; !(trace.at[i].flags & TRANSITION_TIMED_OUT); i++)
		yields += (trace.at[i].flags & TRANSITION_YIELD) != 0;
	ck_assert_uint_ge(yields, 100);
	ck_assert_uint_le(yields, 102);
	ck_assert_uint_eq(trace_early(&trace), trace.length);
	trace_release(&trace);
}
END_TEST

/* A short sleep over and over doesn't let a long wait be over before one that is shorter. */
START_TEST(heartbeat_gets_past)
{
	static struct table_program p;
	struct trace trace;
	memset(&p, 0, sizeof p);
	uint32_t x = table_variable(&p, 0);
	struct table_body *beat = table_body(&p);
	table_spin(beat, x, 1, OP_SLEEP);
	for (uint32_t i = 0; i < beat->length; i++)
		if (beat->code[i].op.kind == OP_SLEEP)
			beat->code[i].op.end = 1;
	struct table_body *longer = wait_for(&p, 3600), *shorter = wait_for(&p, 30);
	table_write(longer, x, 1);
	table_write(shorter, x, 2);
	run_default(&p, true, 5000, &trace);
	ck_assert_int_eq(trace.end, END_EXIT);
	size_t i = 0;
	while (!(trace.at[i].flags & TRANSITION_TIMED_OUT))
		i++;
	ck_assert_uint_ge(i, 100);
	ck_assert_uint_eq(trace.at[i].thread, 2);
	trace_release(&trace);
}
END_TEST

/* Whose rounds are long, alone, doesn't hold a time-out back for a hundred of them; with somebody else beside it does. */
START_TEST(long_rounds_get_past)
{
	static struct table_program p;
	struct trace trace;
	for (uint32_t others = 0; others < 2; others++) {
		memset(&p, 0, sizeof p);
		const uint32_t x = table_variable(&p, 0);
		struct table_body *beat = table_body(&p);
		for (uint32_t i = 0; i < 40; i++)
			table_point(beat);
		table_op(beat, OP_SLEEP, NO_OBJECT)->op.end = 1;
		table_add(beat, TABLE_LOAD, 1, x, 0);
		table_jump(beat, TABLE_JUMP_NOT, 1, 1, 0);
		table_write(wait_for(&p, 3600), x, 1);
		if (others)
			table_thread(&p, beat);
		run_default(&p, true, 20000, &trace);
		ck_assert_int_eq(trace.end, END_EXIT);
		size_t i = 0;
		while (!(trace.at[i].flags & TRANSITION_TIMED_OUT))
			i++;
		ck_assert_uint_ge(i, others ? 100 * 41 : 2000);
		if (!others)
			ck_assert_uint_le(i, 2000 + 2 * 41);
		trace_release(&trace);
	}
}
END_TEST

/* Two that go round without a yield, and a third whose time-out would end it. */
START_TEST(a_loop_that_holds_a_timeout_proves_nothing)
{
	static struct table_program p;
	struct trace trace;
	memset(&p, 0, sizeof p);
	uint32_t ping = table_sem(&p, 1), pong = table_sem(&p, 0), x = table_variable(&p, 0);
	for (uint32_t i = 0; i < 2; i++) {
		struct table_body *b = table_body(&p);
		table_op(b, OP_SEM_WAIT, i ? pong : ping);
		table_op(b, OP_SEM_POST, i ? ping : pong);
		table_add(b, TABLE_LOAD, 1, x, 0);
		table_jump(b, TABLE_JUMP_NOT, 1, 1, 0);
	}
	run_default(&p, true, 50, &trace);
	ck_assert_int_eq(trace.end, END_LIVELOCK);
	trace_release(&trace);
	table_write(wait_for(&p, 5), x, 1);
	run_default(&p, true, 50, &trace);
	ck_assert_int_eq(trace.end, END_DEPTH);
	ck_assert(trace_holds(&trace));
	trace_release(&trace);
	run_default(&p, false, 50, &trace);
	ck_assert_int_eq(trace.end, END_NO_YIELD);
	trace_release(&trace);
}
END_TEST

/* What the machine's clock has passed waits for nobody. */
static int64_t at_twenty(const struct machine *machine)
{
	(void)machine;
	return 20;
}

START_TEST(due_is_due)
{
	static struct table_program p;
	for (int64_t end = 19; end <= 21; end++) {
		memset(&p, 0, sizeof p);
		table_point(wait_for(&p, end));
		table_point(table_body(&p));
		struct table_machine machine;
		table_machine_init(&machine, &p);
		struct machine_ops ops = *machine.machine.ops;
		ops.now = at_twenty;
		machine.machine.ops = &ops;
		struct execution *execution = execution_new(&machine.machine);
		const struct step first = {0, CHOICE_TIMEOUT};
		const struct plan plan = {
		    .prefix = &first, .prefix_length = 1, .policy = {.fair_k = 1, .ordered = true}};
		struct trace trace;
		trace_init(&trace);
		execution_run(execution, &plan, &trace);
		ck_assert_int_eq(trace.end, end <= 20 ? END_EXIT : END_DIVERGED);
		trace_release(&trace);
		execution_free(execution);
	}
}
END_TEST

SUITE("timeouts", 600, NULL, NULL, TEST(random_programs_agree_with_brute_force), TEST(nothing_is_left_out),
      TEST(spinner_gets_past), TEST(heartbeat_gets_past), TEST(long_rounds_get_past),
      TEST(a_loop_that_holds_a_timeout_proves_nothing), TEST(due_is_due))
