/*
 * Threads that lock and unlock one mutex some times each. A trace is an order of the critical sections: with
 * N threads and K times, (N K)! / (K!)^N of them; 90 for three threads twice. Arguments: N K.
 *
 * fmc-options: --strategy optimal
 * fmc-args: 3 2
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 90
 *
 * fmc-options: --strategy source
 * fmc-args: 3 2
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy optimal
 * fmc-args: 2 4
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 70
 */
#include "include/arguments.h"
#include <pthread.h>

enum { MOST = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter, times;

static void *count(void *unused)
{
	(void)unused;
	for (int i = 0; i < times; i++) {
		pthread_mutex_lock(&lock);
		counter++;
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST];
	int n = argument_number(argc, argv, 1, 3, 1, MOST);

	times = argument_number(argc, argv, 2, 2, 1, MOST);
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, count, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return counter != n * times;
}
