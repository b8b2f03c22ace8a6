/*
 * Two threads count under a spinlock; a third one only tries. Taken twice by one thread, it is never had.
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-static: yes
 *
 * fmc-options: --strategy dfs
 * fmc-args: twice
 * fmc-verdict: deadlock
 * fmc-message: waits for lock held by itself
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_spinlock_t lock;
static int count;
static bool twice;

static void *work(void *unused)
{
	(void)unused;
	pthread_spin_lock(&lock);
	if (twice)
		pthread_spin_lock(&lock);
	count++;
	pthread_spin_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	int expected = 2;

	(void)argv;
	twice = argc > 1;
	pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	int result = pthread_spin_trylock(&lock);
	assert(result == 0 || result == EBUSY);
	if (result == 0) {
		count++;
		expected++;
		pthread_spin_unlock(&lock);
	}
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(count == expected);
	pthread_spin_destroy(&lock);
	return 0;
}
