#ifndef FMC_BREAKPOINTS_READER_H
#define FMC_BREAKPOINTS_READER_H

#include <fmc/tracer/status.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Memory of the program, for what looks at it without knowing where it is: in another process, or in the own one. Results are those of
 * target_read(). To be the first member of whoever reads.
 */
struct reader {
	enum status (*read)(const struct reader *reader, uint64_t address, void *to, size_t size);
};

static inline enum status reader_read(const struct reader *reader, uint64_t address, void *to, size_t size)
{
	return reader->read(reader, address, to, size);
}

#endif
