/*
 * One thread locks, the other locks with a time-out. What a waiter leaves in the mutex whose time has run out makes the next
 * unlock call the kernel to wake nobody: that is libc's affair, and no operation of the program.
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 45
 *
 * fmc-options: --strategy optimal
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 3
 * fmc-static: yes
 */
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *patient(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *hasty(void *unused)
{
	struct timespec until;

	(void)unused;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec++;
	if (pthread_mutex_timedlock(&lock, &until) == 0)
		pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, patient, NULL);
	pthread_create(&threads[1], NULL, hasty, NULL);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	return 0;
}
