/* A schedule made from a finding, checked against executions that follow it and that don't. */
#include "tests/unit/suite.h"

#include <fmc/replay/schedule.h>

#include <check.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static struct finding finding;
static struct schedule schedule;
static char why[256];

static struct transition *push(uint32_t thread, enum op_kind kind, uint32_t object)
{
	struct transition transition = {
	    .thread = thread,
	    .op = {.kind = kind, .object = object, .object2 = NO_OBJECT},
	    .result_valid = true,
	    .created = NO_THREAD,
	};
	ck_assert(trace_push(&finding.trace, &transition));
	return &finding.trace.at[finding.trace.length - 1];
}

static void fill_names(void)
{
	finding.objects_length = 2;
	finding.objects = calloc(2, sizeof *finding.objects);
	finding.objects[0] = strdup("queue.lock");
	finding.objects[1] = strdup("items");
	finding.threads_length = 2;
	finding.threads = calloc(2, sizeof *finding.threads);
	finding.threads[0].name = strdup("main");
	finding.threads[0].frames = calloc(1, sizeof *finding.threads[0].frames);
	finding.threads[0].frames_length = 1;
	finding.threads[0].frames[0].function = strdup("main");
	finding.threads[0].holds = calloc(1, sizeof *finding.threads[0].holds);
	finding.places_length = 1;
	finding.places = calloc(1, sizeof *finding.places);
	finding.places[0] =
	    (struct transition_place){.function = strdup("main"), .file = strdup("queue.c"), .line = 7};
}

static void setup(void)
{
	finding_init(&finding);
	finding.kind = FINDING_CRASH;
	finding.message = strdup("crash: SIGSEGV in T2");
	finding.signature = strdup("crash:consume");
	fill_names();
	push(0, OP_THREAD_CREATE, NO_OBJECT)->created = 1;
	push(1, OP_COND_TIMEDWAIT, 2)->op.object2 = 0;
	finding.trace.at[1].choice = CHOICE_TIMEOUT;
	finding.trace.at[1].result_valid = false;
	push(0, OP_MUTEX_TRYLOCK, 0)->result = EBUSY;
	push(0, OP_SEM_WAIT, 1);
	push(0, OP_THREAD_JOIN, 1);
	finding.trace.end = END_SIGNAL;
	finding.trace.end_value = SIGSEGV;
	finding.trace.end_thread = 1;
	finding.trace.loop_start = SIZE_MAX;
	schedule_init(&schedule);
	schedule.header.program = strdup("a");
	ck_assert_int_eq(schedule_from_finding(&schedule, &finding), STATUS_OK);
}

static void teardown(void)
{
	finding_release(&finding);
	schedule_release(&schedule);
}

START_TEST(a_finding_is_copied)
{
	ck_assert_str_eq(schedule.header.program, "a");
	ck_assert_int_eq(schedule.verdict, FINDING_CRASH);
	ck_assert_str_eq(schedule.message, "crash: SIGSEGV in T2");
	ck_assert_str_eq(schedule.signature, "crash:consume");
	ck_assert_int_eq(schedule.end, END_SIGNAL);
	ck_assert_int_eq(schedule.end_value, SIGSEGV);
	ck_assert_uint_eq(schedule.end_thread, 1);
	ck_assert_uint_eq(schedule.loop_start, 0);
	ck_assert_uint_eq(schedule.threads, 2);
	ck_assert_str_eq(schedule.thread_names[0], "main");
	ck_assert_ptr_null(schedule.thread_names[1]);
	ck_assert_uint_eq(schedule.length, 5);
	const struct schedule_line *lines = schedule.lines;
	ck_assert_uint_eq(lines[0].object_number, 1);
	ck_assert_ptr_null(lines[0].object);
	ck_assert_str_eq(lines[0].file, "queue.c");
	ck_assert_int_eq(lines[0].source_line, 7);
	ck_assert_str_eq(lines[0].function, "main");
	ck_assert_ptr_null(lines[1].object);
	ck_assert_uint_eq(lines[1].object_number, 2);
	ck_assert_str_eq(lines[1].object2, "queue.lock");
	ck_assert_ptr_null(lines[1].file);
	ck_assert_int_eq(lines[1].result_valid, false);
	ck_assert_int_eq(lines[2].result, EBUSY);
	ck_assert_ptr_null(lines[4].object);
}
END_TEST

