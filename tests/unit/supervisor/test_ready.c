/* What an open file has now and who can write into it, asked while signals come all the time. */
#include "supervisor/process/kernel_objects.h"
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
static int told_otherwise(int (*ask)(int descriptor), int descriptor, int expected)
{
	int otherwise = 0;
	for (heard = 0; heard < SIGNALS;)
		otherwise += ask(descriptor) != expected;
	return otherwise;
}

static int ask_for_bytes(int descriptor)
{
	return ready_now(descriptor, POLLIN);
}

static int ask_for_writers(int descriptor)
{
	return kernel_look_for_writers(descriptor);
}

static void *send_signals(void *to)
{
	while (!atomic_load(&enough))
		pthread_kill(*(pthread_t *)to, SIGUSR1);
	return NULL;
}

static void begin_signals(pthread_t *self, pthread_t *sender)
{
	const struct sigaction action = {.sa_handler = hear};
	*self = pthread_self();
	ck_assert_int_eq(sigaction(SIGUSR1, &action, NULL), 0);
	ck_assert_int_eq(pthread_create(sender, NULL, send_signals, self), 0);
}

static void end_signals(pthread_t sender)
{
	atomic_store(&enough, true);
	pthread_join(sender, NULL);
}

START_TEST(bytes_despite_signals)
{
	pthread_t self, sender;
	int pipes[2];
	ck_assert_int_eq(pipe(pipes), 0);
	begin_signals(&self, &sender);
	const int empty = told_otherwise(ask_for_bytes, pipes[0], 0);
	while (write(pipes[1], "", 1) != 1)
		;
	const int full = told_otherwise(ask_for_bytes, pipes[0], POLLIN);
	end_signals(sender);
	ck_assert_int_eq(empty, 0);
	ck_assert_int_eq(full, 0);
	/* What is closed is told, not asked for ever. */
	close(pipes[1]);
	ck_assert_int_eq(ready_now(pipes[0], 0), POLLHUP);
	close(pipes[0]);
	ck_assert_int_eq(ready_now(pipes[0], POLLIN), POLLNVAL);
}
END_TEST

START_TEST(writers_despite_signals)
{
	pthread_t self, sender;
	int pipes[2];
	ck_assert_int_eq(pipe(pipes), 0);
	begin_signals(&self, &sender);
	const int some = told_otherwise(ask_for_writers, pipes[0], WRITERS_SOME);
	close(pipes[1]);
	const int none = told_otherwise(ask_for_writers, pipes[0], WRITERS_NONE);
	end_signals(sender);
	ck_assert_int_eq(some, 0);
	ck_assert_int_eq(none, 0);
	close(pipes[0]);
}
END_TEST

SUITE("ready", 0, NULL, NULL, TEST(bytes_despite_signals), TEST(writers_despite_signals))
