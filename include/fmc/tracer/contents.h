#ifndef FMC_TRACER_CONTENTS_H
#define FMC_TRACER_CONTENTS_H

#include <fmc/tracer/target.h>

/*
 * What is in a target's memory, as digests. Each page that the target may write has its own, and a digest of all is the sum of theirs, so
 * that only pages are read that have been written since the last time: where the kernel tells which (an asynchronous userfaultfd and
 * PAGEMAP_SCAN of Linux 6.7), and else all of them. All threads of the target have to be stopped.
 */
struct contents;

/*
 * What targets have in common that are copies of the same process, and stand where they begin: its number is that of origin_source(). wants: they have
 * been asked for digests so often that it pays to begin with it.
 */
struct contents_source;
struct contents_source *contents_source_new(uint64_t number); /* NULL without memory */
void contents_source_free(
    struct contents_source *source); /* after the contents that know it; NULL is allowed */
uint64_t contents_source_number(const struct contents_source *source);
bool contents_source_wants(const struct contents_source *source);

/* Of a target, borrowed; begins: nothing of it has run since it was copied from `source`, which may be NULL. NULL without memory. */
struct contents *contents_new(struct target *target, struct contents_source *source, bool begins);
void contents_free(struct contents *contents); /* NULL is allowed */

/*
 * A digest of the resident memory that the target may write and of the registers of all its threads. Strict: what lies unused below a stack
 * pointer counts as well, so equal digests mean equal futures. Memory that is only reserved costs nothing. STATUS_UNSUPPORTED: too much is in use;
 * STATUS_INTERRUPTED as target_wait().
 */
enum status contents_digest(struct contents *contents, uint64_t digest[2]);

/* The same for once. */
enum status target_digest(struct target *target, uint64_t digest[2]);

/*
 * A digest of what of its memory is in use: data of the program and of libraries that aren't the system's, blocks of the heap, what else it has
 * mapped, of stacks what is in use. Left out: what the system's libraries have to themselves, stacks of threads that are gone, and blocks that have
 * been given back to glibc's malloc; those of other allocators count as they were left. No registers. Results as contents_digest().
 */
struct contents_stack {
	uint64_t low, high; /* from the stack pointer, 0: the thread is gone, to what libc has above it */
	uint64_t tls;	    /* its fs_base; 0: none */
};
enum status contents_state(struct contents *contents, const struct contents_stack stacks[], size_t length,
			   uint64_t digest[2]);

/* A digest of these parts of the memory that it may write; others count as nothing. Results as contents_digest(). */
struct contents_part {
	uint64_t address, size;
};
enum status contents_parts(struct contents *contents, const struct contents_part parts[], size_t length,
			   uint64_t digest[2]);

/* For tests and tables: pages read so far, and whether the kernel tells which are to be read. */
uint64_t contents_pages_read(const struct contents *contents);
bool contents_tracked(const struct contents *contents);

#endif
