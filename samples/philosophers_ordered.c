/*
 * Dining philosophers done right: each takes the fork with the lower number first, so no cycle of waiting can
 * close: each of the N forks is had in one of two orders, not all of them alike, which makes 2^N - 2 traces.
 * The number of philosophers is the argument.
 *
 * fmc-options: --strategy dfs
 * fmc-args: 2
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 118
 *
 * fmc-options: --strategy cb:1
 * fmc-args: 3
 * fmc-verdict: none
 * fmc-complete: no
 *
 * fmc-options: --strategy optimal
 * fmc-args: 5
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 30
 *
 * fmc-options: --strategy optimal
 * fmc-args: 8
 * fmc-long: yes
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 254
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16 };

static pthread_mutex_t forks[MOST] = {[0 ... MOST - 1] = PTHREAD_MUTEX_INITIALIZER};
static int meals[MOST];
static int philosophers;

static void *eat(void *argument)
{
	int left = (int)(intptr_t)argument, right = (left + 1) % philosophers;
	int first = left < right ? left : right, second = left < right ? right : left;

	pthread_mutex_lock(&forks[first]);
	pthread_mutex_lock(&forks[second]);
	meals[left]++;
	pthread_mutex_unlock(&forks[second]);
	pthread_mutex_unlock(&forks[first]);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST];

	philosophers = argc > 1 ? atoi(argv[1]) : 2;
	if (philosophers < 2 || philosophers > MOST) {
		fprintf(stderr, "usage: philosophers_ordered [2-%d]\n", MOST);
		return 2;
	}
	for (int i = 0; i < philosophers; i++)
		pthread_create(&threads[i], NULL, eat, (void *)(intptr_t)i);
	for (int i = 0; i < philosophers; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
