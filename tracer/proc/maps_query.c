/* One mapping of a process, asked of the kernel. */
#include "tracer/proc/maps_query.h"

#include <fmc/tracer/maps.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define QUERY _IOWR('f', 17, struct maps_query)

bool maps_query(int maps, uint64_t flags, uint64_t address, struct maps_query *query, char *name, size_t room)
{
	*query = (struct maps_query){.size = sizeof *query,
				     .flags = flags,
				     .address = address,
				     .name_room = (uint32_t)room,
				     .name = (uint64_t)(uintptr_t)name};
	if (ioctl(maps, QUERY, query) != 0)
		return false;
	if (name && query->name_room == 0)
		*name = '\0';
	return true;
}

/* Where the kernel can't be asked. */
static enum status find_in_text(pid_t pid, uint64_t address, struct snapshot_mapping *mapping)
{
	struct maps maps;
	const enum status status = maps_of(pid, &maps);
	if (status != STATUS_OK)
		return status;
	const struct snapshot_mapping *found = maps_find(&maps, address);
	if (found)
		*mapping = *found;
	mapping->path = NULL;
	maps_release(&maps);
	return found ? STATUS_OK : STATUS_NOT_FOUND;
}

enum status maps_at(pid_t pid, uint64_t address, struct snapshot_mapping *mapping)
{
	char path[40];
	struct maps_query query;
	snprintf(path, sizeof path, "/proc/%d/maps", pid);
	const int maps = open(path, O_RDONLY | O_CLOEXEC);
	if (maps < 0)
		return STATUS_GONE;
	const bool found = maps_query(maps, 0, address, &query, NULL, 0);
	const int error = found ? 0 : errno;
	close(maps);
	if (!found && error == ENOTTY)
		return find_in_text(pid, address, mapping);
	if (!found)
		return error == ENOENT ? STATUS_NOT_FOUND : STATUS_GONE;
	*mapping = (struct snapshot_mapping){.low = query.start,
					     .high = query.end,
					     .offset = query.offset,
					     .shared = query.told & MAPS_SHARED,
					     .device = makedev(query.major, query.minor),
					     .inode = query.inode};
	return STATUS_OK;
}
