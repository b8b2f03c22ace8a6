/*
 * A wait that gives up after a second. Any wait with a time-out may time out, however short the work: the
 * program that handles it is fine, the one that assumes an answer is not. No order of the threads makes it time out as long as
 * time-outs fire only where nothing shorter could come.
 *
 * fmc-options: --strategy dfs
 * fmc-args: handle
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 17
 * fmc-static: yes
 *
 * fmc-options: --strategy dfs
 * fmc-args: assume
 * fmc-verdict: abort
 * fmc-message: answer == 42
 *
 * fmc-options: --strategy dfs --timeouts ordered
 * fmc-args: assume
 * fmc-verdict: none
 * fmc-complete: no
 *
 * fmc-options:
 * fmc-args: assume
 * fmc-verdict: abort
 * fmc-message: answer == 42
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
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

int main(int argc, char **argv)
{
	struct timespec end;
	pthread_t thinker;
	int result = 0;

	pthread_create(&thinker, NULL, think, NULL);
	clock_gettime(CLOCK_REALTIME, &end);
	end.tv_sec++;
	pthread_mutex_lock(&lock);
	while (answer == 0 && result == 0)
		result = pthread_cond_timedwait(&answered, &lock, &end);
	if (argc > 1 && strcmp(argv[1], "assume") == 0)
		assert(answer == 42);
	pthread_mutex_unlock(&lock);
	pthread_join(thinker, NULL);
	return 0;
}
