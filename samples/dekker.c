/*
 * Dekker's lock for two threads, the first that needed no more than loads and stores: who wants it says so, and who finds that both do gives way
 * unless it is its turn. It is right if threads see all stores at once; on x86 the first store of each may still wait in a buffer while the other
 * looks, so that both get in, unless an MFENCE waits for it. With `rude` nobody gives way: both wait for the other for ever.
 *
 * fmc-options: --strategy optimal --granularity race
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --memory-model tso
 * fmc-long: yes
 * fmc-verdict: abort
 *
 * fmc-options: --granularity race --depth 300
 * fmc-args: rude
 * fmc-verdict: livelock
 * fmc-message: T2, T3
 */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

static volatile int wants[2], turn, inside;
static bool fenced, rude;

static void say(int me, int whether)
{
	wants[me] = whether;
	if (fenced)
		__asm__ volatile("mfence" ::: "memory");
}

static void give_way(int me)
{
	say(me, 0);
	while (turn != me)
		;
	say(me, 1);
}

static void lock(int me)
{
	say(me, 1);
	while (wants[1 - me])
		if (!rude && turn != me)
			give_way(me);
}

static void unlock(int me)
{
	turn = 1 - me;
	wants[me] = 0;
}

static void *visit(void *argument)
{
	int me = argument != NULL;

	lock(me);
	inside = inside + 1;
	assert(inside == 1);
	inside = inside - 1;
	unlock(me);
	return NULL;
}

int main(int argc, char **argv)
{
	static int one;
	pthread_t first, second;

	fenced = argc > 1 && strcmp(argv[1], "fenced") == 0;
	rude = argc > 1 && strcmp(argv[1], "rude") == 0;
	pthread_create(&first, NULL, visit, NULL);
	pthread_create(&second, NULL, visit, &one);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	return 0;
}
