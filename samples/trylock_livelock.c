/*
 * Musuvathi and Qadeer, Fair Stateless Model Checking, PLDI 2008, Figure 1: two philosophers who put the
 * first fork back when the second one is taken. In step with each other they do so for ever.
 *
 * fmc-options: --strategy dfs --depth 300
 * fmc-verdict: livelock
 *
 * fmc-options: --strategy cb:2 --depth 300
 * fmc-verdict: livelock
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t fork1 = PTHREAD_MUTEX_INITIALIZER, fork2 = PTHREAD_MUTEX_INITIALIZER;

static void eat(pthread_mutex_t *first, pthread_mutex_t *second)
{
	for (;;) {
		pthread_mutex_lock(first);
		if (pthread_mutex_trylock(second) == 0)
			break;
		pthread_mutex_unlock(first);
	}
	pthread_mutex_unlock(first);
	pthread_mutex_unlock(second);
}

static void *phil1(void *unused)
{
	(void)unused;
	eat(&fork1, &fork2);
	return NULL;
}

static void *phil2(void *unused)
{
	(void)unused;
	eat(&fork2, &fork1);
	return NULL;
}

int main(void)
{
	pthread_t one, two;

	pthread_create(&one, NULL, phil1, NULL);
	pthread_create(&two, NULL, phil2, NULL);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return 0;
}
