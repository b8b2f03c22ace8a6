/*
 * Failing: in one order of the steps under the lock two threads count without a lock. Executions that are looked at
 * in samples hardly include it; every one of a complete search is watched.
 *
 * fmc-options: --strategy optimal --granularity race
 * fmc-verdict: abort
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define THREADS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int order, steps; /* the threads' numbers as digits, in the order of their steps */
static volatile int counter;

static void *work(void *number)
{
	int rare;

	pthread_mutex_lock(&lock);
	order = 10 * order + (int)(intptr_t)number;
	rare = order == 31;
	steps++;
	pthread_mutex_unlock(&lock);
	if (rare)
		counter++;
	pthread_mutex_lock(&lock);
	rare = order == 312;
	pthread_mutex_unlock(&lock);
	if (rare && (intptr_t)number == 2)
		counter++;
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	for (intptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, work, (void *)(i + 1));
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	assert(order != 312 || counter == 2);
	return 0;
}
