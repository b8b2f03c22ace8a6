/*
 * A producer and a consumer share a ring of two slots; two semaphores count what is free and what is filled.
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 36
 * fmc-static: yes
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

enum { SLOTS = 2, ITEMS = 3 };

static sem_t free_slots, filled_slots;
static int ring[SLOTS];

static void *produce(void *unused)
{
	(void)unused;
	for (int i = 0; i < ITEMS; i++) {
		sem_wait(&free_slots);
		ring[i % SLOTS] = i;
		sem_post(&filled_slots);
	}
	return NULL;
}

int main(void)
{
	pthread_t producer;

	sem_init(&free_slots, 0, SLOTS);
	sem_init(&filled_slots, 0, 0);
	pthread_create(&producer, NULL, produce, NULL);
	for (int i = 0; i < ITEMS; i++) {
		sem_wait(&filled_slots);
		assert(ring[i % SLOTS] == i);
		sem_post(&free_slots);
	}
	pthread_join(producer, NULL);
	return 0;
}
