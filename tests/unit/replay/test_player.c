/* Playing schedules on the table machine: what was recorded happens again, and what differs is told. */
#include <fmc/replay/player.h>

#include "tests/table/table.h"
#include "tests/table/table_random.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct table_program program;
static struct table_machine machine;
static struct execution *execution;
static struct schedule schedule;
static struct trace trace;
static size_t diverged_at;
static char why[256];

/* Two threads that take two mutexes in different order. */
static void abba(void)
{
	memset(&program, 0, sizeof program);
	uint32_t a = table_mutex(&program, MUTEX_NORMAL), b = table_mutex(&program, MUTEX_NORMAL);
	struct table_body *one = table_body(&program), *two = table_body(&program);
	table_op(one, OP_MUTEX_LOCK, a);
	table_op(one, OP_MUTEX_LOCK, b);
	table_op(one, OP_MUTEX_UNLOCK, b);
	table_op(one, OP_MUTEX_UNLOCK, a);
	table_op(two, OP_MUTEX_LOCK, b);
	table_op(two, OP_MUTEX_LOCK, a);
	table_op(two, OP_MUTEX_UNLOCK, a);
	table_op(two, OP_MUTEX_UNLOCK, b);
}

static void begin(void)
{
	table_machine_init(&machine, &program);
	execution = execution_new(&machine.machine);
	trace_init(&trace);
	schedule_init(&schedule);
}

static void finish(void)
{
	execution_free(execution);
	trace_release(&trace);
	schedule_release(&schedule);
}

static void setup(void)
{
	abba();
	begin();
}

/* Run the plan and make a schedule of what came. */
static void record(const struct plan *plan)
{
	struct finding finding;
	finding_init(&finding);
	execution_run(execution, plan, &finding.trace);
	finding.kind = finding_classify(&finding.trace);
	ck_assert_int_eq(schedule_from_finding(&schedule, &finding), STATUS_OK);
	schedule.header.fair_k = plan->policy.fair_k;
	schedule.header.max_depth = plan->policy.max_depth;
	finding_release(&finding);
}

static void record_deadlock(void)
{
	static const struct step steps[] = {{0, 0}, {1, 0}};
	record(&(struct plan){steps, 2, .policy = {.fair_k = 1, .max_depth = 1000}});
	ck_assert_int_eq(schedule.verdict, FINDING_DEADLOCK);
	ck_assert_uint_eq(schedule.length, 2);
}

static void record_exit(void)
{
	record(&(struct plan){.policy = {.fair_k = 1, .max_depth = 1000}});
	ck_assert_int_eq(schedule.end, END_EXIT);
	ck_assert_uint_eq(schedule.length, 8);
}

static enum status play(bool loose)
{
	return player_run(execution, &schedule, loose, NULL, &trace, &diverged_at, why);
}

START_TEST(what_was_recorded_happens_again)
{
	record_deadlock();
	ck_assert_int_eq(play(false), STATUS_OK);
	ck_assert_uint_eq(diverged_at, SIZE_MAX);
	ck_assert_str_eq(why, "");
	ck_assert_int_eq(trace.end, END_DEADLOCK);
	ck_assert_int_eq(play(true), STATUS_OK);
	ck_assert_uint_eq(diverged_at, SIZE_MAX);
}
END_TEST

START_TEST(a_difference_stops_it)
{
	record_exit();
	schedule.lines[2].kind = OP_MUTEX_LOCK;
	schedule.lines[5].object_number = 7;
	ck_assert_int_eq(play(false), STATUS_DIVERGED);
	ck_assert_uint_eq(diverged_at, 2);
	ck_assert_uint_eq(trace.length, 3);
	ck_assert_str_eq(why, "transition 3: expected T1 mutex_lock #1, T1 did mutex_unlock #1");
}
END_TEST

START_TEST(loosely_only_the_end_counts)
{
	record_exit();
	schedule.lines[2].kind = OP_MUTEX_LOCK;
	schedule.lines[5].object_number = 7;
	ck_assert_int_eq(play(true), STATUS_OK);
	ck_assert_uint_eq(diverged_at, 2);
	ck_assert_uint_eq(trace.length, 8);
	schedule.end_value = 3;
	ck_assert_int_eq(play(true), STATUS_DIVERGED);
	ck_assert_uint_eq(diverged_at, 2);
}
END_TEST

START_TEST(an_impossible_step_is_told)
{
	record_deadlock();
	/* T1 has a, T2 has b: T1 wants b. */
	schedule.lines = realloc(schedule.lines, 3 * sizeof *schedule.lines);
	schedule.lines[2] = schedule.lines[0];
	schedule.lines[2].line = 9;
	schedule.lines[2].object_number = 1;
	schedule.length = 3;
	ck_assert_int_eq(play(false), STATUS_DIVERGED);
	ck_assert_uint_eq(diverged_at, 2);
	ck_assert_str_eq(why, "line 9: expected T1 mutex_lock #1, the execution ended before it (deadlock)");
	/* What fits still ends in the same deadlock. */
	ck_assert_int_eq(play(true), STATUS_OK);
	ck_assert_uint_eq(diverged_at, 2);
}
END_TEST

START_TEST(loosely_what_fits_is_played)
{
	record_exit();
	/* T2 can't have b while T1 has it; from there on the default policy goes on as it did. */
	schedule.lines[2].step.thread = 1;
	schedule.lines[2].line = 20;
	ck_assert_int_eq(play(false), STATUS_DIVERGED);
	ck_assert_uint_eq(diverged_at, 2);
	ck_assert_uint_eq(trace.length, 2);
	ck_assert_str_eq(why, "line 20: expected T2 mutex_unlock #1, T2 can't do so at mutex_lock #1");
	ck_assert_int_eq(play(true), STATUS_OK);
	ck_assert_uint_eq(diverged_at, 2);
	ck_assert_uint_eq(trace.length, 8);
}
END_TEST

