/*
 * The threads of ISO C11: main waits until the other thread has left its answer.
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: none
 * fmc-complete: yes
 * fmc-executions: 4
 */
#include <assert.h>
#include <stddef.h>
#include <threads.h>

static mtx_t lock;
static cnd_t answered;
static int answer;

static int think(void *unused)
{
	(void)unused;
	mtx_lock(&lock);
	answer = 42;
	cnd_signal(&answered);
	mtx_unlock(&lock);
	return 7;
}

int main(void)
{
	thrd_t thinker;
	int result = 0;

	mtx_init(&lock, mtx_plain);
	cnd_init(&answered);
	thrd_create(&thinker, think, NULL);
	mtx_lock(&lock);
	while (answer == 0)
		cnd_wait(&answered, &lock);
	assert(answer == 42);
	mtx_unlock(&lock);
	thrd_join(thinker, &result);
	assert(result == 7);
	cnd_destroy(&answered);
	mtx_destroy(&lock);
	return 0;
}
