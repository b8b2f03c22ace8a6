/*
 * Peterson's lock for two threads, made of plain accesses, which each tries once and keeps. It is right if threads see all stores at once;
 * on x86 the first one may still wait in a buffer while the loads are done, so that both threads get the lock, unless an MFENCE waits
 * for it.
 *
 * fmc-options: --strategy optimal --granularity race
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy optimal --granularity race --ltl G!{inside[0]&&inside[1]}
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --memory-model tso
 * fmc-verdict: abort
 *
 * fmc-options: --memory-model tso --ltl G!{inside[0]&&inside[1]}
 * fmc-long: yes
 * fmc-verdict: ltl
 * fmc-message: 'G!\{inside\[0\]&&inside\[1\]\}' can't be fulfilled any more
 *
 * fmc-options: --strategy optimal --memory-model tso
 * fmc-args: fenced
 * fmc-verdict: none
 * fmc-complete: yes
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

static volatile int wants[2], turn, inside[2];
static bool fenced;

static bool try_lock(int me)
{
	wants[me] = 1;
	turn = 1 - me;
	if (fenced)
		__asm__ volatile("mfence" ::: "memory");
	return !wants[1 - me] || turn == me;
}

static void *visit(void *argument)
{
	int me = argument != NULL;

	inside[me] = try_lock(me);
	return NULL;
}

int main(int argc, char **argv)
{
	static int one;
	pthread_t first, second;

	(void)argv;
	fenced = argc > 1;
	pthread_create(&first, NULL, visit, NULL);
	pthread_create(&second, NULL, visit, &one);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	assert(!inside[0] || !inside[1]);
	return 0;
}
