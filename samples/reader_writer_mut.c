/*
 * McMini's reader_writer_mut_reader_preferred, the textbook's first solution: the first reader locks writers
 * out, the last one lets them in. The lock between them is a semaphore, because another thread may give it
 * back than took it. "deadlock": a writer also takes the readers' mutex, in the other order. Arguments:
 * READERS WRITERS [deadlock].
 *
 * fmc-options: --strategy optimal
 * fmc-args: 2 1
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy optimal
 * fmc-args: 1 1 deadlock
 * fmc-verdict: deadlock
 */
#include "include/arguments.h"
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>

enum { MOST = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t resource;
static int readers, writing;
static bool nested;

static void *read_once(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	if (++readers == 1)
		sem_wait(&resource);
	pthread_mutex_unlock(&lock);

	assert(!writing);
	pthread_mutex_lock(&lock);
	if (--readers == 0)
		sem_post(&resource);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *write_once(void *unused)
{
	(void)unused;
	sem_wait(&resource);
	if (nested)
		pthread_mutex_lock(&lock);
	writing = 1;
	writing = 0;
	if (nested)
		pthread_mutex_unlock(&lock);
	sem_post(&resource);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2 * MOST];
	int most_readers = argument_number(argc, argv, 1, 2, 0, MOST);
	int writers = argument_number(argc, argv, 2, 1, 0, MOST);

	nested = argument_word(argc, argv, "deadlock");
	sem_init(&resource, 0, 1);
	for (int i = 0; i < most_readers + writers; i++)
		pthread_create(&threads[i], NULL, i < most_readers ? read_once : write_once, NULL);
	for (int i = 0; i < most_readers + writers; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
