#include <fmc/tracer/answers.h>

#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * The processor faults where its counter of time is read if PR_SET_TSC says so (CR4.TSD). Some virtual machines take that, and let
 * everybody read it.
 */

static void read_ticks(void)
{
	(void)signal(SIGSEGV, SIG_DFL);
	if (prctl(PR_SET_DUMPABLE, 0) == 0 && prctl(PR_SET_TSC, PR_TSC_SIGSEGV) == 0)
		(void)__builtin_ia32_rdtsc();
	_exit(EXIT_SUCCESS);
}

static bool probe(void)
{
	int status;
	const pid_t child = fork();
	if (child == 0)
		read_ticks();
	return child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status) &&
	       WTERMSIG(status) == SIGSEGV;
}

bool tracer_answers_early_ticks(void)
{
	static enum { UNKNOWN, ANSWERS, PASSES } reads;
	if (reads == UNKNOWN)
		reads = probe() ? ANSWERS : PASSES;
	return reads == ANSWERS;
}
