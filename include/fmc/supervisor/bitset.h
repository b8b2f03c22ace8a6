#ifndef FMC_SUPERVISOR_BITSET_H
#define FMC_SUPERVISOR_BITSET_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Sets of threads as arrays of 64-bit words in memory that the caller owns. All sets of one execution have
 * the same number of words, `words`; with up to 64 threads that is 1 and every loop below is a single step.
 * No libc calls, no allocation.
 */
#define BITSET_WORD_BITS 64u

static inline uint32_t bitset_words(uint32_t members)
{
	return members <= BITSET_WORD_BITS ? 1 : (members + BITSET_WORD_BITS - 1) / BITSET_WORD_BITS;
}

static inline bool bitset_has(const uint64_t *set, uint32_t i)
{
	return set[i / 64] >> (i % 64) & 1;
}

static inline void bitset_add(uint64_t *set, uint32_t i)
{
	set[i / 64] |= UINT64_C(1) << (i % 64);
}

static inline void bitset_remove(uint64_t *set, uint32_t i)
{
	set[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

static inline void bitset_clear(uint64_t *set, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		set[w] = 0;
}

static inline void bitset_fill(uint64_t *set, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		set[w] = ~UINT64_C(0);
}

static inline void bitset_copy(uint64_t *to, const uint64_t *from, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		to[w] = from[w];
}

static inline bool bitset_empty(const uint64_t *set, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		if (set[w])
			return false;
	return true;
}

static inline bool bitset_intersects(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		if (a[w] & b[w])
			return true;
	return false;
}

static inline bool bitset_equal(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		if (a[w] != b[w])
			return false;
	return true;
}

static inline bool bitset_subset(const uint64_t *a, const uint64_t *b, uint32_t words)
{
	for (uint32_t w = 0; w < words; w++)
		if (a[w] & ~b[w])
			return false;
	return true;
}

static inline uint32_t bitset_count(const uint64_t *set, uint32_t words)
{
	uint32_t n = 0;
	for (uint32_t w = 0; w < words; w++)
		n += (uint32_t)__builtin_popcountll(set[w]);
	return n;
}

/* The smallest member that is at least `from`; UINT32_MAX if there is none. */
static inline uint32_t bitset_next(const uint64_t *set, uint32_t words, uint32_t from)
{
	uint32_t w = from / 64;
	if (w >= words)
		return UINT32_MAX;
	uint64_t rest = set[w] & (~UINT64_C(0) << (from % 64));
	while (!rest) {
		if (++w >= words)
			return UINT32_MAX;
		rest = set[w];
	}
	return w * 64 + (uint32_t)__builtin_ctzll(rest);
}

/* Runs its body for every member in ascending order; i is a uint32_t declared by the caller. */
#define BITSET_EACH(i, set, words)                                                                           \
	for ((i) = bitset_next((set), (words), 0); (i) != UINT32_MAX;                                        \
	     (i) = bitset_next((set), (words), (i) + 1))

#endif
