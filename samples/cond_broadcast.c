/*
 * McMini's simple_cond_broadcast: N threads wait until they are all told. "deadlock": the word is given
 * without being written down, so that whoever comes later waits for ever. "library" makes the condition
 * variable of a mutex and a semaphore. Arguments: N [library] [deadlock].
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
 * fmc-options: --strategy optimal
 * fmc-args: 2 library
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy optimal
 * fmc-args: 2 library deadlock
 * fmc-verdict: deadlock
 */
#include "include/arguments.h"
#include <pthread.h>
#include <semaphore.h>

enum { MOST = 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static bool go, forgets, library;

/* The library's condition variable: its own mutex, how many wait, and where they wait. */
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER;
static sem_t queue;
static int waiting;

static void cond_wait(void)
{
	if (!library) {
		pthread_cond_wait(&told, &lock);
		return;
	}
	pthread_mutex_lock(&inner);
	waiting++;
	pthread_mutex_unlock(&inner);
	pthread_mutex_unlock(&lock);
	sem_wait(&queue);
	pthread_mutex_lock(&lock);
}

static void cond_broadcast(void)
{
	if (!library) {
		pthread_cond_broadcast(&told);
		return;
	}
	pthread_mutex_lock(&inner);
	for (; waiting > 0; waiting--)
		sem_post(&queue);
	pthread_mutex_unlock(&inner);
}

static void *listen(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	if (forgets)
		cond_wait();
	while (!forgets && !go)
		cond_wait();
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST];
	int n = argument_number(argc, argv, 1, 2, 1, MOST);

	forgets = argument_word(argc, argv, "deadlock");
	library = argument_word(argc, argv, "library");
	sem_init(&queue, 0, 0);
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, listen, NULL);
	pthread_mutex_lock(&lock);
	go = true;
	cond_broadcast();
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
