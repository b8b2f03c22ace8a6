#ifndef FMC_TRACER_CONTENTS_CONTENTS_H
#define FMC_TRACER_CONTENTS_CONTENTS_H

#include "tracer/proc/page_scan.h"

#include <fmc/tracer/contents.h>

/*
 * The inside of contents:
 *
 *     mappings.c   what of its memory the target may write
 *     tracking.c   having the kernel note which pages are written
 *     regions.c    which pages are there, and which have been written
 *     unread.c     reading them
 *     page_table.c the table of pages: their digests, and their bytes where somebody looks at these
 *     digest.c     all of it, with registers
 *     heap.c       blocks of glibc's malloc, malloc_lists.c those that are free though malloc calls them used
 *     in_use.c     what of it is in use
 */

#define PAGE	     4096
#define READ_AT_ONCE 64			      /* pages */
#define MOST_KEPT    (UINT64_C(1) << 16)      /* pages of which bytes are kept */
#define LAST_END     UINT64_C(0x7ffffffff000) /* of the addresses of a process */

/* Two lanes: different contents have the same digest with a probability of about 2^-128. */
struct lanes {
	uint64_t a, b;
};

static inline void lanes_mix(struct lanes *lanes, uint64_t word)
{
	lanes->a = (lanes->a ^ word) * UINT64_C(0x9fb21c651e98df25);
	lanes->a ^= lanes->a >> 32;
	lanes->b = (lanes->b + word) * UINT64_C(0xd6e8feb86659fd93);
	lanes->b ^= lanes->b >> 29;
}

static inline void lanes_add(struct lanes *sum, struct lanes lanes)
{
	sum->a += lanes.a;
	sum->b += lanes.b;
}

static inline void lanes_subtract(struct lanes *sum, struct lanes lanes)
{
	sum->a -= lanes.a;
	sum->b -= lanes.b;
}

/* hash.c: of bytes at an address; nothing, where they are all zeros, as memory that was never touched. */
struct lanes hash_bytes(uint64_t address, const void *bytes, size_t size);

enum mapping_kind {
	MAPPING_DATA,
	MAPPING_LIBRARY, /* the system's: what it keeps to itself */
	MAPPING_HEAP,	 /* what brk() gives, perhaps after data of the program */
	MAPPING_STACK,	 /* the first thread's */
};

struct mapping {
	uint64_t start, end, offset, inode;
	bool shared;
	bool changing; /* it shows a file that may be written while it is mapped */
	uint8_t kind;
};

static inline bool mapping_equal(const struct mapping *a, const struct mapping *b)
{
	return a->start == b->start && a->end == b->end && a->inode == b->inode && a->offset == b->offset &&
	       a->shared == b->shared;
}

/* The bytes of a page, which several tables may have. */
struct page_bytes {
	uint32_t owners;
	uint8_t at[PAGE];
};

struct page {
	struct lanes hash;
	struct page_bytes *bytes; /* NULL: not kept */
	/* Of a heap, once known: without its free blocks, where blocks have this digest. */
	bool used_known;
	struct lanes used;
	uint64_t blocks;
};

/* Pages that follow each other in one mapping. */
struct extent {
	uint64_t start, end;
	size_t page; /* the first one's index */
	size_t mapping;
};

struct page_table {
	struct extent *extents;
	size_t extents_length, extents_room;
	struct page *pages;
	size_t pages_length, pages_room;
};

struct regions {
	struct page_region *at;
	size_t length, room;
};

/* A block of malloc's: what follows the 8 bytes at `at` up to the next one's. */
struct block {
	uint64_t at;
	bool free;
};

/* A mapping full of them. */
struct heap {
	size_t mapping;
	uint64_t first, end;
	uint64_t arena;	     /* 0: it is in libc's data; this is the heap that brk() gives */
	size_t from, length; /* of contents->blocks; the last one is what hasn't been given out yet */
};

/* What is known of libc's malloc; addresses are 0 as long as they aren't known. */
struct malloc_places {
	uint64_t tcache;     /* where a thread's pointer to its cache is, below its fs_base */
	uint64_t main_arena; /* of the heap that brk() gives */
};

/* A part of a page that was hashed when the page had this digest. */
struct page_part {
	uint64_t low, high;
	struct lanes page, hash;
};
#define PAGE_PARTS 64

/* What a thread had in its vector and floating-point registers, as long as it hasn't run since. */
struct known_extended {
	bool known, readable;
	uint64_t runs; /* tracee->runs */
	struct lanes parts[2];
};

