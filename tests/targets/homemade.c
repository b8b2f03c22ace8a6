/*
 * Threads that wait, each in a way named like it, at words of the program's own which look in memory like objects of libc's: for
 * that only who waits there tells them apart. Says "ready" when all sleep.
 */
#include "asleep.h"
#include <linux/futex.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

/* A lock with its holder beside it: as a mutex that its own waiter holds. */
static _Alignas(8) struct {
	uint32_t word, times, holder, users, rest[6];
} lock = {.word = 2, .times = 1, .users = 1};

/* Words of one lock each, side by side: as a read-write lock with a reader, and a writer that waits. */
static _Alignas(8) uint32_t locks[14] = {8, 0, 2};

/* A value, and how many wait for it: as a semaphore. */
static _Alignas(8) uint32_t count[8] = {0, 1};

/* Two counters and a limit: as a barrier to which one is still to come. */
static _Alignas(8) uint32_t rounds[8] = {1, 0, 2};

/* As the guard of a static variable of C++. */
static _Alignas(8) uint32_t flags[2] = {0x10100};

static void *own_mutex(void *argument)
{
	lock.holder = (uint32_t)syscall(SYS_gettid);
	about_to_sleep("own_mutex");
	syscall(SYS_futex, &lock.word, FUTEX_WAIT_PRIVATE, 2, NULL);
	return argument;
}

static void *own_rwlock(void *argument)
{
	about_to_sleep("own_rwlock");
	syscall(SYS_futex, &locks[2], FUTEX_WAIT_PRIVATE, 2, NULL);
	return argument;
}

static void *own_semaphore(void *argument)
{
	about_to_sleep("own_semaphore");
	syscall(SYS_futex, &count[0], FUTEX_WAIT_BITSET_PRIVATE, 0, NULL, NULL, -1);
	return argument;
}

static void *own_barrier(void *argument)
{
	about_to_sleep("own_barrier");
	syscall(SYS_futex, &rounds[1], FUTEX_WAIT_PRIVATE, 0, NULL);
	return argument;
}

static void *own_guard(void *argument)
{
	about_to_sleep("own_guard");
	syscall(SYS_futex, &flags[0], FUTEX_WAIT, 0x10100, NULL);
	return argument;
}

/* The same lock without libc's door to the kernel. */
static void *own_inline(void *argument)
{
	register void *timeout __asm__("r10") = NULL;
	long result;
	about_to_sleep("own_inline");
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"((long)SYS_futex), "D"(&lock.word), "S"((long)FUTEX_WAIT_PRIVATE), "d"(2L),
			   "r"(timeout)
			 : "rcx", "r11", "memory");
	return argument;
}

int main(void)
{
	static void *(*const routines[])(void *) = {own_mutex,	 own_rwlock, own_semaphore,
						    own_barrier, own_guard,  own_inline};
	pthread_t thread;
	for (size_t i = 0; i < sizeof routines / sizeof *routines; i++) {
		if (pthread_create(&thread, NULL, routines[i], NULL) != 0)
			return 1;
		until_asleep();
	}
	puts("ready");
	fflush(stdout);
	return pthread_join(thread, NULL);
}
