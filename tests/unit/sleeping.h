#ifndef FMC_TESTS_SLEEPING_H
#define FMC_TESTS_SLEEPING_H

#include "tests/targets/sleepers.h"

#include <check.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* The target `sleepers` as a process of its own, which fmc hasn't started. */

static struct sleepers *report __attribute__((unused));

/* Started, with `report` as its descriptor 3. */
static inline pid_t sleepers_start(void)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/sleepers", getenv("FMC_TEST_TARGETS"));
	const int memory = memfd_create("report", 0);
	ck_assert_int_eq(ftruncate(memory, sizeof *report), 0);
	report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0);
	ck_assert_ptr_ne(report, MAP_FAILED);
	report->drain = 1;
	const pid_t pid = fork();
	if (pid == 0) {
		dup2(memory, 3);
		execl(path, path, (char *)NULL);
		_exit(127);
	}
	close(memory);
	return pid;
}

/* Until each has slept so many times more. */
static inline void sleepers_wait(pid_t pid, long more)
{
	long wanted[SLEEPERS];
	for (int i = 0; i < SLEEPERS; i++)
		wanted[i] = report->at[i].rounds + more;
	for (int i = 0; i < SLEEPERS; i++)
		while (report->at[i].rounds < wanted[i]) {
			ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
			sched_yield();
		}
}

/* Each goes on, and no sleep of any was cut short or ended in another way than it had to. */
static inline void sleepers_expect_right(pid_t pid)
{
	sleepers_wait(pid, 2);
	for (int i = 0; i < SLEEPERS; i++) {
		ck_assert_msg(report->at[i].cut == 0, "sleeper %d: %ld cut short", i, report->at[i].cut);
		ck_assert_msg(report->at[i].wrong == 0, "sleeper %d: %ld wrong", i, report->at[i].wrong);
	}
}

/* From now on the writing one stays in the middle of its writing. */
static inline void sleepers_stop_drain(pid_t pid)
{
	const long before = report->at[SLEEPER_NANOSLEEP].rounds;
	report->drain = 0;
	/* Whoever drains has passed by. */
	while (report->at[SLEEPER_NANOSLEEP].rounds < before + 3) {
		ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
		sched_yield();
	}
}

static inline void sleepers_end(pid_t pid)
{
	int status;
	report->stop = 1;
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(status, 0);
}

#endif
