/*
 * Three threads in a ring take the lock on their left and the one on their right, and wait for neither: who doesn't get its second lock gives the first
 * one back, lets others run, and starts again. In step with each other they do so for ever: each holds one lock and tries for the next one's.
 *
 * fmc-options: --strategy recur
 * fmc-verdict: livelock
 * fmc-message: T2, T3, T4
 *
 * fmc-options:
 * fmc-verdict: livelock
 * fmc-message: T2, T3, T4
 *
 * fmc-options: --strategy recur --executions 60
 * fmc-args: ordered
 * fmc-verdict: none
 * fmc-complete: no
 */
#include <pthread.h>
#include <sched.h>
#include <stdint.h>

#define THREADS 3

static pthread_mutex_t locks[THREADS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
					 PTHREAD_MUTEX_INITIALIZER};
static int ordered; /* the last thread begins with the lock that comes first, as the others do */

static int take_both(pthread_mutex_t *first, pthread_mutex_t *second)
{
	if (pthread_mutex_trylock(first) != 0)
		return 0;
	if (pthread_mutex_trylock(second) == 0)
		return 1;
	pthread_mutex_unlock(first);
	return 0;
}

static void *run(void *arg)
{
	const intptr_t one = (intptr_t)arg, next = (one + 1) % THREADS;
	pthread_mutex_t *first = &locks[ordered && next < one ? next : one];
	pthread_mutex_t *second = &locks[ordered && next < one ? one : next];

	while (!take_both(first, second))
		sched_yield();
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	(void)argv;
	ordered = argc > 1;
	for (intptr_t i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, run, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