START_TEST(another_end_is_told)
{
	record_exit();
	schedule.end_value = 3;
	ck_assert_int_eq(play(false), STATUS_DIVERGED);
	ck_assert_uint_eq(diverged_at, 8);
	ck_assert_str_eq(why, "expected the end to be: exit 3, it was: exit 0");
	schedule.end_value = 0;
	schedule.end_thread = 5;
	ck_assert_int_eq(play(false), STATUS_DIVERGED);
	ck_assert_int_eq(play(true), STATUS_OK);
}
END_TEST

START_TEST(more_than_was_recorded_is_told)
{
	record_exit();
	schedule.length = 5;
	ck_assert_int_eq(play(false), STATUS_DIVERGED);
	ck_assert_uint_eq(diverged_at, 5);
	ck_assert_str_eq(why, "transition 6: expected the end (exit 0), T2 did mutex_lock #0");
	ck_assert_int_eq(play(true), STATUS_OK);
	schedule.length = 8;
}
END_TEST

/* Without an end of its own a schedule is played up to its last line. */
START_TEST(an_open_end_is_no_difference)
{
	record_exit();
	schedule.length = 5;
	schedule.end = END_NONE;
	ck_assert_int_eq(play(false), STATUS_OK);
	ck_assert_uint_eq(trace.length, 5);
	schedule.length = 0;
	ck_assert_int_eq(play(false), STATUS_OK);
	schedule.length = 8;
}
END_TEST

struct seen {
	size_t transitions, ends, stop_at;
};

static bool count_transition(void *context, struct execution *x, const struct trace *t)
{
	struct seen *seen = context;
	ck_assert_ptr_eq(x, execution);
	seen->transitions++;
	return t->length != seen->stop_at;
}

static void count_end(void *context, struct execution *x, const struct trace *t)
{
	ck_assert_ptr_eq(x, execution);
	ck_assert_ptr_nonnull(t);
	((struct seen *)context)->ends++;
}

START_TEST(the_callers_watcher_sees_all_and_may_stop_it)
{
	struct seen seen = {.stop_at = SIZE_MAX};
	const struct execution_watcher watcher = {
	    .context = &seen, .transition = count_transition, .end = count_end};
	record_exit();
	ck_assert_int_eq(player_run(execution, &schedule, false, &watcher, &trace, &diverged_at, why),
			 STATUS_OK);
	ck_assert_uint_eq(seen.transitions, 8);
	ck_assert_uint_eq(seen.ends, 1);
	seen.stop_at = 3;
	ck_assert_int_eq(player_run(execution, &schedule, false, &watcher, &trace, &diverged_at, why),
			 STATUS_INTERRUPTED);
	ck_assert_uint_eq(trace.length, 3);
	ck_assert_uint_eq(diverged_at, SIZE_MAX);
	/* It is gone afterwards. */
	seen.transitions = 0;
	execution_run(execution, &(struct plan){.policy = {.fair_k = 1, .max_depth = 100}}, &trace);
	ck_assert_uint_eq(seen.transitions, 0);
}
END_TEST

/* Any execution of any program, written to text and read again, is played to the same trace. */
START_TEST(random_executions_are_played)
{
	size_t ends[END_ERROR + 1] = {0};
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct trace first;
		char *text;
		size_t size;
		table_random(&program, seed, seed % 2);
		begin();
		trace_init(&first);
		struct plan plan = {
		    .policy = {.kind = POLICY_RANDOM, .seed = seed, .fair_k = 1, .max_depth = 300}};
		execution_run(execution, &plan, &first);
		record(&plan);
		FILE *stream = open_memstream(&text, &size);
		ck_assert_int_eq(schedule_write(&schedule, stream), STATUS_OK);
		fclose(stream);
		schedule_release(&schedule);
		ck_assert_msg(schedule_parse(&schedule, text, size, "text", why) == STATUS_OK, "%s", why);
		enum status status = play(false);
		ck_assert_msg(status == STATUS_OK, "seed %llu: %s\n%s", (unsigned long long)seed, why, text);
		ck_assert_uint_eq(trace_difference(&first, &trace), SIZE_MAX);
		ends[trace.end]++;
		free(text);
		trace_release(&first);
		finish();
	}
	ck_assert_uint_gt(ends[END_EXIT], 0);
	ck_assert_uint_gt(ends[END_DEADLOCK], 0);
	ck_assert_uint_gt(ends[END_LIVELOCK] + ends[END_NO_YIELD], 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("player");
	TCase *tests = tcase_create("play"), *random = tcase_create("random");
	tcase_add_checked_fixture(tests, setup, finish);
	tcase_add_test(tests, what_was_recorded_happens_again);
	tcase_add_test(tests, a_difference_stops_it);
	tcase_add_test(tests, loosely_only_the_end_counts);
	tcase_add_test(tests, an_impossible_step_is_told);
	tcase_add_test(tests, loosely_what_fits_is_played);
	tcase_add_test(tests, another_end_is_told);
	tcase_add_test(tests, more_than_was_recorded_is_told);
	tcase_add_test(tests, an_open_end_is_no_difference);
	tcase_add_test(tests, the_callers_watcher_sees_all_and_may_stop_it);
	tcase_set_timeout(random, 120);
	tcase_add_test(random, random_executions_are_played);
	suite_add_tcase(suite, tests);
	suite_add_tcase(suite, random);
	return suite_run(suite);
}
