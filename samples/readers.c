/*
 * readers(N) of Abdulla, Aronis, Jonsson and Sagonas, Optimal Dynamic Partial Order Reduction, POPL 2014: one
 * thread writes a variable, N read it. Each reader comes before or after the writer: 2^N traces. Argument: N.
 *
 * fmc-options: --strategy optimal
 * fmc-args: 2
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 4
 *
 * fmc-options: --strategy optimal
 * fmc-args: 8
 * fmc-long: yes
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 256
 *
 * fmc-options: --strategy dfs
 * fmc-args: 2
 * fmc-verdict: none
 * fmc-complete: yes
 */
#include "include/arguments.h"
#include "include/points.h"
#include <pthread.h>

enum { MOST = 16 };

static volatile int x;

static void *read_x(void *unused)
{
	(void)unused;
	(void)LOAD(x);
	return NULL;
}

static void *write_x(void *unused)
{
	(void)unused;
	STORE(x, 1);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST + 1];
	int n = argument_number(argc, argv, 1, 2, 1, MOST);

	for (int i = 0; i <= n; i++)
		pthread_create(&threads[i], NULL, i == 0 ? write_x : read_x, NULL);
	for (int i = 0; i <= n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
