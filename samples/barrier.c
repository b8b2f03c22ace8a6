/*
 * Three threads work in two rounds; nobody begins the second before all have ended the first. One of them, and
 * only one, is told to be the serial thread.
 *
 * fmc-options: --strategy cb:2
 * fmc-verdict: none
 * fmc-static: yes
 *
 * fmc-options: --strategy dfs
 * fmc-args: one-short
 * fmc-verdict: deadlock
 * fmc-message: waits for .*barrier
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { THREADS = 3 };

static pthread_barrier_t barrier;
static int done, serial;

static void *work(void *unused)
{
	(void)unused;
	__atomic_fetch_add(&done, 1, __ATOMIC_SEQ_CST);
	int result = pthread_barrier_wait(&barrier);
	assert(result == 0 || result == PTHREAD_BARRIER_SERIAL_THREAD);
	if (result == PTHREAD_BARRIER_SERIAL_THREAD)
		serial++;
	assert(done == THREADS);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	(void)argv;
	pthread_barrier_init(&barrier, NULL, argc > 1 ? THREADS + 1 : THREADS);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert(serial == 1);
	pthread_barrier_destroy(&barrier);
	return 0;
}
