/*
 * Whoever comes first initialises, the others wait until that is done. An initialisation that comes to its own
 * pthread_once again waits for itself.
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-static: yes
 *
 * fmc-options: --strategy optimal
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 2
 *
 * fmc-options: --strategy dfs
 * fmc-args: again
 * fmc-verdict: deadlock
 * fmc-message: waits for .*once held by itself
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int value, runs;
static bool again;

static void initialise(void)
{
	runs++;
	sched_yield();
	if (again)
		pthread_once(&once, initialise);
	value = 42;
}

static void *use(void *unused)
{
	(void)unused;
	pthread_once(&once, initialise);
	assert(value == 42 && runs == 1);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	(void)argv;
	again = argc > 1;
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, use, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(runs == 1);
	return 0;
}
