/* accesses N: three threads, each with N atomic additions to a number that all have. Measured by tests/bench/run.sh. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#define THREADS 3

static atomic_int number;
static int rounds;

static void *count(void *unused)
{
	(void)unused;
	for (int i = 0; i < rounds; i++)
		atomic_fetch_add(&number, 1);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	rounds = argc > 1 ? atoi(argv[1]) : 5;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
