/*
 * McMini, section 5.4: a lock for any number of readers and two writers that each have their own entrance,
 * made of a mutex and condition variables. Writers go before readers. "deadlock": a writer that leaves wakes
 * the readers only. "upgrade": a reader wants to write before it has left. Arguments: READERS [deadlock|upgrade].
 *
 * With the plug-in samples/ops/rw2.c the lock is an operation by itself, and what it is made of is out of the way.
 *
 * fmc-options: --strategy cb:1
 * fmc-args: 1
 * fmc-verdict: none
 *
 * fmc-options: --strategy cb:2
 * fmc-args: 1 deadlock
 * fmc-verdict: deadlock
 *
 * fmc-options: --strategy dfs --ops BUILD/samples/rw2.so
 * fmc-args: 0
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy optimal --ops BUILD/samples/rw2.so
 * fmc-args: 1
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 22
 *
 * fmc-options: --strategy optimal --ops BUILD/samples/rw2.so
 * fmc-args: 1 upgrade
 * fmc-verdict: deadlock
 * fmc-message: T4 waits for lock.mutex held by itself \(1 reading
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
static bool forgets, upgrades;

__attribute__((noinline)) static void lock_read(struct two_writer_lock *rw)
{
	pthread_mutex_lock(&rw->mutex);
	while (rw->writer != NOBODY || rw->waiting[0] || rw->waiting[1])
		pthread_cond_wait(&rw->readable, &rw->mutex);
	rw->readers++;
	pthread_mutex_unlock(&rw->mutex);
}

__attribute__((noinline)) static void lock_write(struct two_writer_lock *rw, int me)
{
	pthread_mutex_lock(&rw->mutex);
	rw->waiting[me] = true;
	while (rw->writer != NOBODY || rw->readers)
		pthread_cond_wait(&rw->writable[me], &rw->mutex);
	rw->waiting[me] = false;
	rw->writer = me;
	pthread_mutex_unlock(&rw->mutex);
}

/* The other writer first, then the readers. */
static void pass_on(struct two_writer_lock *rw, bool to_writers)
{
	if (to_writers && rw->waiting[0])
		pthread_cond_signal(&rw->writable[0]);
	else if (to_writers && rw->waiting[1])
		pthread_cond_signal(&rw->writable[1]);
	else
		pthread_cond_broadcast(&rw->readable);
}

__attribute__((noinline)) static void unlock_read(struct two_writer_lock *rw)
{
	pthread_mutex_lock(&rw->mutex);
	if (--rw->readers == 0)
		pass_on(rw, true);
	pthread_mutex_unlock(&rw->mutex);
}

__attribute__((noinline)) static void unlock_write(struct two_writer_lock *rw)
{
	pthread_mutex_lock(&rw->mutex);
	rw->writer = NOBODY;
	pass_on(rw, !forgets);
	pthread_mutex_unlock(&rw->mutex);
}

static void *read_once(void *unused)
{
	(void)unused;
	lock_read(&lock);
	assert(lock.writer == NOBODY);
	if (upgrades)
		lock_write(&lock, 0);
	unlock_read(&lock);
	return NULL;
}

static void *write_once(void *argument)
{
	int me = (int)(intptr_t)argument;

	lock_write(&lock, me);
	assert(lock.writer == me && lock.readers == 0);
	unlock_write(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST + 2];
	int readers = argument_number(argc, argv, 1, 1, 0, MOST);

	forgets = argument_word(argc, argv, "deadlock");
	upgrades = argument_word(argc, argv, "upgrade");
	for (intptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, write_once, (void *)i);
	for (int i = 0; i < readers; i++)
		pthread_create(&threads[2 + i], NULL, read_once, NULL);
	for (int i = 0; i < readers + 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
