/*
 * A wait that gives up after an hour, for an answer that comes at once. No order of the threads makes it time out as long as
 * time-outs fire only where nothing shorter could come; a time-out that may fire whenever it likes does.
 *
 * fmc-options: --strategy dfs --timeouts ordered
 * fmc-verdict: none
 * fmc-complete: no
 *
 * fmc-options: --strategy dfs --timeouts any
 * fmc-verdict: abort
 * fmc-message: result == 0
 *
 * fmc-options:
 * fmc-verdict: abort
 * fmc-message: result == 0
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t answered = PTHREAD_COND_INITIALIZER;
static int answer;

static void *think(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	answer = 42;
	pthread_cond_signal(&answered);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	struct timespec end;
	pthread_t thinker;
	int result = 0;

	pthread_create(&thinker, NULL, think, NULL);
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec += 3600;
	pthread_mutex_lock(&lock);
	while (answer == 0 && result == 0)
		result = pthread_cond_timedwait(&answered, &lock, &end);
	assert(result == 0);
	pthread_mutex_unlock(&lock);
	pthread_join(thinker, NULL);
	return 0;
}
