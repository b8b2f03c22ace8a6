/* A thread that crashes in a function that is in line in another one, which is in line in the function that the thread runs. */
#include <pthread.h>
#include <stddef.h>

static volatile int *nowhere;

static inline __attribute__((always_inline)) void innermost(int value)
{
	*nowhere = value;
}

static inline __attribute__((always_inline)) void middle(int value)
{
	if (value)
		innermost(value);
}

static __attribute__((noinline)) void outer(int value)
{
	middle(value + 1);
	nowhere = NULL;
}

static void *run(void *unused)
{
	outer(1);
	return unused;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, run, NULL);
	return pthread_join(thread, NULL);
}
