/*
 * McMini's simple_barrier_with_threads: N threads meet at a barrier. "deadlock": the barrier waits for one
 * more. "library" makes the barrier of a mutex, a semaphore and a counter. Arguments: N [library] [deadlock].
 * N traces: one for each thread that may come last and is told so.
 *
 * fmc-options: --strategy optimal
 * fmc-args: 5
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 5
 *
 * fmc-options: --strategy optimal
 * fmc-args: 10
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 10
 *
 * fmc-options: --strategy optimal
 * fmc-args: 5 deadlock
 * fmc-verdict: deadlock
 *
 * fmc-options: --strategy optimal
 * fmc-args: 2 library
 * fmc-verdict: none
 * fmc-complete: yes
 */
#include "include/arguments.h"
#include <pthread.h>
#include <semaphore.h>

enum { MOST = 16 };

static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t gate;
static int expected, arrived;
static bool library;

static void wait_in_library(void)
{
	pthread_mutex_lock(&lock);
	bool last = ++arrived == expected;
	pthread_mutex_unlock(&lock);
	for (int i = 1; last && i < expected; i++)
		sem_post(&gate);
	if (!last)
		sem_wait(&gate);
}

static void *meet(void *unused)
{
	(void)unused;
	if (library)
		wait_in_library();
	else
		pthread_barrier_wait(&barrier);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST];
	int n = argument_number(argc, argv, 1, 5, 1, MOST);

	expected = n + argument_word(argc, argv, "deadlock");
	library = argument_word(argc, argv, "library");
	pthread_barrier_init(&barrier, NULL, (unsigned)expected);
	sem_init(&gate, 0, 0);
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, meet, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