/* Filling again forgets the first body and keeps the header. */
START_TEST(a_schedule_may_be_filled_again)
{
	finding.trace.length = 1;
	finding.kind = FINDING_LIVELOCK;
	finding.trace.end = END_LIVELOCK;
	finding.trace.loop_start = 1;
	ck_assert_int_eq(schedule_from_finding(&schedule, &finding), STATUS_OK);
	ck_assert_uint_eq(schedule.length, 1);
	ck_assert_uint_eq(schedule.loop_start, 1);
	ck_assert_str_eq(schedule.header.program, "a");
}
END_TEST

START_TEST(an_execution_that_follows_agrees)
{
	for (size_t i = 0; i <= schedule.length; i++) {
		ck_assert(schedule_check(&schedule, i, &finding.trace, why));
		ck_assert_str_eq(why, "");
	}
	/* A result is compared only where both have one. */
	finding.trace.at[2].result_valid = false;
	finding.trace.at[1].result_valid = true;
	finding.trace.at[1].result = 3;
	ck_assert(schedule_check(&schedule, 1, &finding.trace, why));
	ck_assert(schedule_check(&schedule, 2, &finding.trace, why));
}
END_TEST

static void differs(size_t i, const char *expected)
{
	ck_assert(!schedule_check(&schedule, i, &finding.trace, why));
	ck_assert_str_eq(why, expected);
}

START_TEST(each_difference_is_said)
{
	struct transition *at = finding.trace.at;
	at[2].thread = 1;
	differs(2, "transition 3: expected T1 mutex_trylock queue.lock, T2 did mutex_trylock queue.lock");
	schedule.lines[2].line = 17;
	at[2].op = (struct op){.kind = OP_SEM_WAIT, .object = 1, .object2 = NO_OBJECT};
	differs(2, "line 17: expected T1 mutex_trylock queue.lock, T2 did sem_wait items");
	at[3].op.object = 5;
	differs(3, "transition 4: expected T1 sem_wait items, T1 did sem_wait #5");
	/* Two objects of one name: their numbers are told. */
	at[3].op.object = 0;
	free(schedule.lines[1].object2);
	schedule.lines[1].object2 = strdup("items");
	differs(3, "transition 4: expected T1 sem_wait items (#1), T1 did sem_wait items (#0)");
	at[1].choice = CHOICE_SPURIOUS;
	differs(1, "transition 2: expected T2 cond_timedwait #2, items choice=timeout, "
		   "T2 did cond_timedwait #2, items choice=spurious");
	at[1].choice = CHOICE_TIMEOUT;
	at[1].op.object2 = 1;
	differs(1, "transition 2: expected T2 cond_timedwait #2, items (#2, #0), "
		   "T2 did cond_timedwait #2, items (#2, #1)");
	at[4].op.object = 2;
	differs(4, "transition 5: expected T1 thread_join T2, T1 did thread_join T3");
	at[0].created = 2;
	differs(0, "transition 1: expected T1 thread_create T2, T1 did thread_create T3");
}
END_TEST

START_TEST(another_result_is_said)
{
	finding.trace.at[2].result = 0;
	differs(2, "transition 3: expected T1 mutex_trylock queue.lock = EBUSY, T1 did mutex_trylock "
		   "queue.lock = 0");
}
END_TEST

START_TEST(an_early_or_late_end_is_said)
{
	finding.trace.length = 4;
	differs(
	    4, "transition 5: expected T1 thread_join T2, the execution ended before it (signal SIGSEGV T2)");
	finding.trace.length = 5;
	push(1, OP_YIELD, NO_OBJECT);
	differs(5, "transition 6: expected the end (signal SIGSEGV T2), T2 did yield");
}
END_TEST

