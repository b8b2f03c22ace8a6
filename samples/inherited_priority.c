/*
 * Correct: a mutex whose holder inherits the priority of those who wait for it. Libc asks the kernel once whether there is such a thing, by
 * unlocking a word that nobody holds.
 *
 * fmc-options: --strategy optimal
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 2
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t lock;
static int count;

static void *add(void *unused)
{
	pthread_mutex_lock(&lock);
	count++;
	pthread_mutex_unlock(&lock);
	return unused;
}

int main(void)
{
	pthread_mutexattr_t attributes;
	pthread_t threads[2];

	pthread_mutexattr_init(&attributes);
	assert(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0);
	assert(pthread_mutex_init(&lock, &attributes) == 0);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, add, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	assert(count == 2);
	return 0;
}
