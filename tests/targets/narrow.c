/*
 * Instructions that can't have a jump in their place, many times: those whose successors others jump to, after a longer one or
 * after short ones, and a call by a
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
			 "	movl $7, %%r8d\n"
			 "	jmp 3f\n"
			 "5:	xorl %%r8d, %%r8d\n"
			 "3:	leaq 4(%%r8), %%rcx\n"
			 "	movl %%r8d, %%ecx\n"
			 "	movl %%ecx, 4(%1)\n" /* 4 bytes, after short ones */
			 "4:	testl %%r8d, %%r8d\n"
			 "	jne 5b\n"
			 "	addl $1, (%1)\n"
			 "	subq $1, %0\n"
			 "	jnz 2b\n"
			 "	jmp 6f\n"
			 "	jmp 4b\n" /* for others */
			 "6:\n"
			 : "+r"(rounds)
			 : "r"(table)
			 : "r8", "rcx", "cc", "memory");
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
