#ifndef FMC_BREAKPOINTS_UNWIND_TABLE_H
#define FMC_BREAKPOINTS_UNWIND_TABLE_H

#include "breakpoints/symbols/file_segments.h"

/* The table of a module for finding call frame information by address: its section .eh_frame_hdr. */
struct unwind_table {
	uint64_t low, high; /* of the module */
	uint64_t base;	    /* where the section is, to which entries are relative */
	uint64_t entries;   /* where the first one is */
	uint64_t length;    /* how many there are; 0: it can't be searched */
	/* Of the file, those that aren't writable, and one more: entries that the file hasn't got. */
	struct file_segment segments[FILE_SEGMENTS_MOST + 1];
	size_t segments_length;
	struct unwind_pair *made; /* these entries, to be freed; NULL: there are none */
};

/* How an entry is written: where code begins, and its description (FDE), relative to the base. */
struct unwind_pair {
	int32_t code, fde;
};

/* An entry that was found. */
struct unwind_entry {
	uint64_t at; /* the entry itself */
	uint64_t fde;
};

/*
 * Find in the module's segments, which the caller has set, what the rest of *table says. The section is `range`. False, and
 * length 0: it isn't there, of another version, damaged, or of an encoding without binary search.
 */
bool unwind_table_read(struct unwind_table *table, struct address_range range);

/*
 * Make entries of what .eh_frame consists of where there is no table of them: statically linked programs have none. The same
 * results; false also without memory.
 */
bool unwind_table_make(struct unwind_table *table, struct address_range eh_frame);

/* The last entry whose code begins at or before the address: it may end before it. False: there is none. */
bool unwind_table_find(const struct unwind_table *table, uint64_t address, struct unwind_entry *entry);

/* Copy from the segments; false if not all of it is in one of them. */
bool unwind_table_bytes(const struct unwind_table *table, uint64_t address, void *to, size_t size);

#endif
