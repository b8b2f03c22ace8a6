/*
 * A thread that sleeps twice in a row and is still the first to take the lock: fairness that counts each yield gives the other
 * one its turn before the second sleep is over. A complete search runs what fairness leaves out, too, where that has an end.
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: abort
 * fmc-message: first
 *
 * fmc-options: --strategy optimal
 * fmc-verdict: abort
 * fmc-message: first
 *
 * fmc-options: --strategy dfs --fair-k 1
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy dfs --fair-k 2
 * fmc-verdict: abort
 * fmc-message: first
 *
 * fmc-options: --strategy dfs --timeouts ordered
 * fmc-verdict: none
 * fmc-complete: no
 * fmc-executions: 3
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *sleeper(void *unused)
{
	(void)unused;
	usleep(1);
	usleep(1);
	pthread_mutex_lock(&lock);
	x = 1;
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, sleeper, NULL);
	pthread_mutex_lock(&lock);
	assert(x == 0 && "main is the first");
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
