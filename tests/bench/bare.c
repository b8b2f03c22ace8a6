/*
 * The least that a stop can cost: a child that does nothing but run into int3, a parent that does nothing but
 * continue it and wait, both on one processor. Prints microseconds a stop. fmc's own cost is given as a ratio
 * to this, because absolute figures move with the machine.
 */
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STOPS = 200000 };

static void child(void)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(1);
	for (;;)
		__asm__ volatile("int3");
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

int main(void)
{
	cpu_set_t one;
	int status;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	sched_setaffinity(0, sizeof one, &one);
	pid_t pid = fork();
	if (pid == 0)
		child();
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFSTOPPED(status)) {
		perror("bare");
		return 1;
	}
	double start = now();
	for (int i = 0; i < STOPS; i++)
		if (ptrace(PTRACE_CONT, pid, NULL, NULL) < 0 || waitpid(pid, &status, 0) < 0 ||
		    !WIFSTOPPED(status)) {
			perror("bare");
			return 1;
		}
	printf("%.3f\n", (now() - start) / STOPS);
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	return 0;
}
