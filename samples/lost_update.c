/*
 * Two threads add one to a counter by reading it in one critical section and writing it in another; the
 * program exits with status 1 when an addition got lost.
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: exit
 * fmc-message: 1
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *add(void *unused)
{
	int copy;

	(void)unused;
	pthread_mutex_lock(&lock);
	copy = counter;
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	counter = copy + 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t one, two;

	pthread_create(&one, NULL, add, NULL);
	pthread_create(&two, NULL, add, NULL);
	pthread_join(one, NULL);
	pthread_join(two, NULL);
	return counter == 2 ? 0 : 1;
}
