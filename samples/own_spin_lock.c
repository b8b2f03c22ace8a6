/*
 * Correct: a spin lock of the program's own, taken by an atomic exchange and released by a plain store. What it protects is ordered
 * by that alone: no race of its own is left when both are operations.
 *
 * fmc-options: --strategy optimal --granularity race
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 4
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static volatile int locked;
static int counter;

static void *count(void *unused)
{
	while (__sync_lock_test_and_set(&locked, 1))
		;
	counter++;
	__sync_lock_release(&locked);
	return unused;
}

int main(void)
{
	pthread_t threads[2];

	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(counter == 2);
	return 0;
}
