/* What the kernel says of running threads, from this very process and a child of it. */
#include "tests/unit/suite.h"

#include <fmc/tracer/activity.h>

#include <check.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* A thread that answers each byte, and where to write to it. */
struct echo {
	pthread_t thread;
	pid_t tid;
	int to[2], from[2];
};

static void *answer(void *argument)
{
	struct echo *echo = argument;
	char byte;
	echo->tid = (pid_t)syscall(SYS_gettid);
	ck_assert_int_eq(write(echo->from[1], "", 1), 1);
	while (read(echo->to[0], &byte, 1) == 1)
		ck_assert_int_eq(write(echo->from[1], &byte, 1), 1);
	return NULL;
}

static void await(struct echo *echo)
{
	char byte;
	ck_assert_int_eq(read(echo->from[0], &byte, 1), 1);
}

static void echo_start(struct echo *echo)
{
	ck_assert_int_eq(pipe(echo->to), 0);
	ck_assert_int_eq(pipe(echo->from), 0);
	ck_assert_int_eq(pthread_create(&echo->thread, NULL, answer, echo), 0);
	await(echo);
}

static void echo_end(struct echo *echo)
{
	close(echo->to[1]);
	pthread_join(echo->thread, NULL);
	close(echo->to[0]);
	close(echo->from[0]);
	close(echo->from[1]);
}

/* The thread's entry once it sleeps in the system call. */
static struct activity asleep(pid_t tid, long number)
{
	struct activity found = {0};
	do {
		struct activity *list;
		size_t length;
		ck_assert_int_eq(activity_read(getpid(), &list, &length), STATUS_OK);
		const struct activity *a = activity_find(list, length, tid);
		ck_assert_ptr_nonnull(a);
		found = *a;
		free(list);
	} while (found.state != 'S' || found.syscall != number);
	return found;
}

START_TEST(test_stuck_and_moving)
{
	struct echo one, other;
	echo_start(&one);
	echo_start(&other);
	struct activity before = asleep(one.tid, SYS_read), still = asleep(other.tid, SYS_read);
	ck_assert_int_eq(before.arguments[0], one.to[0]);
	ck_assert_int_eq(write(one.to[1], "x", 1), 1);
	await(&one);
	struct activity after = asleep(one.tid, SYS_read);
	ck_assert_uint_gt(after.runs, before.runs);
	ck_assert_uint_gt(after.cpu_ns, before.cpu_ns);
	struct activity yet = asleep(other.tid, SYS_read);
	ck_assert_uint_eq(yet.runs, still.runs);
	ck_assert_uint_eq(yet.cpu_ns, still.cpu_ns);
	echo_end(&one);
	echo_end(&other);
}
END_TEST

START_TEST(test_list)
{
	struct echo echo;
	struct activity *list;
	size_t length;
	echo_start(&echo);
	ck_assert_int_eq(activity_read(getpid(), &list, &length), STATUS_OK);
	ck_assert_uint_eq(length, 2);
	ck_assert_int_eq(list[0].tid, getpid());
	ck_assert_int_eq(list[0].state, 'R');
	ck_assert_ptr_eq(activity_find(list, length, echo.tid), &list[1]);
	ck_assert_ptr_null(activity_find(list, length, echo.tid + 1));
	ck_assert_ptr_null(activity_find(NULL, 0, echo.tid));
	free(list);
	echo_end(&echo);
}
END_TEST

START_TEST(test_no_process)
{
	struct activity *list = (struct activity *)&list;
	size_t length = 7;
	ck_assert_int_eq(activity_read(1 << 30, &list, &length), STATUS_NOT_FOUND);
	ck_assert_ptr_null(list);
	ck_assert_uint_eq(length, 0);
	ck_assert(activity_handlers(1 << 30));
}
END_TEST

static void handle(int signal)
{
	(void)signal;
}

/* What activity_handlers() says of a child that has a handler for this signal only; 0: for none. */
static bool told_of(int handled)
{
	int ready[2];
	ck_assert_int_eq(pipe(ready), 0);
	pid_t child = fork();
	if (child == 0) {
		for (int s = 1; s < NSIG; s++)
			signal(s, SIG_DFL);
		if (handled)
			signal(handled, handle);
		(void)!write(ready[1], "", 1);
		for (;;)
			pause();
	}
	char byte;
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	bool handlers = activity_handlers(child);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(ready[0]);
	close(ready[1]);
	return handlers;
}

START_TEST(test_handlers)
{
	ck_assert(!told_of(0));
	ck_assert(told_of(SIGTERM));
	ck_assert(told_of(SIGRTMIN));
	ck_assert(!told_of(SIGSEGV));
}
END_TEST

SUITE("activity", 0, NULL, NULL, TEST(test_stuck_and_moving), TEST(test_list), TEST(test_no_process),
      TEST(test_handlers))
