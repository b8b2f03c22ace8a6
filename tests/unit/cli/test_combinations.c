/* Which options can't be had together, as a table and on the command line; how much was seen. */
#include <fmc/supervisor/combinations.h>
#include <fmc/supervisor/coverage.h>
#include <fmc/supervisor/execution.h>

#include "supervisor/cli/options/options.h"
#include "tests/table/table.h"
#include "tests/unit/suite.h"

#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Each line is refused, says why, and is the only one for its pair. */
START_TEST(lines_have_reasons)
{
	const char *one, *other, *reason, *again_one, *again_other, *again;
	size_t lines = 0;
	for (size_t i = 0; combination_line(i, &one, &other, &reason); i++, lines++) {
		ck_assert_str_ne(one, other);
		ck_assert_uint_gt(strlen(reason), 20);
		for (size_t j = 0; combination_line(j, &again_one, &again_other, &again); j++)
			if (i != j)
				ck_assert(strcmp(one, again_one) != 0 || strcmp(other, again_other) != 0);
	}
	ck_assert_uint_ge(lines, 10);
}
END_TEST

START_TEST(pairs_are_refused)
{
	static const unsigned bad[] = {FEATURE_SLEEP_SETS | FEATURE_BOUND,
				       FEATURE_SLEEP_SETS | FEATURE_CACHE,
				       FEATURE_BPOR | FEATURE_CACHE,
				       FEATURE_DFS | FEATURE_BOUND,
				       FEATURE_BPOR | FEATURE_THREAD_DEPTH,
				       FEATURE_SLEEP_SETS | FEATURE_THREAD_DEPTH,
				       FEATURE_RANDOM | FEATURE_CACHE,
				       FEATURE_NO_FAIR | FEATURE_FAIR_K,
				       FEATURE_BPOR | FEATURE_JOBS,
				       FEATURE_BPOR | FEATURE_RESUME,
				       FEATURE_FIRST | FEATURE_ALL | FEATURE_DFS};
	static const unsigned good[] = {FEATURE_PREEMPTIONS | FEATURE_BOUND | FEATURE_CACHE |
					    FEATURE_THREAD_DEPTH | FEATURE_ALL,
					FEATURE_DELAYS | FEATURE_BOUND | FEATURE_NO_FAIR,
					FEATURE_SLEEP_SETS | FEATURE_FAIR_K,
					FEATURE_BPOR | FEATURE_BOUND,
					FEATURE_RANDOM | FEATURE_THREAD_DEPTH,
					FEATURE_DFS | FEATURE_NO_FAIR,
					FEATURE_AUTO | FEATURE_JOBS | FEATURE_RESUME,
					FEATURE_SLEEP_SETS | FEATURE_JOBS | FEATURE_ALL};
	const char *one, *other;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		ck_assert_msg(combination_refused(bad[i], &one, &other), "%zu", i);
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		ck_assert_msg(!combination_refused(good[i], &one, &other), "%zu", i);
}
END_TEST

/* options_parse() of `fmc check` with these; the one line that it prints goes to `said`. */
static int parse(const char *const words[], char said[512])
{
	char *argv[16] = {(char *)"fmc", (char *)"check"};
	int argc = 2, ends[2];
	while (*words)
		argv[argc++] = (char *)*words++;
	argv[argc++] = (char *)"program";
	ck_assert_int_eq(pipe(ends), 0);
	int old = dup(STDERR_FILENO);
	dup2(ends[1], STDERR_FILENO);
	struct options options;
	int status = options_parse(&options, argc, argv);
	dup2(old, STDERR_FILENO);
	close(old);
	close(ends[1]);
	ssize_t length = read(ends[0], said, 511);
	said[length > 0 ? length : 0] = 0;
	close(ends[0]);
	return status;
}

#define PARSE(...) parse((const char *const[]){__VA_ARGS__, NULL}, said)

START_TEST(command_lines_are_refused)
{
	char said[512];
	ck_assert_int_eq(PARSE("--no-fair", "--fair-k", "2"), 64);
	ck_assert_ptr_nonnull(strstr(said, "--no-fair and --fair-k can't be had together: "));
	ck_assert_int_eq(PARSE("--fair-k", "2", "--no-fair"), 64);
	ck_assert_int_eq(PARSE("--all", "--first"), 64);
	ck_assert_int_eq(PARSE("--strategy", "dfs:2"), 64);
	ck_assert_ptr_nonnull(strstr(said, "use cb:K"));
	ck_assert_int_eq(PARSE("--strategy", "auto:2"), 64);
	ck_assert_int_eq(PARSE("--strategy", "pct:0"), 64);
	ck_assert_int_eq(PARSE("--strategy", "pos", "--cache", "on"), 64);
	ck_assert_int_eq(PARSE("--strategy", "bpor:1", "--spurious", "1"), 64);
	ck_assert_int_eq(PARSE("--strategy", "optimal:1"), 64);
	ck_assert_int_eq(PARSE("--strategy", "bpor", "--jobs", "2"), 64);
	ck_assert_int_eq(PARSE("--strategy", "bpor", "--resume", "file"), 64);
	ck_assert_int_eq(PARSE("--jobs", "2000"), 64);
	ck_assert_int_eq(PARSE("--strategy", "source", "--max-thread-depth", "4"), 64);
	ck_assert_int_eq(PARSE("--cache", "perhaps"), 64);
	ck_assert_int_eq(PARSE("--strategy", "cb:2", "--cache", "on", "--all", "--max-thread-depth", "9"), 0);
	ck_assert_str_eq(said, "");
	ck_assert_int_eq(PARSE("--strategy", "dfs", "--no-fair", "--cache", "off"), 0);
}
END_TEST

/* Two threads of two operations on objects of their own: one class, in six orders. */
START_TEST(classes_are_counted)
{
	struct table_program p = {0};
	struct table_machine machine;
	struct coverage coverage;
	struct trace trace;
	for (int shared = 0; shared < 2; shared++) {
		p = (struct table_program){0};
		uint32_t mutex[2] = {table_mutex(&p, MUTEX_NORMAL), table_mutex(&p, MUTEX_NORMAL)};
		for (int t = 0; t < 2; t++) {
			struct table_body *b = table_body(&p);
			table_op(b, OP_MUTEX_LOCK, mutex[shared ? 0 : t]);
			table_op(b, OP_MUTEX_UNLOCK, mutex[shared ? 0 : t]);
		}
		table_machine_init(&machine, &p);
		struct execution *execution = execution_new(&machine.machine);
		coverage_init(&coverage);
		trace_init(&trace);
		ck_assert(coverage_saturation(&coverage) == 0);
		struct plan plan = {.policy = {.kind = POLICY_RANDOM, .fair_k = 1}};
		for (uint64_t i = 0; i < 3000; i++) {
			plan.policy.seed = i;
			execution_run(execution, &plan, &trace);
			ck_assert(coverage_note(&coverage, &trace));
		}
		ck_assert_uint_eq(coverage.classes, shared ? 2 : 1);
		ck_assert_uint_eq(coverage.once, 0);
		ck_assert_uint_eq(coverage.executions, 3000);
		ck_assert(coverage_saturation(&coverage) > 0.99);
		coverage_release(&coverage);
		trace_release(&trace);
		execution_free(execution);
	}
}
END_TEST

SUITE("combinations", 0, NULL, NULL, TEST(lines_have_reasons), TEST(pairs_are_refused),
      TEST(command_lines_are_refused), TEST(classes_are_counted))
