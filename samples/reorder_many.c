/*
 * Many threads that each write two variables, one after the other, and one that must not see only the first: it has to come in
 * between for all of them. With 100 threads no bound can be worked through, and random executions are what finds it.
 * SCTBench (PPoPP 2014), reorder. Argument: the number of threads.
 *
 * fmc-options: --strategy surw --no-minimize
 * fmc-args: 100
 * fmc-verdict: abort
 *
 * fmc-options: --strategy auto --no-minimize
 * fmc-args: 100
 * fmc-long: yes
 * fmc-verdict: abort
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#define MOST 200

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void set(int *variable)
{
	pthread_mutex_lock(&lock);
	*variable = 1;
	pthread_mutex_unlock(&lock);
}

static void *write_both(void *unused)
{
	(void)unused;
	set(&first);
	set(&second);
	return NULL;
}

static void *look(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	int one = first, other = second;
	pthread_mutex_unlock(&lock);
	assert(one == other && "both have been written, or none");
	return NULL;
}

int main(int argc, char **argv)
{
	int length = argc > 1 ? atoi(argv[1]) : 3;
	pthread_t threads[MOST];

	if (length < 1 || length > MOST)
		return 2;
	for (int i = 0; i + 1 < length; i++)
		pthread_create(&threads[i], NULL, write_both, NULL);
	pthread_create(&threads[length - 1], NULL, look, NULL);
	for (int i = 0; i < length; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
