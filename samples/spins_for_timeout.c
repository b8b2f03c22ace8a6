/*
 * A thread that spins until another one's time-out has fired: it would hold the time-out back for ever if it could. After a
 * hundred yields it can't.
 *
 * fmc-options: --strategy cb:0 --timeouts ordered
 * fmc-verdict: none
 * fmc-complete: no
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <time.h>

static sem_t never, over;

static void *wait_in_vain(void *unused)
{
	struct timespec end;

	(void)unused;
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec++;
	sem_timedwait(&never, &end);
	sem_post(&over);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	sem_init(&never, 0, 0);
	sem_init(&over, 0, 0);
	pthread_create(&thread, NULL, wait_in_vain, NULL);
	while (sem_trywait(&over) != 0)
		;
	pthread_join(thread, NULL);
	return 0;
}
