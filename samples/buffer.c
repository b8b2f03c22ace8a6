/*
 * A bounded buffer of one slot as it should be: a condition variable for each thing that is waited for, and
 * the predicate looked at again after every wakeup.
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 16
 *
 * fmc-options: --strategy dfs --verify-model
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 16
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

enum { ITEMS = 2 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int slot; /* 0: empty */

static void *produce(void *unused)
{
	(void)unused;
	for (int i = 1; i <= ITEMS; i++) {
		pthread_mutex_lock(&lock);
		while (slot != 0)
			pthread_cond_wait(&not_full, &lock);
		slot = i;
		pthread_cond_signal(&not_empty);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(void)
{
	pthread_t producer;

	pthread_create(&producer, NULL, produce, NULL);
	for (int i = 1; i <= ITEMS; i++) {
		pthread_mutex_lock(&lock);
		while (slot == 0)
			pthread_cond_wait(&not_empty, &lock);
		assert(slot == i);
		slot = 0;
		pthread_cond_signal(&not_full);
		pthread_mutex_unlock(&lock);
	}
	pthread_join(producer, NULL);
	return 0;
}
