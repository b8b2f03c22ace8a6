#ifndef FMC_BREAKPOINTS_SYMBOLS_FILE_SEGMENTS_H
#define FMC_BREAKPOINTS_SYMBOLS_FILE_SEGMENTS_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a module's file has for addresses of the process: of each loadable segment the bytes that are in the file. */

struct file_segment {
	uint64_t low, high;   /* in the process */
	const uint8_t *bytes; /* high - low of them; libdwfl's, as long as it has the module */
	bool writable;
};

#define FILE_SEGMENTS_MOST 16

/* Of addresses in the process; empty: there is no such thing. */
struct address_range {
	uint64_t low, high;
};

/*
 * The segments of a module that have bytes, at most FILE_SEGMENTS_MOST. eh_frame_hdr, if it isn't NULL, takes where that section
 * is.
 */
size_t file_segments(Dwfl_Module *module, struct file_segment segments[FILE_SEGMENTS_MOST],
		     struct address_range *eh_frame_hdr);

/* A section by its name, as long as the file has a table of them. */
struct address_range file_section(Dwfl_Module *module, const char *name);

/* The bytes from this address on, *rest of them; NULL if there are none. */
const uint8_t *file_segments_find(const struct file_segment *segments, size_t length, uint64_t address,
				  size_t *rest);

#endif
