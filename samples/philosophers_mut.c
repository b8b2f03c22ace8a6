/*
 * McMini's philosophers_mut: forks are mutexes, and a guard lets one philosopher at a time pick up both. The
 * order in which they pass the guard is all that can differ: N! traces. "unguarded" leaves the guard away:
 * 2^N - 1 traces, one of them the deadlock. Arguments: N [unguarded].
 *
 * fmc-options: --strategy optimal
 * fmc-args: 4
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 24
 *
 * fmc-options: --strategy optimal
 * fmc-args: 6
 * fmc-long: yes
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 720
 *
 * fmc-options: --strategy optimal
 * fmc-args: 5 unguarded
 * fmc-verdict: deadlock
 *
 * fmc-options: --strategy optimal --all
 * fmc-args: 5 unguarded
 * fmc-verdict: deadlock
 * fmc-complete: yes
 * fmc-executions: 31
 */
#include "include/arguments.h"
#include <pthread.h>
#include <stdint.h>

enum { MOST = 16 };

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER, forks[MOST];
static bool guarded;
static int philosophers;

static void *eat(void *argument)
{
	int left = (int)(intptr_t)argument, right = (left + 1) % philosophers;

	if (guarded)
		pthread_mutex_lock(&guard);
	pthread_mutex_lock(&forks[left]);
	pthread_mutex_lock(&forks[right]);
	if (guarded)
		pthread_mutex_unlock(&guard);
	pthread_mutex_unlock(&forks[left]);
	pthread_mutex_unlock(&forks[right]);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST];

	philosophers = argument_number(argc, argv, 1, 4, 2, MOST);
	guarded = !argument_word(argc, argv, "unguarded");
	for (int i = 0; i < philosophers; i++)
		pthread_mutex_init(&forks[i], NULL);
	for (intptr_t i = 0; i < philosophers; i++)
		pthread_create(&threads[i], NULL, eat, (void *)i);
	for (int i = 0; i < philosophers; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
