/*
 * A program that marks accesses and chooses a number: its exit status is what it chose, plus 10 if it got
 * another one than 0 while it was still alone. The bodies of both functions must not run under fmc.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

__attribute__((noinline)) void fmc_point(const volatile void *address, size_t length, int write);
__attribute__((noinline)) int fmc_choose(int n);

static int shared[4], alone = 1;

void fmc_point(const volatile void *address, size_t length, int write)
{
	__asm__ volatile("" ::"r"(address), "r"(length), "r"(write) : "memory");
	if (!alone)
		abort();
}

int fmc_choose(int n)
{
	__asm__ volatile("" ::"r"(n) : "memory");
	if (!alone)
		abort();
	return 0;
}

static void *work(void *unused)
{
	(void)unused;
	fmc_point(&shared[1], 8, 1);
	fmc_point(&shared[1], 4, 0);
	return NULL;
}

int main(void)
{
	pthread_t thread;
	fmc_point(&shared[0], 4, 1);
	int first = fmc_choose(3);

	alone = 0;
	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	return fmc_choose(3) + (first ? 10 : 0);
}
