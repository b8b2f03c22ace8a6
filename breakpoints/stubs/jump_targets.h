#ifndef FMC_BREAKPOINTS_STUBS_JUMP_TARGETS_H
#define FMC_BREAKPOINTS_STUBS_JUMP_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Is it where something else stands, or shall stand? */
typedef bool jump_target_matters(void *context, uint64_t target);

/*
 * Could a direct jump in the code of one function have a target that matters? Nothing is decoded: bytes that stand within another
 * instruction may look like a jump, so a true answer is a guess. A false one is certain: jumps_each() visits no such jump (to the first
 * 64 KB aside, where no program has code). Decoding takes much longer than looking at all bytes, and most functions have none.
 */
bool jump_targets_may(const uint8_t *code, size_t size, uint64_t address, jump_target_matters *matters,
		      void *context);

#endif
