/*
 * Two locks taken in both orders. No schedule without a preemption hangs, but one that went well shows the two
 * orders, and with a preemption there is the deadlock.
 *
 * fmc-options: --strategy cb:0
 * fmc-verdict: none
 * fmc-warning: both orders: T[12] takes .* while it holds .*; T[12] takes .* while it holds
 *
 * fmc-options: --strategy dfs
 * fmc-verdict: deadlock
 * fmc-message: waits for (from|to) held by
 *
 * fmc-options: --strategy cb:0
 * fmc-args: leak
 * fmc-verdict: none
 * fmc-warning: nobody joins or detaches T2 .back.
 */
#include <pthread.h>
#include <stddef.h>

static pthread_mutex_t from = PTHREAD_MUTEX_INITIALIZER, to = PTHREAD_MUTEX_INITIALIZER;

static void move(pthread_mutex_t *first, pthread_mutex_t *second)
{
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
}

static void *back(void *unused)
{
	move(&to, &from);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	(void)argv;
	pthread_create(&thread, NULL, back, NULL);
	if (argc > 1)
		return 0;
	move(&from, &to);
	pthread_join(thread, NULL);
	return 0;
}
