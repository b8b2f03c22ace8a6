/*
 * indexer(N) of Flanagan and Godefroid, Dynamic Partial-Order Reduction for Model Checking Software, POPL
 * 2005: each thread puts four messages into a hash table, by compare-and-swap. Up to 11 threads never meet;
 * each one more meets another three times: 8^(N - 11) traces. Argument: N.
 *
 * fmc-options: --strategy optimal --atomics
 * fmc-args: 11
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 1
 *
 * fmc-options: --strategy optimal --atomics
 * fmc-args: 12
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 8
 *
 * fmc-options: --strategy optimal --atomics
 * fmc-args: 13
 * fmc-long: yes
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 64
 *
 * fmc-options: --strategy optimal --atomics
 * fmc-args: 14
 * fmc-long: yes
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 512
 */
#include "include/arguments.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

enum { MOST = 16, SIZE = 128, MESSAGES = 4 };

static int table[SIZE];

static bool put(int at, int message)
{
	int empty = 0;

	return __atomic_compare_exchange_n(&table[at], &empty, message, false, __ATOMIC_SEQ_CST,
					   __ATOMIC_SEQ_CST);
}

static void *insert(void *argument)
{
	int thread = (int)(intptr_t)argument;

	for (int i = 1; i <= MESSAGES; i++) {
		int message = i * 11 + thread;
		int at = message * 7 % SIZE;
		while (!put(at, message))
			at = (at + 1) % SIZE;
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST];
	int n = argument_number(argc, argv, 1, 12, 1, MOST);

	for (intptr_t i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, insert, (void *)i);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
