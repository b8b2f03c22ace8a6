/*
 * Dekker's core: each of two threads says that it comes, then looks whether the other one does, and at most one goes in. By every order of
 * the four accesses that is so; on x86 a store may still be in its processor's buffer while the load behind it is done. With an MFENCE
 * between them, or an XCHG in the store's place, it isn't.
 *
 * fmc-options: --strategy optimal --granularity race
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --memory-model tso
 * fmc-verdict: abort
 *
 * fmc-options: --strategy optimal --memory-model tso
 * fmc-args: mfence
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy optimal --memory-model tso
 * fmc-args: xchg
 * fmc-verdict: none
 * fmc-complete: yes
 *
 * fmc-options: --strategy optimal --memory-model tso
 * fmc-args: string
 * fmc-verdict: none
 * fmc-complete: no
 */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>

static volatile int comes[2], inside[2];
static enum { PLAIN, MFENCE, XCHG, STRING } how;

/* By an instruction that fmc doesn't let wait: a processor may. */
static void clear(void)
{
	static char bytes[2];
	char *to = bytes;
	size_t length = sizeof bytes;

	__asm__ volatile("rep stosb" : "+D"(to), "+c"(length) : "a"(0) : "memory");
}

static void *visit(void *argument)
{
	int me = argument != NULL;

	if (how == XCHG)
		__atomic_exchange_n(&comes[me], 1, __ATOMIC_SEQ_CST);
	else
		comes[me] = 1;
	if (how == MFENCE)
		__asm__ volatile("mfence" ::: "memory");
	if (how == STRING)
		clear();
	if (!comes[1 - me])
		inside[me] = 1;
	return NULL;
}

int main(int argc, char **argv)
{
	static int one;
	pthread_t first, second;

	if (argc > 1)
		how = strcmp(argv[1], "xchg") == 0 ? XCHG : strcmp(argv[1], "mfence") == 0 ? MFENCE : STRING;
	pthread_create(&first, NULL, visit, NULL);
	pthread_create(&second, NULL, visit, &one);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
	assert(!inside[0] || !inside[1]);
	return 0;
}
