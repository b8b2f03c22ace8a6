#include "tracer/contents/contents.h"

#include <string.h>

/* Four strands, so that the processor multiplies for several words at once. */
#define STRANDS 4

static uint64_t rotate(uint64_t word, int bits)
{
	return word << bits | word >> (64 - bits);
}

/* As many words as there are strands; is any of them not zero? */
static inline uint64_t take(struct lanes strands[STRANDS], const uint8_t *at)
{
	uint64_t words[STRANDS];
	memcpy(words, at, sizeof words);
#pragma GCC unroll 4
	for (int i = 0; i < STRANDS; i++) {
		strands[i].a = rotate((strands[i].a ^ words[i]) * UINT64_C(0x9fb21c651e98df25), 29);
		strands[i].b = rotate((strands[i].b + words[i]) * UINT64_C(0xd6e8feb86659fd93), 31);
	}
	return words[0] | words[1] | words[2] | words[3];
}

struct lanes hash_bytes(uint64_t address, const void *bytes, size_t size)
{
	struct lanes strands[STRANDS] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
	struct lanes lanes = {address, size};
	uint8_t rest[STRANDS * sizeof(uint64_t)] = {0};
	const uint8_t *at = bytes, *end = at + size / sizeof rest * sizeof rest;
	uint64_t any = 0;
	for (; at < end; at += sizeof rest)
		any |= take(strands, at);
	if (size % sizeof rest) {
		memcpy(rest, at, size % sizeof rest);
		any |= take(strands, rest);
	}
	for (int i = 0; i < STRANDS; i++) {
		lanes_mix(&lanes, strands[i].a);
		lanes_mix(&lanes, strands[i].b);
	}
	return any ? lanes : (struct lanes){0, 0};
}
