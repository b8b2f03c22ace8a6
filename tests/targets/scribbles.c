/*
 * Changes its memory at random, and stops at an int3 after each change, with what it was in rax: blocks of the heap of two arenas, static data,
 * mappings that come and go, with pages and without. Where the drawing has come to is in registers alone. scribbles SEED STEPS [KB [FILE]]: so much is allocated and written first; with FILE one
 * is mapped, too.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BLOCKS 48
#define PAGES  64
#define MAPS   4

#ifdef __clang__ /* which has no such variables; it reads this file for its warnings alone */
static uint64_t state, left;
#else
register uint64_t state __asm__("r15");
register uint64_t left __asm__("r14");
#endif
static char *blocks[BLOCKS], *maps[MAPS];
static char data[PAGES * 4096];
static int file = -1; /* which is mapped, and never written there */

static unsigned draw(unsigned below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(state >> 33) % below;
}

static void change_block(unsigned i)
{
	if (!blocks[i]) {
		const size_t size = 16 + draw(draw(4) ? 200 : 9000);
		blocks[i] = malloc(size);
		if (blocks[i])
			memset(blocks[i], (int)draw(256), size);
	} else if (draw(2)) {
		free(blocks[i]);
		blocks[i] = NULL;
	} else {
		blocks[i][draw(16)]++;
	}
}

/* Without a page that comes or goes: a mapping that nobody touches, as large as before or not, and written to or not. */
static void change_extent(void)
{
	static char *at;
	static size_t size;
	void *now;
	if (!at || draw(3) == 0) {
		if (at)
			munmap(at, size);
		size = (1 + draw(3)) * 4096;
		now = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	} else if (draw(2)) {
		mprotect(at, 4096, draw(2) ? PROT_READ : PROT_READ | PROT_WRITE);
		return;
	} else {
		const size_t next = (1 + draw(3)) * 4096;
		mprotect(at, size, PROT_READ | PROT_WRITE);
		now = mremap(at, size, next, MREMAP_MAYMOVE);
		size = next;
	}
	at = now == MAP_FAILED ? NULL : now;
}

static void change_map(unsigned i)
{
	const size_t size = 5 * 4096;
	if (!maps[i]) {
		void *at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		maps[i] = at == MAP_FAILED ? NULL : at;
	} else if (draw(4) == 0) {
		munmap(maps[i], size);
		maps[i] = NULL;
	} else if (draw(4) == 0) {
		madvise(maps[i], size, MADV_DONTNEED);
	} else if (draw(4) == 0) {
		mmap(maps[i], size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	} else {
		maps[i][draw(size)]++;
	}
}

/* What was there before is there again, but for what malloc remembers of it. */
static void come_and_go(void)
{
	for (unsigned i = 0; i < 9; i++) {
		char *volatile block = malloc(24 + 8 * draw(40));
		if (block)
			memset(block, 7, 24);
		free(block);
	}
}

static void *own_arena(void *seed)
{
	state = (uintptr_t)seed;
	for (int i = 0; i < 3; i++)
		change_block(draw(BLOCKS / 2) + BLOCKS / 2);
	return NULL;
}

/* A private mapping shows what is written to the file. */
static void change_file(void)
{
	const off_t at = draw(2 * 4096);
	char byte;
	if (file >= 0 && pread(file, &byte, 1, at) == 1) {
		byte++;
		if (pwrite(file, &byte, 1, at) != 1)
			abort();
	}
}

static volatile char *map_file(void)
{
	file = memfd_create("scribbles", MFD_CLOEXEC);
	if (file < 0 || ftruncate(file, 2 * 4096) != 0)
		abort();
	volatile char *at = mmap(NULL, 2 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
	return at[0] + at[4096] ? NULL : at;
}

static unsigned step(void)
{
	const unsigned action = draw(9);
	pthread_t thread;
	if (action < 2)
		change_block(draw(BLOCKS / 2));
	else if (action == 2)
		data[draw(sizeof data)]++;
	else if (action == 3)
		change_map(draw(MAPS));
	else if (action == 4)
		come_and_go();
	else if (action == 5 && pthread_create(&thread, NULL, own_arena, (void *)(uintptr_t)draw(1000)) == 0)
		pthread_join(thread, NULL);
	else if (action == 6)
		change_file();
	else if (action == 7)
		change_extent();
	return action;
}

int main(int argc, char **argv)
{
	const size_t fill = argc > 3 ? strtoul(argv[3], NULL, 10) * 1024 : 0;
	char *large = fill ? malloc(fill) : NULL;
	/* From the first blocks on malloc has what it needs itself, and the functions that are called are bound. */
	come_and_go();
	state = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
	left = argc > 2 ? strtoul(argv[2], NULL, 10) : 100;
	if (argc > 4 && !map_file())
		abort();
	if (large)
		memset(large, 1, fill);
	for (; left > 0; left--) {
		const unsigned action = step();
		__asm__ volatile("int3" : : "a"((unsigned long)action));
	}
	free(large);
	return 0;
}
