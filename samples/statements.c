/*
 * J. Holt, The One Page Model Checker, section 6: two threads of N statements each, which touch nothing of each other's. There are (2N)! /
 * (N!)^2 orders of them, but only (N + 1)^2 pairs of places where the threads can be (--prune-states). Argument: N.
 *
 * fmc-options: --strategy dfs --prune-states
 * fmc-args: 4
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy optimal
 * fmc-args: 4
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 1
 */
#include "include/arguments.h"
#include "include/points.h"
#include <pthread.h>

enum { MOST = 20 };

static int counts[2], statements;

static void *run(void *count)
{
	for (int i = 0; i < statements; i++) {
		fmc_point(count, sizeof counts[0], 1);
		++*(int *)count;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];

	statements = argument_number(argc, argv, 1, 3, 1, MOST);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, run, &counts[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
