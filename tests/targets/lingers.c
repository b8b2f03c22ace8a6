/* A thread that asks for the same word again and again, then goes on without having got it: before an operation, and after it. */
#include <pthread.h>

#define ROUNDS 5000

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
volatile int gate;

static __attribute__((noinline)) void linger(void)
{
	for (int i = 0; i < ROUNDS && !gate; i++)
		__builtin_ia32_pause();
}

static void *work(void *argument)
{
	linger();
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	linger();
	return argument;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	return 0;
}
