/*
 * McMini, Listing 4: a consumer waits for something to consume. With "if" for "while" it takes a wakeup for
 * the news that something is there, which fails only if wakeups can be spurious. Arguments: if|while
 * PRODUCERS.
 *
 * fmc-options: --strategy dfs
 * fmc-args: if 1
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy dfs --spurious 1
 * fmc-args: while 1
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy dfs --spurious 1
 * fmc-args: if 1
 * fmc-verdict: abort
 * fmc-message: to_consume > 0
 *
 * fmc-options: --strategy optimal --spurious 1
 * fmc-args: if 3
 * fmc-verdict: abort
 * fmc-message: to_consume > 0
 */
#include "include/arguments.h"
#include <assert.h>
#include <pthread.h>

enum { MOST = 8 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t news = PTHREAD_COND_INITIALIZER;
static int to_consume;
static bool looks_again;

static void *produce(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	to_consume++;
	pthread_cond_signal(&news);
	pthread_mutex_unlock(&lock);
	return NULL;
}

static void *consume(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	if (!looks_again && to_consume == 0)
		pthread_cond_wait(&news, &lock);
	while (looks_again && to_consume == 0)
		pthread_cond_wait(&news, &lock);
	pthread_mutex_unlock(&lock);

	pthread_mutex_lock(&lock);
	assert(to_consume > 0);
	to_consume--;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[MOST + 1];
	int producers = argument_number(argc, argv, 2, 1, 1, MOST);

	looks_again = !argument_word(argc, argv, "if");
	for (int i = 0; i <= producers; i++)
		pthread_create(&threads[i], NULL, i < producers ? produce : consume, NULL);
	for (int i = 0; i <= producers; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
