/*
 * Two readers and a writer of a pair that is always equal. Readers read together, the writer alone.
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-static: yes
 *
 * fmc-options: --strategy dfs
 * fmc-args: shared
 * fmc-verdict: abort
 * fmc-message: first == second
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int first, second;
static bool broken;

static void *reader(void *unused)
{
	(void)unused;
	pthread_rwlock_rdlock(&lock);
	assert(first == second);
	pthread_rwlock_unlock(&lock);
	return NULL;
}

/* Broken: the writer takes the lock as a reader does. */
static void *writer(void *unused)
{
	(void)unused;
	if (broken)
		pthread_rwlock_rdlock(&lock);
	else
		pthread_rwlock_wrlock(&lock);
	first++;
	sched_yield();
	second++;
	pthread_rwlock_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	(void)argv;
	broken = argc > 1;
	pthread_t threads[2];
	pthread_create(&threads[0], NULL, reader, NULL);
	pthread_create(&threads[1], NULL, writer, NULL);
	pthread_rwlock_rdlock(&lock);
	assert(first == second);
	pthread_rwlock_unlock(&lock);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
