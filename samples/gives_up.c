/*
 * A thread that looks eight times whether the other has done its work, yields in between, and then takes it for dead.
 * Each yield is a sign that it is the other's turn: a fair scheduler that counts all of them doesn't let it look so
 * often, one that counts every fourth sees the failure. So does a complete search, which goes on to what fairness left
 * out, and so do some random executions of the default strategy.
 *
 * fmc-options: --strategy auto
 * fmc-verdict: abort
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: abort
 *
 * fmc-options: --strategy dfs --fair-k 1
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy dfs --fair-k 4
 * fmc-verdict: abort
 * fmc-message: done
 */
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool done;

static void *work(void *unused)
{
	(void)unused;
	pthread_mutex_lock(&lock);
	done = true;
	pthread_mutex_unlock(&lock);
	return NULL;
}

static bool is_done(void)
{
	pthread_mutex_lock(&lock);
	bool is = done;
	pthread_mutex_unlock(&lock);
	return is;
}

int main(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	for (int looks = 1; looks < 8 && !is_done(); looks++)
		sched_yield();
	assert(is_done() && "the worker is done");
	pthread_join(thread, NULL);
	return 0;
}
