#include "supervisor/agent/arena.h"

#include <fmc/tracer/assert.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SMALLEST 5  /* a block of 32 bytes, its header included */
#define SIZES	 48 /* of blocks, by their logarithms */

/* Before each block. */
struct header {
	uint64_t size;	     /* its logarithm */
	struct header *next; /* of those that are free */
};

static struct {
	char *next, *end;
	struct header *free[SIZES];
	bool full;
} arena;

void arena_begin(void *memory, size_t size)
{
	FMC_ASSERT((uintptr_t)memory % 16 == 0);
	memset(&arena, 0, sizeof arena);
	arena.next = memory;
	arena.end = arena.next + size;
}

bool arena_full(void)
{
	return arena.full;
}

/* The logarithm of the size of a block that holds so many bytes; SIZES: there is none. */
static unsigned size_for(size_t bytes)
{
	const size_t whole = bytes + sizeof(struct header);
	if (whole < bytes || whole > (size_t)1 << (SIZES - 1))
		return SIZES;
	const unsigned size = 64 - (unsigned)__builtin_clzll(whole - 1);
	return size < SMALLEST ? SMALLEST : size;
}

static struct header *take_free(unsigned size)
{
	struct header *block = arena.free[size];
	if (block)
		arena.free[size] = block->next;
	return block;
}

static struct header *cut_off(unsigned size)
{
	if ((size_t)(arena.end - arena.next) < (size_t)1 << size) {
		arena.full = true;
		return NULL;
	}
	struct header *block = (struct header *)(void *)arena.next;
	arena.next += (size_t)1 << size;
	block->size = size;
	return block;
}

void *malloc(size_t bytes)
{
	const unsigned size = size_for(bytes);
	if (size == SIZES) {
		arena.full = true;
		return NULL;
	}
	struct header *block = take_free(size);
	if (!block)
		block = cut_off(size);
	return block ? block + 1 : NULL;
}

void free(void *memory)
{
	if (!memory)
		return;
	struct header *block = (struct header *)memory - 1;
	FMC_ASSERT(block->size >= SMALLEST && block->size < SIZES);
	block->next = arena.free[block->size];
	arena.free[block->size] = block;
}

void *calloc(size_t count, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(count, size, &bytes))
		return NULL;
	void *memory = malloc(bytes);
	return memory ? memset(memory, 0, bytes) : NULL;
}

void *realloc(void *memory, size_t bytes)
{
	if (!memory)
		return malloc(bytes);
	const struct header *block = (struct header *)memory - 1;
	const size_t room = ((size_t)1 << block->size) - sizeof *block;
	if (bytes <= room)
		return memory;
	void *moved = malloc(bytes);
	if (!moved)
		return NULL;
	memcpy(moved, memory, room);
	free(memory);
	return moved;
}

void *reallocarray(void *memory, size_t count, size_t size)
{
	size_t bytes;
	return __builtin_mul_overflow(count, size, &bytes) ? NULL : realloc(memory, bytes);
}
