/*
 * rounds N: two threads, each of which computes for N rounds in the middle of a transition: it writes `often` each time, each
 * element of `table` every thousandth time, and `once` in the middle. The update of `counter` is lost if they come between each
 * other; exits with 1 in any case.
 */
#include <pthread.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int rounds;
int counter, often, once, table[1000];

__attribute__((noinline)) void touch(int i)
{
	once = i;
}

static void *work(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	for (volatile int i = 0; i < rounds; i++) {
		++*(volatile int *)&often;
		*(volatile int *)&table[i % 1000] = i;
		if (i == rounds / 2)
			touch(i);
	}
	pthread_mutex_unlock(&lock);
	pthread_mutex_lock(&lock);
	counter++;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	rounds = argc > 1 ? atoi(argv[1]) : 1000;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 1;
}
