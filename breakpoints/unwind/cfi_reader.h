#ifndef FMC_BREAKPOINTS_UNWIND_CFI_READER_H
#define FMC_BREAKPOINTS_UNWIND_CFI_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of call frame information that are still to be read. */
struct cfi_reader {
	const uint8_t *at, *end;
	bool bad; /* there weren't enough */
};

/* A value of `size` bytes, 8 at most; 0 if there aren't as many. */
uint64_t cfi_fixed(struct cfi_reader *reader, size_t size);

/* A number of DWARF's variable length, of 64 bits at most; a signed one isn't extended. */
uint64_t cfi_leb(struct cfi_reader *reader);

/* The next bytes, so many as a number before them says, as a reader of their own. */
struct cfi_reader cfi_part(struct cfi_reader *reader);

#endif
