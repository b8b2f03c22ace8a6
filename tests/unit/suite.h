#ifndef FMC_TESTS_SUITE_H
#define FMC_TESTS_SUITE_H

#include <fmc/tracer/assert.h>

#include <check.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

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

#endif
