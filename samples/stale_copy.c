/*
 * Musuvathi and Qadeer, Fair Stateless Model Checking, PLDI 2008, Figure 8: the loop politely sleeps, but
 * looks at a copy of x that it never reads again. If the other thread is late, it waits for ever.
 *
 * fmc-options: --strategy dfs --depth 300
 * fmc-verdict: livelock
 *
 * fmc-options: --depth 300
 * fmc-verdict: livelock
 */
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static volatile int x;

static void *fulfil(void *unused)
{
	(void)unused;
	x = 1;
	return NULL;
}

static void *wait_for_it(void *unused)
{
	int copy = x;

	(void)unused;
	while (copy != 1)
		usleep(1000);
	return NULL;
}

int main(void)
{
	pthread_t t, u;

	pthread_create(&t, NULL, fulfil, NULL);
	pthread_create(&u, NULL, wait_for_it, NULL);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
