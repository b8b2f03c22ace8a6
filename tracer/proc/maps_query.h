#ifndef FMC_TRACER_PROC_MAPS_QUERY_H
#define FMC_TRACER_PROC_MAPS_QUERY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* PROCMAP_QUERY of Linux 6.11: one mapping of those in an open `maps` file. */
struct maps_query {
	uint64_t size, flags, address;
	uint64_t start, end, told, page_size, offset, inode;
	uint32_t major, minor, name_room, id_room;
	uint64_t name, id;
};

enum { MAPS_WRITABLE = 2, MAPS_SHARED = 8, MAPS_OR_NEXT = 16 };

/*
 * The one that covers the address, or with MAPS_OR_NEXT the next one, of those that are as `flags` say; with its name, if there is room. False and
 * errno: ENOENT, there is none; ENOTTY, the kernel can't be asked.
 */
bool maps_query(int maps, uint64_t flags, uint64_t address, struct maps_query *query, char *name, size_t room);

#endif
