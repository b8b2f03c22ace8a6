/*
 * wrapped: three threads, of which the second has a lower number than the first, as after the highest number of all. To be run
 * in a pid namespace in which it may choose numbers. Says "ready" when all are there.
 */
#include "asleep.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

static sem_t never;
static pthread_barrier_t there;

static void *sleep_there(void *argument)
{
	prctl(PR_SET_NAME, argument);
	pthread_barrier_wait(&there);
	sem_wait(&never);
	return NULL;
}

static long ticks(void)
{
	struct timespec now;
	clock_gettime(CLOCK_BOOTTIME, &now);
	return now.tv_sec * sysconf(_SC_CLK_TCK) + now.tv_nsec / (1000000000 / sysconf(_SC_CLK_TCK));
}

/* Whose age can be told apart from that of what came before. */
static void make(const char *name, int number_before)
{
	pthread_t thread;
	const long before = ticks();
	FILE *last = fopen("/proc/sys/kernel/ns_last_pid", "w");
	if (!last || fprintf(last, "%d", number_before) < 0 || fclose(last) != 0)
		exit(77);
	while (ticks() < before + 2)
		;
	if (pthread_create(&thread, NULL, sleep_there, (void *)name) != 0)
		exit(1);
	pthread_barrier_wait(&there);
}

int main(void)
{
	sem_init(&never, 0, 0);
	pthread_barrier_init(&there, NULL, 2);
	make("eldest", 30000);
	make("middle", 600);
	make("youngest", 700);
	puts("ready");
	fflush(stdout);
	return sem_wait(&never);
}