struct contents_source {
	uint64_t number;
	bool known;	/* the table is that of the process that copies are made of */
	bool untracked; /* the kernel doesn't tell of pages */
	bool keeps;	/* bytes are wanted */
	struct page_table table;
	struct malloc_places places;
	uint64_t executions, refreshes, pages; /* so far: whether it is worth while to have pages tracked */
};

struct contents {
	struct target *target;
	struct contents_source *source; /* NULL: none */
	int maps, pagemap;		/* files of proc(5); -1 */
	char program[4096];
	uint64_t heap_start;		   /* where brk() begins */
	struct mapping *mappings, *before; /* now and at the last refresh */
	size_t mappings_length, mappings_room, before_length, before_room;
	bool mappings_known;	/* they are those after so many calls that change some: */
	uint64_t mapping_calls; /* target_mapping_calls() */
	bool unchanged; /* none of them has come since the last refresh: they haven't been asked for again */
	struct regions tracked, found; /* the kernel's answers */
	struct page_table table, next;
	struct lanes sum; /* of the digests of all pages in the table, where it is known */
	bool sum_known;
	struct known_extended *extended; /* by thread */
	size_t extended_length;
	uint64_t now; /* refreshes so far */
	uint64_t pages_read;
	int tracking;	 /* a userfaultfd of the target's; -1: none */
	bool tried;	 /* to have pages tracked */
	bool keeps;	 /* bytes are kept, */
	bool kept;	 /* and were at the last refresh */
	uint8_t *buffer; /* for READ_AT_ONCE pages */
	size_t *unread;	 /* indices in the table, and their addresses */
	uint64_t *unread_at;
	size_t unread_length, unread_room, unread_at_room;
	bool unread_written; /* all of these have been known and been written since: nobody shares them */
	size_t last_extent;  /* where page_find() found the last one */
	struct page_part parts[PAGE_PARTS]; /* by where they begin */
	struct malloc_places places;
	uint64_t *listed; /* blocks that malloc has in lists of its own */
	size_t listed_length, listed_room;
	struct heap *heaps;
	size_t heaps_length, heaps_room;
	struct block *blocks; /* of all of them */
	size_t blocks_length, blocks_room;
};

/* mappings.c: those that the target may write, but for fmc's own, in ascending order. Nobody is asked where none can have changed since. */
enum status mappings_read(struct contents *contents);
enum status mappings_read_again(struct contents *contents); /* in any case */
bool mappings_open(struct contents *contents);
void mappings_close(struct contents *contents);

/*
 * tracking.c: have the kernel note from now on which pages are written, where it sees that; false where that can't be had. Or in this one, too.
 */
bool tracking_begin(struct contents *contents);
void tracking_add(struct contents *contents, const struct mapping *mapping);
void tracking_end(struct contents *contents);

/*
 * regions.c: what is there, as the kernel tells: in contents->tracked of all that is tracked, of which it notes from then on again what is written, and
 * in contents->found of one mapping. unread.c: pages of the
 * next table that are to be read; as contents_digest().
 */
enum status regions_tracked(struct contents *contents);
enum status regions_of(struct contents *contents, const struct mapping *mapping);
bool unread_add(struct contents *contents, size_t page, uint64_t at); /* false without memory */
enum status unread_read(struct contents *contents);
void page_bytes_drop(struct page_bytes **bytes);

/* page_table.c */
/* Bring the table up to date. As contents_digest(). */
enum status table_refresh(struct contents *contents);
/* NULL: it isn't there. */
const struct page *table_find(struct contents *contents, uint64_t address);
/* A word that lies in one page, false likewise. */
bool table_word(struct contents *contents, uint64_t address, uint64_t *word);
void table_clear(struct page_table *table);
void table_release(struct page_table *table);
bool table_copy(struct page_table *to, const struct page_table *from);

/*
 * heap.c: find: mappings in which blocks of malloc's lie one after the other, those of one in ascending order. free_listed: those that malloc has in
 * lists of its own are free, too. sum: of the pages of a heap's mapping, without free blocks and without what malloc keeps there for itself.
 */
bool heaps_find(struct contents *contents); /* false without memory */
void heaps_free_listed(struct contents *contents);
void heap_sum(struct contents *contents, const struct heap *heap, struct lanes *sum);

/* malloc_lists.c: the blocks that malloc has in lists of its own, in contents->listed, by where the program had them; after heaps_find(). */
void malloc_lists_read(struct contents *contents, const struct contents_stack stacks[], size_t length);
#define CACHE_BLOCK 0x290 /* the size of a thread's cache, as a block, in glibc 2.32 and later */

#endif
