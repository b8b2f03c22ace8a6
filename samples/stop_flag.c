/*
 * Correct: workers look at a flag that one of them sets, without a lock. Too late a look does no harm. All orders of these
 * accesses are run.
 *
 * fmc-options: --strategy optimal --granularity race
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 23
 *
 * fmc-options: --strategy optimal --granularity sync
 * fmc-verdict: none
 * fmc-complete: no
 * fmc-only-if: stop at stop_flag\.c
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int stop;
static int rounds;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
	for (int i = 0; i < 3 && !stop; i++) {
		pthread_mutex_lock(&lock);
		if (++rounds >= 3)
			stop = 1;
		pthread_mutex_unlock(&lock);
	}
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(rounds >= 3);
	return 0;
}
