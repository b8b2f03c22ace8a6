/*
 * A bounded buffer with one condition variable whose consumers look only once, with `if`, whether there is
 * something to take. Woken late, one finds that another was quicker: the assertion fails.
 *
 * fmc-options: --strategy cb:2
 * fmc-verdict: abort
 * fmc-message: filled > 0
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int filled;

static void *produce(void *unused)
{
	(void)unused;
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&lock);
		filled++;
		pthread_cond_signal(&changed);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void *consume(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	if (filled == 0)
		pthread_cond_wait(&changed, &lock);
	assert(filled > 0);
	filled--;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t producer, consumers[2];

	pthread_create(&consumers[0], NULL, consume, NULL);
	pthread_create(&consumers[1], NULL, consume, NULL);
	pthread_create(&producer, NULL, produce, NULL);
	pthread_join(producer, NULL);
	pthread_join(consumers[0], NULL);
	pthread_join(consumers[1], NULL);
	return 0;
}
