#ifndef FMC_BREAKPOINTS_STUBS_STUB_ROOM_H
#define FMC_BREAKPOINTS_STUBS_STUB_ROOM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory for stubs, of which a jump some of whose bytes are given has to reach a place. */
#define STUB_RANGES 64

struct stub_range {
	uint64_t low, high;
	uint64_t *used; /* a bit for each STUB_GRANULE bytes */
};

struct stub_room {
	struct stub_range at[STUB_RANGES];
	size_t length;
};

#define STUB_GRANULE 16

/* The four bytes of a displacement: which are given, and what they are. */
struct displacement {
	uint8_t given; /* bit k: bytes[k] is; the others are free */
	uint8_t bytes[4];
};

/* False without memory, or if there are too many. */
bool stub_room_add(struct stub_room *room, uint64_t low, uint64_t high);

/*
 * Take `size` bytes, of which the one with number `entry` is where a jump leads whose displacement counts from `next`. *at: the
 * first of them. False: there is no such place left.
 */
bool stub_room_take(struct stub_room *room, uint64_t next, const struct displacement *displacement,
		    size_t entry, size_t size, uint64_t *at);

void stub_room_release(struct stub_room *room);

#endif
