/*
 * Instructions that can't have a jump in their place, many times: one whose successor others jump to, after a longer one, and a call by a
 * pointer in memory, whose return would come back into the middle of the jump.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

#define ROUNDS 1000000

struct table {
	int count, seen;
	void (*step)(void);
};

__attribute__((naked, noinline)) static void step(void)
{
	__asm__("ret");
}

static struct table shared = {.step = step};

static void *run(void *argument)
{
	long rounds = ROUNDS;
	register struct table *table __asm__("r9") = argument;
	__asm__ volatile("1:	movl $7, %%r8d\n"
			 "	movl %%r8d, 4(%1)\n" /* 4 bytes */
			 "2:	testl %%r8d, %%r8d\n"
			 "	je 1b\n"
			 "	call *8(%1)\n" /* 4 bytes */
			 "	xorl %%r8d, %%r8d\n"
			 "	addl $1, (%1)\n"
			 "	subq $1, %0\n"
			 "	jnz 2b\n"
			 : "+r"(rounds)
			 : "r"(table)
			 : "r8", "cc", "memory");
	return NULL;
}

int main(void)
{
	pthread_t thread;
	pthread_create(&thread, NULL, run, &shared);
	pthread_join(thread, NULL);
	printf("%d %d\n", shared.count, shared.seen);
	return 0;
}