START_TEST(a_step_that_is_impossible_is_said)
{
	struct thread_end threads[2] = {
	    {.pending = {.kind = OP_SEM_WAIT, .object = 1, .object2 = NO_OBJECT}}};
	struct trace trace = finding.trace;
	trace.length = 4;
	trace.end = END_DIVERGED;
	trace.threads = threads;
	trace.threads_length = 2;
	ck_assert(!schedule_check(&schedule, 4, &trace, why));
	ck_assert_str_eq(why, "transition 5: expected T1 thread_join T2, T1 can't do so at sem_wait items");
	threads[0].pending.kind = OP_NONE;
	ck_assert(!schedule_check(&schedule, 4, &trace, why));
	ck_assert_str_eq(why, "transition 5: expected T1 thread_join T2, T1 has exited");
	trace.threads_length = 0;
	ck_assert(!schedule_check(&schedule, 4, &trace, why));
	ck_assert_str_eq(why, "transition 5: expected T1 thread_join T2, there is no T1");
}
END_TEST

/* A line written by hand may leave out the object's number and the result. */
START_TEST(what_a_line_does_not_say_is_not_checked)
{
	schedule.lines[3].object_number = NO_OBJECT;
	schedule.lines[3].result_valid = false;
	finding.trace.at[3].op.object = 9;
	finding.trace.at[3].result = 9;
	ck_assert(schedule_check(&schedule, 3, &finding.trace, why));
}
END_TEST

START_TEST(a_long_name_is_cut_at_a_character)
{
	char name[2000] = "";
	for (int i = 0; i < 400; i++)
		strcat(name, "\xe2\x82\xac");
	free(schedule.lines[3].object);
	schedule.lines[3].object = strdup(name);
	finding.trace.at[3].thread = 1;
	ck_assert(!schedule_check(&schedule, 3, &finding.trace, why));
	ck_assert_uint_le(strlen(why), 255);
	ck_assert_str_eq(why + strlen(why) - 6, "\xe2\x82\xac\xe2\x80\xa6");
}
END_TEST

/* Findings */

START_TEST(kinds_have_names)
{
	for (enum finding_kind kind = FINDING_NONE; kind < FINDING_KINDS; kind++)
		ck_assert_int_eq(finding_kind_by_name(finding_kind_name(kind)), kind);
	ck_assert_str_eq(finding_kind_name(FINDING_GOOD_SAMARITAN), "good-samaritan");
	ck_assert_int_eq(finding_kind_by_name("dead"), FINDING_KINDS);
	ck_assert_int_eq(finding_kind_by_name(""), FINDING_KINDS);
}
END_TEST

START_TEST(ends_are_classified)
{
	static const struct {
		enum end_reason end;
		int value;
		enum finding_kind kind;
	} cases[] = {
	    {END_NONE, 0, FINDING_NONE},	   {END_EXIT, 0, FINDING_NONE},
	    {END_EXIT, 1, FINDING_EXIT},	   {END_SIGNAL, SIGABRT, FINDING_ABORT},
	    {END_SIGNAL, SIGSEGV, FINDING_CRASH},  {END_SIGNAL, SIGPIPE, FINDING_CRASH},
	    {END_DEADLOCK, 0, FINDING_DEADLOCK},   {END_DEPTH, 0, FINDING_NONE},
	    {END_LIVELOCK, 0, FINDING_LIVELOCK},   {END_NO_YIELD, 0, FINDING_GOOD_SAMARITAN},
	    {END_SPIN, 0, FINDING_GOOD_SAMARITAN}, {END_DIVERGED, 0, FINDING_NONE},
	    {END_UNSUPPORTED, 0, FINDING_NONE},	   {END_STUCK, 0, FINDING_NONE},
	    {END_INTERRUPTED, 0, FINDING_NONE},	   {END_ERROR, 0, FINDING_NONE},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		finding.trace.end = cases[i].end;
		finding.trace.end_value = cases[i].value;
		ck_assert_int_eq(finding_classify(&finding.trace), cases[i].kind);
	}
}
END_TEST

SUITE("schedule_check", 0, setup, teardown, TEST(a_finding_is_copied), TEST(a_schedule_may_be_filled_again),
      TEST(an_execution_that_follows_agrees), TEST(each_difference_is_said), TEST(another_result_is_said),
      TEST(an_early_or_late_end_is_said), TEST(a_step_that_is_impossible_is_said),
      TEST(what_a_line_does_not_say_is_not_checked), TEST(a_long_name_is_cut_at_a_character),
      TEST(kinds_have_names), TEST(ends_are_classified))
