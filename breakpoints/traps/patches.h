#ifndef FMC_BREAKPOINTS_TRAPS_PATCHES_H
#define FMC_BREAKPOINTS_TRAPS_PATCHES_H

#include <fmc/tracer/target.h>

/*
 * Bytes of the target's code that fmc replaces: trap instructions, jumps and displacements of jumps. What was
 * there is kept, so that they can be put back; writes are grouped by page, since the pages are few and each
 * write is a system call.
 */
#define PATCH_BYTES 5

struct patch {
	uint64_t address;
	uint8_t size;
	uint8_t planted[PATCH_BYTES], original[PATCH_BYTES];
};

struct patches {
	struct patch *at; /* in ascending order once patches_load() is done */
	size_t length;
	struct span *spans; /* runs of patches on one page, with all bytes from the first to the last */
	size_t spans_length;
};

/* False without memory. patch.original is filled in by patches_load(). */
bool patches_add(struct patches *patches, uint64_t address, const void *planted, uint8_t size);

/* All are added and none is planted: read what is there now. */
enum status patches_load(struct patches *patches, const struct target *target);

/* Plant them all, or put back what was there. */
enum status patches_write(const struct patches *patches, struct target *target, bool planted);

/* The byte that was at this address; false if none of the patches covers it. */
bool patches_find(const struct patches *patches, uint64_t address, uint8_t *original);

/* Put back in `bytes`, which were read from `address` on, what the patches have taken the place of. */
void patches_hide(const struct patches *patches, uint64_t address, uint8_t *bytes, size_t size);

void patches_release(struct patches *patches);

#endif
