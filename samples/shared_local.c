/*
 * A thread gets a pointer to a local variable of main's, and both add to it. main's side is an access relative to its own
 * stack pointer.
 *
 * fmc-options:
 * fmc-verdict: abort
 *
 * fmc-options: --strategy optimal --granularity race --all
 * fmc-verdict: abort
 * fmc-complete: yes
 * fmc-executions: 7
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static void *add_one(void *sum)
{
	volatile int *x = sum;

	*x = *x + 1;
	return NULL;
}

int main(void)
{
	volatile int sum = 0;
	pthread_t thread;

	pthread_create(&thread, NULL, add_one, (void *)&sum);
	sum = sum + 5;
	pthread_join(thread, NULL);
	assert(sum == 6);
	return 0;
}
