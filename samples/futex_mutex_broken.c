/*
 * The futex mutex with a mistake often made: a thread that had to sleep takes the lock as merely taken. It
 * has forgotten that others may be asleep too, and nobody wakes them when it unlocks.
 *
 * fmc-options: --strategy cb:2
 * fmc-verdict: deadlock
 * fmc-message: word
 *
 * fmc-options:
 * fmc-verdict: deadlock
 */
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { FREE, TAKEN, SLEEPERS, THREADS = 3 };

static atomic_int word = FREE;

static bool take(void)
{
	int seen = FREE;

	return atomic_compare_exchange_strong(&word, &seen, TAKEN);
}

static void lock(void)
{
	while (!take()) { /* after a sleep it should be taken as SLEEPERS */
		int seen = TAKEN;

		if (atomic_compare_exchange_strong(&word, &seen, SLEEPERS) || seen == SLEEPERS)
			syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, SLEEPERS, NULL, NULL, 0);
	}
}

static void unlock(void)
{
	if (atomic_exchange(&word, FREE) == SLEEPERS)
		syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void *work(void *unused)
{
	(void)unused;
	lock();
	sched_yield();
	unlock();
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
