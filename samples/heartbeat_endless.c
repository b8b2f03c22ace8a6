/*
 * Two threads that take two locks in opposite order, beside one that counts and sleeps for as long as the process lives, which has no
 * end: nor has an execution that doesn't fail.
 *
 * fmc-options: --executions 300 --depth 500 --no-minimize
 * fmc-verdict: deadlock
 * fmc-message: T[34] waits for [ab] held by T[34], T[34] waits for [ab] held by T[34]
 */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER,
		       guard = PTHREAD_MUTEX_INITIALIZER;
static unsigned long beats;

static void *beat(void *unused)
{
	(void)unused;
	for (;;) {
		pthread_mutex_lock(&guard);
		beats++;
		pthread_mutex_unlock(&guard);
		usleep(1000);
	}
	return NULL;
}

static void *take_both(void *argument)
{
	pthread_mutex_t *first = argument ? &b : &a, *second = argument ? &a : &b;
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
	return NULL;
}

int main(void)
{
	pthread_t heart, threads[2];
	pthread_create(&heart, NULL, beat, NULL);
	pthread_create(&threads[0], NULL, take_both, NULL);
	pthread_create(&threads[1], NULL, take_both, &b);
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
	pthread_join(heart, NULL);
	return 0;
}
