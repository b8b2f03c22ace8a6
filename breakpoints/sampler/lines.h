#ifndef FMC_BREAKPOINTS_SAMPLER_LINES_H
#define FMC_BREAKPOINTS_SAMPLER_LINES_H

#include "breakpoints/sampler/log_memory.h"

/* So many bytes of what follows an address are in its line. */
static inline uint64_t line_part(uint64_t address, uint64_t bytes)
{
	const uint64_t room = LINE_BYTES - address % LINE_BYTES;
	return bytes < room ? bytes : room;
}

/* Do the tables say of all these bytes that accesses of this kind to them needn't be told any more in this turn? */
static inline bool lines_have(const struct log_memory *shared, uint64_t address, uint64_t bytes, bool write)
{
	for (uint64_t part; bytes > 0; address += part, bytes -= part) {
		const uint64_t word = shared->lines[line_word(address, write)];
		part = line_part(address, bytes);
		if (word >> 32 != line_empty(address) >> 32 || line_bits(address, part) & ~word)
			return false;
	}
	return true;
}

#endif
