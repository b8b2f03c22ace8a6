#ifndef FMC_TESTS_SUITE_H
#define FMC_TESTS_SUITE_H

#include <check.h>
#include <stdlib.h>

/* Run the tests of a suite and tell the result as a program's exit status. */
static inline int suite_run(Suite *suite)
{
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

#endif
