#include <check.h>
#include <fmc/execution.h>
#include <fmc/process.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

int main(void)
{
	Suite *suite = suite_create("process");
	TCase *outside = tcase_create("outside");
	tcase_set_timeout(outside, 60);
	tcase_add_test(outside, threads_speak_through_pipes);
	tcase_add_test(outside, a_child_posts_a_semaphore);
	tcase_add_test(outside, a_silent_child_is_no_deadlock);
	suite_add_tcase(suite, outside);
	SRunner *runner = srunner_create(suite);
	trace_init(&trace);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	trace_release(&trace);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
