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
 *
 * Of locks that a third one guards, and of threads that never run at the same time, it doesn't warn.
 *
 * fmc-options: --strategy cb:0
 * fmc-args: guarded
 * fmc-verdict: none
 * fmc-warning: none
 *
 * fmc-options: --strategy cb:0
 * fmc-args: joined
 * fmc-verdict: none
 * fmc-warning: none
 *
 * fmc-options: --strategy cb:0
 * fmc-args: posted
 * fmc-verdict: none
 * fmc-warning: none
 */
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <string.h>

static pthread_mutex_t from = PTHREAD_MUTEX_INITIALIZER, to = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static sem_t moved;
static const char *how = "";

static void move(pthread_mutex_t *first, pthread_mutex_t *second)
{
	int guarded = strcmp(how, "guarded") == 0;

	if (guarded)
		pthread_mutex_lock(&guard);
	pthread_mutex_lock(first);
	pthread_mutex_lock(second);
	pthread_mutex_unlock(second);
	pthread_mutex_unlock(first);
	if (guarded)
		pthread_mutex_unlock(&guard);
}

static void *back(void *unused)
{
	move(&to, &from);
	sem_post(&moved);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc > 1)
		how = argv[1];
	pthread_create(&thread, NULL, back, NULL);
	if (strcmp(how, "leak") == 0)
		return 0;
	if (strcmp(how, "joined") == 0)
		pthread_join(thread, NULL);
	if (strcmp(how, "posted") == 0)
		sem_wait(&moved);
	move(&from, &to);
	if (strcmp(how, "joined") != 0)
		pthread_join(thread, NULL);
	return 0;
}
