/*
 * Dining philosophers. Each takes the fork on the left, then the one on the right: when all hold their left
 * fork, nobody can go on. The number of philosophers is the argument.
 *
 * fmc-options: --strategy dfs
 * fmc-args: 2
 * fmc-verdict: deadlock
 * fmc-message: waits for forks\[[01]\]
 * fmc-static: yes
 *
 * fmc-options: --strategy cb:2
 * fmc-args: 3
 * fmc-verdict: deadlock
 *
 * fmc-options:
 * fmc-args: 5
 * fmc-verdict: deadlock
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16 };

static pthread_mutex_t forks[MOST];
static int meals[MOST];
static int philosophers;

static void *eat(void *argument)
{
	int left = (int)(intptr_t)argument, right = (left + 1) % philosophers;

	pthread_mutex_lock(&forks[left]);
	pthread_mutex_lock(&forks[right]);
	meals[left]++;
	pthread_mutex_unlock(&forks[right]);
	pthread_mutex_unlock(&forks[left]);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST];

	philosophers = argc > 1 ? atoi(argv[1]) : 3;
	if (philosophers < 2 || philosophers > MOST) {
		fprintf(stderr, "usage: philosophers [2-%d]\n", MOST);
		return 2;
	}
	for (int i = 0; i < philosophers; i++)
		pthread_mutex_init(&forks[i], NULL);
	for (int i = 0; i < philosophers; i++)
		pthread_create(&threads[i], NULL, eat, (void *)(intptr_t)i);
	for (int i = 0; i < philosophers; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
