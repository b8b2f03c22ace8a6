/* What an open file has now, asked while signals come all the time. */
#include "tests/unit/suite.h"

#include <check.h>
#include <fmc/tracer/ready.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

enum { SIGNALS = 5000 };

static atomic_bool enough;
static volatile sig_atomic_t heard;

static void hear(int signal)
{
	(void)signal;
	heard++;
}

/* How often something else was told than this, until so many signals have come. */
static int told_otherwise(int descriptor, int expected)
{
	int otherwise = 0;
	for (heard = 0; heard < SIGNALS;)
		otherwise += ready_now(descriptor, POLLIN) != expected;
	return otherwise;
}

static void *send_signals(void *to)
{
	while (!atomic_load(&enough))
		pthread_kill(*(pthread_t *)to, SIGUSR1);
	return NULL;
}

START_TEST(despite_signals)
{
	const struct sigaction action = {.sa_handler = hear};
	pthread_t self = pthread_self(), sender;
	int pipes[2];
	ck_assert_int_eq(pipe(pipes), 0);
	ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
	ck_assert_int_eq(pthread_create(&sender, NULL, send_signals, &self), 0);
	const int empty = told_otherwise(pipes[0], 0);
	while (write(pipes[1], "", 1) != 1)
		;
	const int full = told_otherwise(pipes[0], POLLIN);
	atomic_store(&enough, true);
	pthread_join(sender, NULL);
	ck_assert_int_eq(empty, 0);
	ck_assert_int_eq(full, 0);
	/* What is closed is told, not asked for ever. */
	close(pipes[1]);
	ck_assert_int_eq(ready_now(pipes[0], 0), POLLHUP);
	close(pipes[0]);
	ck_assert_int_eq(ready_now(pipes[0], POLLIN), POLLNVAL);
}
END_TEST

SUITE("ready", 0, NULL, NULL, TEST(despite_signals))
