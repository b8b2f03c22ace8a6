#ifndef FMC_BREAKPOINTS_SAMPLER_LINES_H
#define FMC_BREAKPOINTS_SAMPLER_LINES_H

#include "breakpoints/sampler/log_memory.h"

/* So many bytes of what follows an address are in its line. */
static inline uint64_t line_part(uint64_t address, uint64_t bytes)
{
	const uint64_t room = LINE_BYTES - address % LINE_BYTES;
	return bytes < room ? bytes : room;
}

static inline bool line_has(const struct log_memory *shared, uint64_t address, uint64_t bytes, bool write)
{
	const uint64_t wanted = line_empty(address) | line_bits(address, bytes);
	const uint64_t word = shared->lines[line_word(address, write)];
	return word >> 32 == wanted >> 32 && !(wanted & ~word);
}

/* Do the tables say of all these bytes that accesses of this kind to them needn't be told any more in this turn? */
static inline bool lines_have(const struct log_memory *shared, uint64_t address, uint64_t bytes, bool write)
{
	uint64_t part;
	for (; address % LINE_BYTES + bytes > LINE_BYTES; address += part, bytes -= part) {
		part = line_part(address, bytes);
		if (!line_has(shared, address, part, write))
			return false;
	}
	return line_has(shared, address, bytes, write);
}

#endif
