/*
 * McMini's producer_consumer_mut_sem: two semaphores count free and filled slots, a mutex guards the ring.
 * One producer, one consumer, three items and two slots have 12 traces, because
 * the first two waits for a slot need no post. "deadlock" takes the mutex first, and
 * then waits for a slot with it. Arguments: PRODUCERS CONSUMERS ITEMS SLOTS [deadlock]; each producer makes
 * so many items, which are divided among the consumers.
 *
 * fmc-options: --strategy optimal
 * fmc-args: 1 1 3 2
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 12
 *
 * fmc-options: --strategy optimal
 * fmc-args: 1 1 1 1 deadlock
 * fmc-verdict: deadlock
 *
 * fmc-options: --strategy cb:2
 * fmc-args: 2 2 1 1 deadlock
 * fmc-verdict: deadlock
 */
#include "include/arguments.h"
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

enum { MOST = 16 };

static sem_t free_slots, filled_slots;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first, filled, slots, to_make, to_take;
static bool lock_first;

/* Wait until there is a slot, and have the lock in the end. */
static void enter(sem_t *semaphore)
{
	if (lock_first)
		pthread_mutex_lock(&lock);
	sem_wait(semaphore);
	if (!lock_first)
		pthread_mutex_lock(&lock);
}

static void *produce(void *unused)
{
	(void)unused;
	for (int i = 0; i < to_make; i++) {
		enter(&free_slots);
		assert(filled < slots);
		filled++;
		pthread_mutex_unlock(&lock);
		sem_post(&filled_slots);
	}
	return NULL;
}

static void *consume(void *unused)
{
	(void)unused;
	for (int i = 0; i < to_take; i++) {
		enter(&filled_slots);
		assert(filled > 0);
		filled--;
		first = (first + 1) % slots;
		pthread_mutex_unlock(&lock);
		sem_post(&free_slots);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2 * MOST];
	int producers = argument_number(argc, argv, 1, 1, 1, MOST);
	int consumers = argument_number(argc, argv, 2, 1, 1, MOST);

	to_make = argument_number(argc, argv, 3, 3, 1, 100);
	slots = argument_number(argc, argv, 4, 2, 1, 100);
	to_take = producers * to_make / consumers;
	lock_first = argument_word(argc, argv, "deadlock");
	sem_init(&free_slots, 0, (unsigned)slots);
	sem_init(&filled_slots, 0, 0);
	for (int i = 0; i < producers + consumers; i++)
		pthread_create(&threads[i], NULL, i < producers ? produce : consume, NULL);
	for (int i = 0; i < producers + consumers; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
