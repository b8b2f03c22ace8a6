/*
 * For run-gdb.sh: two workers lose an update of `counter` under some schedules, and then main() aborts. Each has
 * a thread-local variable and an errno of its own.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter, calls;
__thread int mine = 5;

/* For GDB to call. */
int twice(int number)
{
	calls++;
	return 2 * number;
}

static int get(void)
{
	pthread_mutex_lock(&lock);
	int seen = counter;
	pthread_mutex_unlock(&lock);
	return seen;
}

static void put(int value)
{
	pthread_mutex_lock(&lock);
	counter = value;
	pthread_mutex_unlock(&lock);
}

static void *work(void *argument)
{
	mine = (int)(intptr_t)argument;
	errno = 30 + mine;
	int seen = get();
	seen += 1;
	put(seen);
	return NULL;
}

int main(void)
{
	pthread_t threads[2];
	puts("begins");
	for (intptr_t i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, work, (void *)(10 + i));
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("counter is %d\n", counter);
	fflush(stdout);
	if (calls == 0)
		assert(counter == 2);
	return twice(0);
}
