/*
 * Musuvathi and Qadeer, Fair Stateless Model Checking, PLDI 2008, Tables 1 and 2: philosophers who take one
 * fork, try the other and put the first one back when they can't have it. The forks are numbered and the lower
 * one is taken first, so that every fair execution ends; unfair ones needn't. Argument: N.
 *
 * fmc-options: --strategy dfs
 * fmc-args: 2
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy cb:1
 * fmc-args: 3
 * fmc-verdict: none
 */
#include "include/arguments.h"
#include <assert.h>
#include <pthread.h>
#include <stdint.h>

enum { MOST = 8 };

static pthread_mutex_t forks[MOST];
static int holders[MOST];
static int philosophers;

static void *eat(void *argument)
{
	int left = (int)(intptr_t)argument, right = (left + 1) % philosophers;
	int low = left < right ? left : right, high = left < right ? right : left;

	for (;;) {
		pthread_mutex_lock(&forks[low]);
		if (pthread_mutex_trylock(&forks[high]) == 0)
			break;
		pthread_mutex_unlock(&forks[low]);
	}
	assert(++holders[low] == 1 && ++holders[high] == 1);
	holders[low] = holders[high] = 0;
	pthread_mutex_unlock(&forks[low]);
	pthread_mutex_unlock(&forks[high]);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST];

	philosophers = argument_number(argc, argv, 1, 2, 2, MOST);
	for (int i = 0; i < philosophers; i++)
		pthread_mutex_init(&forks[i], NULL);
	for (intptr_t i = 0; i < philosophers; i++)
		pthread_create(&threads[i], NULL, eat, (void *)i);
	for (int i = 0; i < philosophers; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
