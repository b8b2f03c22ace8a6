/*
 * Philosophers who think for long and eat quickly, for ever: that all take their left fork at once hardly ever happens by
 * itself. It ends when its standard input does. With an argument there is an order among the forks.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define PHILOSOPHERS 3

static pthread_mutex_t forks[PHILOSOPHERS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
					      PTHREAD_MUTEX_INITIALIZER};
static bool ordered;

static void *dine(void *number)
{
	long left = (long)number, right = (left + 1) % PHILOSOPHERS;
	if (ordered && left > right) {
		right = left;
		left = 0;
	}
	for (long meals = 0;; meals++) {
		const struct timespec thought = {.tv_nsec =
						     3000000 + 700000 * (long)number + meals % 7 * 100000};
		nanosleep(&thought, NULL);
		pthread_mutex_lock(&forks[left]);
		pthread_mutex_lock(&forks[right]);
		pthread_mutex_unlock(&forks[right]);
		pthread_mutex_unlock(&forks[left]);
	}
	return NULL;
}

static void *wait_for_end(void *unused)
{
	char byte;
	while (read(0, &byte, 1) > 0)
		if (byte == 'c')
			*(volatile char *)8 = 0;
	exit(0);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[PHILOSOPHERS + 1];
	(void)argv;
	ordered = argc > 1;
	for (long i = 0; i < PHILOSOPHERS; i++)
		pthread_create(&threads[i], NULL, dine, (void *)i);
	pthread_create(&threads[PHILOSOPHERS], NULL, wait_for_end, NULL);
	printf("ready\n");
	fflush(stdout);
	for (int i = 0; i <= PHILOSOPHERS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
