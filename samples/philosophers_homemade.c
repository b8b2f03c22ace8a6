/*
 * Philosophers whose forks are semaphores made of a mutex and a condition variable (the library form of
 * McMini's Table 11). The last one takes the right fork first; "deadlock": all take the left one first.
 * Arguments: N [deadlock].
 *
 * fmc-options: --strategy optimal
 * fmc-args: 2
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy optimal
 * fmc-args: 2 deadlock
 * fmc-verdict: deadlock
 *
 * fmc-options: --strategy cb:2
 * fmc-args: 3 deadlock
 * fmc-verdict: deadlock
 */
#include "include/arguments.h"
#include <pthread.h>
#include <stdint.h>

enum { MOST = 16 };

struct semaphore {
	pthread_mutex_t lock;
	pthread_cond_t positive;
	int value;
};

static struct semaphore forks[MOST];
static bool ordered;
static int philosophers;

static void take(struct semaphore *semaphore)
{
	pthread_mutex_lock(&semaphore->lock);
	while (semaphore->value == 0)
		pthread_cond_wait(&semaphore->positive, &semaphore->lock);
	semaphore->value--;
	pthread_mutex_unlock(&semaphore->lock);
}

static void put(struct semaphore *semaphore)
{
	pthread_mutex_lock(&semaphore->lock);
	semaphore->value++;
	pthread_cond_signal(&semaphore->positive);
	pthread_mutex_unlock(&semaphore->lock);
}

static void *eat(void *argument)
{
	int left = (int)(intptr_t)argument, right = (left + 1) % philosophers;
	bool turned = ordered && right == 0;

	take(&forks[turned ? right : left]);
	take(&forks[turned ? left : right]);
	put(&forks[left]);
	put(&forks[right]);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST];

	philosophers = argument_number(argc, argv, 1, 2, 2, MOST);
	ordered = !argument_word(argc, argv, "deadlock");
	for (int i = 0; i < philosophers; i++) {
		pthread_mutex_init(&forks[i].lock, NULL);
		pthread_cond_init(&forks[i].positive, NULL);
		forks[i].value = 1;
	}
	for (intptr_t i = 0; i < philosophers; i++)
		pthread_create(&threads[i], NULL, eat, (void *)i);
	for (int i = 0; i < philosophers; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
