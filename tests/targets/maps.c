/*
 * Threads that map, unmap and protect memory, let the heap grow and shrink, and find that all that is new is zeros, whatever was there before.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BYTES (64 * 4096)

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *last;
static char untouched[8 * 4096];

static void expect_zeros(const char *at, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (at[i])
			abort();
}

static char *map(size_t size, int rights)
{
	char *at = mmap(NULL, size, rights, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED)
		abort();
	return at;
}

static void map_and_unmap(void)
{
	char *at = map(BYTES, PROT_NONE);
	if (mprotect(at + 4096, BYTES - 4096, PROT_READ | PROT_WRITE) != 0)
		abort();
	expect_zeros(at + 4096, BYTES - 4096);
	memset(at + 4096, 1, BYTES / 2);
	madvise(at + 8192, 4096, MADV_DONTNEED);
	expect_zeros(at + 8192, 4096);
	/* The middle is given back, and perhaps given out again. */
	munmap(at + BYTES / 4, BYTES / 4);
	char *again = map(BYTES / 4, PROT_READ | PROT_WRITE);
	expect_zeros(again, BYTES / 4);
	memset(again, 2, BYTES / 4);
	if (at[4096] != 1)
		abort();
	munmap(again, BYTES / 4);
	munmap(at + BYTES / 2, BYTES / 2);
	munmap(at, BYTES / 4);
}

static void grow_heap(void)
{
	char *at = sbrk(3 * 4096 + 100);
	if (at == (char *)-1)
		abort();
	expect_zeros(at, 3 * 4096 + 100);
	memset(at, 3, 3 * 4096 + 100);
	sbrk(-2 * 4096);
	char *again = sbrk(4096);
	expect_zeros(again + 4095, 1);
	memset(again, 4, 4096);
}

/* Who comes first uses more of it than others do. */
static void use_reserve(uintptr_t number)
{
	static char *reserve;
	if (reserve)
		return;
	reserve = map(8 * 4096, PROT_NONE);
	const size_t used = (number + 1) * 4096;
	if (mprotect(reserve, used, PROT_READ | PROT_WRITE) != 0)
		abort();
	expect_zeros(reserve, used);
	memset(reserve, 6, used);
}

static void *thread(void *argument)
{
	const uintptr_t number = (uintptr_t)argument;
	pthread_mutex_lock(&lock);
	use_reserve(number);
	map_and_unmap();
	if (number == 1)
		grow_heap();
	expect_zeros(untouched + 4096 * (2 * number + 1), 4096);
	untouched[4096 * (2 * number + 1)] = 1;
	free(last);
	last = calloc(1, number == 1 ? 300000 : 3000);
	expect_zeros(last, 3000);
	memset(last, 5, 3000);
	pthread_mutex_unlock(&lock);
	return NULL;
}

int main(void)
{
	pthread_t threads[3];
	for (uintptr_t i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, thread, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	return last[0] != 5;
}
