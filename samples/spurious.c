/*
 * One waiter that tests its condition with `if`. With one signaller that is enough as long as nobody is woken
 * without a signal, which POSIX allows at any time.
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy dfs --spurious 1
 * fmc-verdict: abort
 * fmc-message: ready
 * fmc-static: yes
 *
 * fmc-options: --strategy dfs --spurious 2
 * fmc-args: while
 * fmc-verdict: none
 * fmc-complete: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool ready;

static void *signaller(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	ready = true;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	pthread_create(&thread, NULL, signaller, NULL);
	pthread_mutex_lock(&lock);
	if (argc > 1) {
		while (!ready)
			pthread_cond_wait(&changed, &lock);
	} else if (!ready) {
		pthread_cond_wait(&changed, &lock);
	}
	assert(ready);
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	return 0;
}
