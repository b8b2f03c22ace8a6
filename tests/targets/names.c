/*
 * Locks a mutex of each kind of place, through take(), and writes to standard output what each is called: a
 * whole name, or its beginning where an address follows. The second thread, which comes first, has one on its
 * stack.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct pool {
	int users;
	pthread_mutex_t lock;
	struct {
		char tag;
		pthread_mutex_t each[2];
	} cells[3];
};

pthread_mutex_t forks[4];
struct pool pool;
static pthread_mutex_t grid[2][3];

__attribute__((noinline)) static void take(pthread_mutex_t *mutex)
{
	pthread_mutex_lock(mutex);
	pthread_mutex_unlock(mutex);
}

static void *run(void *argument)
{
	pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
	take(&own);
	return argument;
}

int main(void)
{
	static pthread_mutex_t hidden = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_t local = PTHREAD_MUTEX_INITIALIZER;
	pthread_mutex_t *block = calloc(1, sizeof(*block));
	pthread_t thread;
	puts("stack of T2 -0x\nforks[0]\nforks[2]\npool.lock\npool.cells[1].each[1]\ngrid[1][2]\nhidden\n"
	     "heap +0x\nstack of T1 -0x");
	fflush(stdout);
	pthread_create(&thread, NULL, run, NULL);
	pthread_join(thread, NULL);
	take(&forks[0]);
	take(&forks[2]);
	take(&pool.lock);
	take(&pool.cells[1].each[1]);
	take(&grid[1][2]);
	take(&hidden);
	take(block);
	take(&local);
	free(block);
	return 0;
}
