/*
 * A worker waits for work that never comes and is cancelled: its clean-up handler gives the mutex back. Without
 * the handler whoever locks it next waits for ever.
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-static: yes
 *
 * fmc-options: --strategy dfs
 * fmc-args: careless
 * fmc-verdict: deadlock
 * fmc-message: T1 waits for lock
 *
 * fmc-options: --strategy dfs
 * fmc-args: semaphore
 * fmc-verdict: none
 * fmc-complete: yes
 */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static sem_t items;
static bool careless;

static void unlock(void *mutex)
{
	if (!careless)
		pthread_mutex_unlock(mutex);
}

static void *worker(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	pthread_cleanup_push(unlock, &lock);
	for (;;)
		pthread_cond_wait(&work, &lock);
	pthread_cleanup_pop(1);
	return NULL;
}

static void *consumer(void *unused)
{
	(void)unused;
	for (;;)
		sem_wait(&items);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	void *result;
	bool semaphore = argc > 1 && argv[1][0] == 's';

	careless = argc > 1 && argv[1][0] == 'c';
	sem_init(&items, 0, 1);
	pthread_create(&thread, NULL, semaphore ? consumer : worker, NULL);
	pthread_cancel(thread);
	pthread_join(thread, &result);
	assert(result == PTHREAD_CANCELED);
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return 0;
}
