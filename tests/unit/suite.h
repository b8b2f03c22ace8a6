#ifndef FMC_TESTS_SUITE_H
#define FMC_TESTS_SUITE_H

#include <fmc/tracer/assert.h>

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

/*
 * check writes to a file at each assertion that holds, so that it can say after a crash which was the last one. One in a loop tells that
 * often enough by its first rounds.
 */
#define SUITE_MARKS 64
#define _mark_point(file, line)                                                                              \
	({                                                                                                   \
		static unsigned suite_marks;                                                                 \
		if (suite_marks < SUITE_MARKS) {                                                             \
			suite_marks++;                                                                       \
			(_mark_point)(file, line);                                                           \
		}                                                                                            \
	})

/* An assertion that doesn't hold ends a test by SIGILL, as soon as the handler returns to it: this says which one it was. */
static inline void suite_tell_failure(int signal, siginfo_t *info, void *context)
{
	const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
	const char *text =
	    fmc_failure_text((const void *)registers[REG_RIP], (const void *)registers[REG_RDI]);
	(void)signal;
	(void)info;
	if (text && (write(STDERR_FILENO, text, strlen(text)) < 0 || write(STDERR_FILENO, "\n", 1) < 0))
		_exit(EXIT_FAILURE);
}

/* Run the tests of a suite and tell the result as a program's exit status. */
static inline int suite_run(Suite *suite)
{
	const struct sigaction action = {.sa_sigaction = suite_tell_failure,
					 .sa_flags = (int)(SA_SIGINFO | SA_RESETHAND)};
	sigaction(SIGILL, &action, NULL);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Tests of a suite: one, or `length` of them whose _i counts from 0, which end by `signal` if that isn't 0. */
struct suite_tests {
	const TTest *test;
	int length, signal;
};

#define TEST(test)                                                                                           \
	{                                                                                                    \
		(test), 1, 0                                                                                 \
	}
#define TEST_LOOP(test, length)                                                                              \
	{                                                                                                    \
		(test), (int)(length), 0                                                                     \
	}
#define TEST_DIES(test, length, signal)                                                                      \
	{                                                                                                    \
		(test), (int)(length), (signal)                                                              \
	}

/* begin, end (NULL: none) are called around each test; each may take so many seconds (0: as long as check gives it). */
static inline int suite_of(const char *name, int seconds, SFun begin, SFun end,
			   const struct suite_tests tests[], size_t length)
{
	Suite *suite = suite_create(name);
	TCase *all = tcase_create(name);
	if (seconds)
		tcase_set_timeout(all, seconds);
	tcase_add_checked_fixture(all, begin, end);
	for (size_t i = 0; i < length; i++)
		tcase_add_loop_test_raise_signal(all, tests[i].test, tests[i].signal, 0, tests[i].length);
	suite_add_tcase(suite, all);
	return suite_run(suite);
}

/* main() of a program with one suite, whose tests follow as TEST(), TEST_LOOP(), TEST_DIES(). */
#define SUITE(name, seconds, begin, end, ...)                                                                \
	int main(void)                                                                                       \
	{                                                                                                    \
		const struct suite_tests all_of_it[] = {__VA_ARGS__};                                        \
		return suite_of(name, seconds, begin, end, all_of_it,                                        \
				sizeof all_of_it / sizeof all_of_it[0]);                                     \
	}

#endif
