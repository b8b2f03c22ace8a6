/*
 * Threads that stand at different places, each after making something its own that no other thread has. An int3 shows
 * where; after it each checks that it still has it. Ends with the number of the first thread that misses something.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define HERE __asm__ volatile("int3" : : : "memory")

enum { VECTOR, MASK, OWNER, WAITER, READER, SLEEPER, SHORT, BORN, KINDS };

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, robust;
static int file;
static int fine[KINDS];
static __thread int own;
static char stack[KINDS][1 << 16];

static void keep_vector(void)
{
	uint64_t before = 0x1234567890abcdef, low, high;
	__asm__ volatile("movq %2, %%xmm9; movddup %%xmm9, %%xmm9; int3; movq %%xmm9, %0; movhlps %%xmm9, "
			 "%%xmm9; movq %%xmm9, %1"
			 : "=&r"(low), "=&r"(high)
			 : "r"(before)
			 : "xmm9", "memory");
	fine[VECTOR] = low == before && high == before;
}

static void keep_mask(int with_stack)
{
	stack_t mine = {.ss_sp = stack[MASK], .ss_size = sizeof stack[MASK]}, found;
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	if (with_stack)
		sigaltstack(&mine, NULL);
	HERE;
	pthread_sigmask(SIG_BLOCK, NULL, &set);
	sigaltstack(NULL, &found);
	fine[MASK] = sigismember(&set, SIGUSR1) && !sigismember(&set, SIGUSR2) && found.ss_sp == mine.ss_sp &&
		     found.ss_size == mine.ss_size && !found.ss_flags;
}

static void leave_mutex(void)
{
	fine[OWNER] = pthread_mutex_lock(&robust) == 0;
	HERE;
}

static void read_on(void)
{
	char bytes[2];
	HERE;
	fine[READER] = read(file, bytes, 2) == 2 && bytes[0] == 2 && bytes[1] == 1;
}

static void *work(void *argument)
{
	const long kind = (long)argument;
	const struct timespec hour = {.tv_sec = 3600};
	own = 100 + (int)kind;
	switch (kind) {
	case VECTOR:
		keep_vector();
		break;
	case MASK:
		keep_mask(1);
		break;
	case OWNER:
		leave_mutex();
		break;
	case WAITER:
		pthread_mutex_lock(&held);
		pthread_mutex_unlock(&held);
		fine[WAITER] = 1;
		break;
	case READER:
		read_on();
		break;
	case SLEEPER:
		fine[SLEEPER] = clock_nanosleep(CLOCK_MONOTONIC, 0, &hour, NULL) == 0;
		break;
	default:
		fine[kind] = 1;
	}
	if (own != 100 + kind)
		fine[kind] = 0;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[64];
	pthread_mutexattr_t attributes;
	char magic[4];
	const long n = argc > 1 ? atol(argv[1]) : KINDS;
	const int only = argc > 2 ? atoi(argv[2]) : -1;
	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
	pthread_mutex_init(&robust, &attributes);
	pthread_mutex_lock(&held);
	own = 99;
	if (only < 0 && ((file = open(argv[0], O_RDONLY)) < 0 || read(file, magic, 4) != 4))
		return 90;
	for (long i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, work, (void *)(only < 0 ? i : only));
	HERE;
	pthread_mutex_unlock(&held);
	for (long i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	if (own != 99)
		return 91;
	if (only < 0 && pthread_mutex_lock(&robust) != EOWNERDEAD)
		return 92;
	for (int i = 0; i < KINDS; i++)
		if (!fine[i] && only < 0)
			return i + 1;
	return 0;
}
