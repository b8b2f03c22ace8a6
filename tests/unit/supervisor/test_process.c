#include "tests/unit/suite.h"

#include <check.h>
#include <fmc/supervisor/execution.h>
#include <fmc/supervisor/process.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The process machine on targets whose threads depend on what the model doesn't see. */

extern char **environ;

static struct trace trace;

static struct process *open_process(const char *name, const char *argument, const char *built_as)
{
	static char path[512];
	static char *arguments[3];
	char why[256];
	enum status status;
	snprintf(path, sizeof path, "%s/%s", getenv(built_as), name);
	arguments[0] = path;
	arguments[1] = (char *)(uintptr_t)argument;
	const struct process_options options = {.program = {.path = path,
							    .arguments = arguments,
							    .environment = environ,
							    .input = -1,
							    .output = -1,
							    .error = -1},
						.spin_ms = 50,
						.outside_ms = 1000};
	struct process *process = process_new(&options, &status, why);
	ck_assert_msg(process != NULL, "%s", why);
	return process;
}

/* One execution; its end is in `trace`. */
static void run(struct process *process, enum policy_kind policy, uint64_t seed)
{
	const struct plan plan = {.policy = {.kind = policy, .seed = seed, .fair_k = 1, .max_depth = 10000}};
	struct execution *execution = execution_new(process_machine(process));
	execution_run(execution, &plan, &trace);
	execution_free(execution);
}

static void expect_exit(const char *name, const char *argument, int value)
{
	struct process *process = open_process(name, argument, "FMC_TEST_TARGETS");
	for (uint64_t seed = 0; seed < 4; seed++) {
		run(process, seed ? POLICY_RANDOM : POLICY_DEFAULT, seed);
		ck_assert_msg(trace.end == END_EXIT, "%s: %s", end_reason_name(trace.end), trace.message);
		ck_assert_int_eq(trace.end_value, value);
	}
	process_free(process);
}

START_TEST(threads_speak_through_pipes)
{
	expect_exit("pipes", NULL, 0);
}
END_TEST

/* Not a deadlock: the semaphore that main waits for is in memory shared with a child. */
START_TEST(a_child_posts_a_semaphore)
{
	expect_exit("pipes", "child", 0);
}
END_TEST

/* The child lives on and does nothing: that isn't proof of a deadlock. */
START_TEST(a_silent_child_is_no_deadlock)
{
	struct process *process = open_process("pipes", "silent", "FMC_TEST_TARGETS");
	run(process, POLICY_DEFAULT, 0);
	ck_assert_msg(trace.end == END_STUCK, "%s: %s", end_reason_name(trace.end), trace.message);
	process_free(process);
}
END_TEST

/* The outputs of a program's first executions, one under the other. */
static void outputs_of(const char *name, const char *more, int count, char outputs[][128])
{
	char path[512], file[] = "/tmp/fmc-test-XXXXXX";
	static const char text[] = "0123456789abcdef";
	char *arguments[] = {path, file, (char *)(uintptr_t)more, NULL};
	char why[256];
	enum status status;
	size_t length;
	snprintf(path, sizeof path, "%s/%s", getenv("FMC_TEST_TARGETS"), name);
	int descriptor = mkstemp(file);
	ck_assert_int_eq(write(descriptor, text, sizeof text), sizeof text);
	close(descriptor);
	const struct process_options options = {.program = {.path = path,
							    .arguments = arguments,
							    .environment = environ,
							    .input = -1,
							    .output = -1,
							    .error = -1},
						.capture = true,
						.note_unseen = true};
	struct process *process = process_new(&options, &status, why);
	ck_assert_msg(process != NULL, "%s", why);
	for (int i = 0; i < count; i++) {
		run(process, i ? POLICY_RANDOM : POLICY_DEFAULT, (uint64_t)i);
		snprintf(outputs[i], 128, "%s", process_output(process, &length));
		ck_assert_msg(trace.end == END_EXIT && trace.end_value == 0, "%s %s, execution %d: %s, %s",
			      name, more ? more : "", i, end_reason_name(trace.end), outputs[i]);
	}
	process_free(process);
	unlink(file);
}

/* From the third on they start at the first thread's creation: with the process number of the second. */
static void begins_once(const char *name, const char *more)
{
	char outputs[4][128];
	outputs_of(name, more, 4, outputs);
	static const char same[] = "begins, 01234567, ends, 89abcdef, ";
	ck_assert_int_eq(strncmp(outputs[0], same, strlen(same)), 0);
	ck_assert_int_eq(strncmp(outputs[1], same, strlen(same)), 0);
	ck_assert_str_ne(outputs[0], outputs[1]);
	ck_assert_str_eq(outputs[1], outputs[2]);
	ck_assert_str_eq(outputs[2], outputs[3]);
}

START_TEST(what_comes_before_threads_is_run_once)
{
	begins_once("beginning", NULL);
	begins_once("beginning.static", NULL);
}
END_TEST

/* And of a child that has ended there is nothing left. */
START_TEST(copies_have_pipes_and_code_of_their_own)
{
	begins_once("beginning", "pipe");
	begins_once("beginning", "child");
	begins_once("beginning", "code");
}
END_TEST

/* Copies would share what these have, or lack it: all executions are whole. */
START_TEST(what_copies_would_share_is_run_each_time)
{
	static const char *const all[] = {"write", "shared", "alarm"};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		char outputs[4][128];
		outputs_of("beginning", all[i], 4, outputs);
		ck_assert_msg(strcmp(outputs[1], outputs[2]) != 0, "%s", all[i]);
		ck_assert_msg(strcmp(outputs[2], outputs[3]) != 0, "%s", all[i]);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("process");
	TCase *outside = tcase_create("outside");
	tcase_set_timeout(outside, 60);
	tcase_add_test(outside, threads_speak_through_pipes);
	tcase_add_test(outside, a_child_posts_a_semaphore);
	tcase_add_test(outside, a_silent_child_is_no_deadlock);
	suite_add_tcase(suite, outside);
	TCase *beginnings = tcase_create("beginnings");
	tcase_set_timeout(beginnings, 60);
	tcase_add_test(beginnings, what_comes_before_threads_is_run_once);
	tcase_add_test(beginnings, copies_have_pipes_and_code_of_their_own);
	tcase_add_test(beginnings, what_copies_would_share_is_run_each_time);
	suite_add_tcase(suite, beginnings);
	trace_init(&trace);
	int status = suite_run(suite);
	trace_release(&trace);
	return status;
}
