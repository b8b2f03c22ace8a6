#include "tracer/contents/contents.h"

#include <string.h>

/* Four strands, so that the processor multiplies for several words at once. */
#define STRANDS 4

static uint64_t rotate(uint64_t word, int bits)
{
	return word << bits | word >> (64 - bits);
}

static void take(struct lanes strands[STRANDS], const uint64_t words[STRANDS])
{
	for (int i = 0; i < STRANDS; i++) {
		strands[i].a = rotate((strands[i].a ^ words[i]) * UINT64_C(0x9fb21c651e98df25), 29);
		strands[i].b = rotate((strands[i].b + words[i]) * UINT64_C(0xd6e8feb86659fd93), 31);
	}
}

struct lanes hash_bytes(uint64_t address, const void *bytes, size_t size)
{
	struct lanes strands[STRANDS] = {{1, 2}, {3, 4}, {5, 6}, {7, 8}};
	struct lanes lanes = {address, size};
	uint64_t words[STRANDS], any = 0;
	const uint8_t *at = bytes;
	for (size_t left = size; left > 0;) {
		const size_t part = left < sizeof words ? left : sizeof words;
		if (part < sizeof words)
			memset(words, 0, sizeof words);
		memcpy(words, at, part);
		any |= words[0] | words[1] | words[2] | words[3];
		take(strands, words);
		at += part;
		left -= part;
	}
	for (int i = 0; i < STRANDS; i++) {
		lanes_mix(&lanes, strands[i].a);
		lanes_mix(&lanes, strands[i].b);
	}
	return any ? lanes : (struct lanes){0, 0};
}
