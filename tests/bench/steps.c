/* steps N: three threads, each with N times lock and unlock of a mutex of its own. Measured by
 * tests/bench/run.sh. */
#include <pthread.h>
#include <stdlib.h>

static int rounds;

static void *step(void *unused)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	(void)unused;
	for (int i = 0; i < rounds; i++) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[3];

	rounds = argc > 1 ? atoi(argv[1]) : 5;
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, step, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
