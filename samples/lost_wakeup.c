/*
 * A signal is not remembered: when it is given before the other thread waits, and nothing but the signal says
 * that the work is done, the waiter sleeps for ever.
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: deadlock
 * fmc-message: done
 *
 * fmc-options: --strategy random --seed 1 --executions 1000
 * fmc-verdict: deadlock
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;

static void *work(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	pthread_cond_signal(&done);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t worker;

	pthread_create(&worker, NULL, work, NULL);
	pthread_mutex_lock(&lock);
	pthread_cond_wait(&done, &lock); /* no predicate, no loop */
	pthread_mutex_unlock(&lock);
	pthread_join(worker, NULL);
	return 0;
}
