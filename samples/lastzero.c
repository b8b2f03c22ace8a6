/*
 * lastzero(N) of Abdulla, Aronis, Jonsson and Sagonas, Optimal Dynamic Partial Order Reduction, POPL 2014: N
 * threads each set an element to one more than the element before it, another looks for the last zero from
 * the end. (N + 3) 2^(N - 2) traces. Argument: N.
 *
 * fmc-options: --strategy optimal
 * fmc-args: 5
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 64
 *
 * fmc-options: --strategy optimal
 * fmc-args: 8
 * fmc-long: yes
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 704
 */
#include "include/arguments.h"
#include "include/points.h"
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

enum { MOST = 16 };

static volatile int array[MOST + 1];
static int n;

static void *find(void *unused)
{
	int i = n;

	(void)unused;
	while (LOAD(array[i]) != 0)
		i--;
	assert(i >= 0);
	return NULL;
}

static void *increment(void *argument)
{
	int i = (int)(intptr_t)argument;
	int before = LOAD(array[i - 1]);

	STORE(array[i], before + 1);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST + 1];

	n = argument_number(argc, argv, 1, 5, 1, MOST);
	for (intptr_t i = 0; i <= n; i++)
		pthread_create(&threads[i], NULL, i == 0 ? find : increment, (void *)i);
	for (int i = 0; i <= n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
