/*
 * McMini, section 5.4: a lock for any number of readers and two writers that each have their own entrance,
 * made of a mutex and condition variables. Writers go before readers. "deadlock": a writer that leaves wakes
 * the readers only. Arguments: READERS [deadlock].
 *
 * fmc-options: --strategy cb:1
 * fmc-args: 1
 * fmc-verdict: none
 *
 * fmc-options: --strategy cb:2
 * fmc-args: 1 deadlock
 * fmc-verdict: deadlock
 */
#include "include/arguments.h"
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

enum { MOST = 8, NOBODY = 2 };

struct two_writer_lock {
	pthread_mutex_t mutex;
	pthread_cond_t readable, writable[2];
	int readers, writer; /* writer: 0, 1 or NOBODY */
	bool waiting[2];
};

static struct two_writer_lock lock = {.mutex = PTHREAD_MUTEX_INITIALIZER,
				      .readable = PTHREAD_COND_INITIALIZER,
				      .writable = {PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER},
				      .writer = NOBODY};
static bool forgets;

static void lock_read(void)
{
	pthread_mutex_lock(&lock.mutex);
	while (lock.writer != NOBODY || lock.waiting[0] || lock.waiting[1])
		pthread_cond_wait(&lock.readable, &lock.mutex);
	lock.readers++;
	pthread_mutex_unlock(&lock.mutex);
}

static void lock_write(int me)
{
	pthread_mutex_lock(&lock.mutex);
	lock.waiting[me] = true;
	while (lock.writer != NOBODY || lock.readers)
		pthread_cond_wait(&lock.writable[me], &lock.mutex);
	lock.waiting[me] = false;
	lock.writer = me;
	pthread_mutex_unlock(&lock.mutex);
}

/* The other writer first, then the readers. */
static void pass_on(bool to_writers)
{
	if (to_writers && lock.waiting[0])
		pthread_cond_signal(&lock.writable[0]);
	else if (to_writers && lock.waiting[1])
		pthread_cond_signal(&lock.writable[1]);
	else
		pthread_cond_broadcast(&lock.readable);
}

static void unlock_read(void)
{
	pthread_mutex_lock(&lock.mutex);
	if (--lock.readers == 0)
		pass_on(true);
	pthread_mutex_unlock(&lock.mutex);
}

static void unlock_write(void)
{
	pthread_mutex_lock(&lock.mutex);
	lock.writer = NOBODY;
	pass_on(!forgets);
	pthread_mutex_unlock(&lock.mutex);
}

static void *read_once(void *unused)
{
	(void)unused;
	lock_read();
	assert(lock.writer == NOBODY);
	unlock_read();
	return NULL;
}

static void *write_once(void *argument)
{
	int me = (int)(intptr_t)argument;

	lock_write(me);
	assert(lock.writer == me && lock.readers == 0);
	unlock_write();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST + 2];
	int readers = argument_number(argc, argv, 1, 1, 0, MOST);

	forgets = argument_word(argc, argv, "deadlock");
	for (intptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, write_once, (void *)i);
	for (int i = 0; i < readers; i++)
		pthread_create(&threads[2 + i], NULL, read_once, NULL);
	for (int i = 0; i < readers + 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
