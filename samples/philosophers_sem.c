/*
 * McMini's philosophers_sem: forks are semaphores, and another one lets all but one philosopher into the
 * room. "deadlock" lets all of them in; then nobody depends on the room, there are 2^N - 1 traces as without
 * it, and one of them ends with every left fork taken. Arguments: N [deadlock].
 *
 * fmc-options: --strategy optimal
 * fmc-args: 3
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 24
 *
 * fmc-options: --strategy optimal
 * fmc-args: 5
 * fmc-long: yes
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 990
 *
 * fmc-options: --strategy optimal --all
 * fmc-args: 5 deadlock
 * fmc-verdict: deadlock
 * fmc-executions: 31
 *
 * fmc-options: --strategy optimal
 * fmc-args: 3 deadlock
 * fmc-verdict: deadlock
 *
 * fmc-options: --strategy cb:2
 * fmc-args: 4 deadlock
 * fmc-verdict: deadlock
 */
#include "include/arguments.h"
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>

enum { MOST = 16 };

static sem_t room, forks[MOST];
static int philosophers;

static void *eat(void *argument)
{
	int left = (int)(intptr_t)argument, right = (left + 1) % philosophers;

	sem_wait(&room);
	sem_wait(&forks[left]);
	sem_wait(&forks[right]);
	sem_post(&forks[left]);
	sem_post(&forks[right]);
	sem_post(&room);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST];

	philosophers = argument_number(argc, argv, 1, 3, 2, MOST);
	int places = argument_word(argc, argv, "deadlock") ? philosophers : philosophers - 1;
	sem_init(&room, 0, (unsigned)places);
	for (int i = 0; i < philosophers; i++)
		sem_init(&forks[i], 0, 1);
	for (intptr_t i = 0; i < philosophers; i++)
		pthread_create(&threads[i], NULL, eat, (void *)i);
	for (int i = 0; i < philosophers; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
