/* Where a program has its variables. */
#include "tracer/proc/maps.h"
#include "tracer/proc/proc.h"
#include "tracer/tracee/tracee.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_data(const struct snapshot_mapping *mapping)
{
	return mapping->writable && !mapping->shared && mapping->path && *mapping->path == '/';
}

/* Variables without a value in the file are after it, in memory that is no file's. */
static bool goes_on(const struct maps *maps, size_t i, uint64_t end)
{
	return i < maps->length && maps->at[i].low == end && maps->at[i].writable && !maps->at[i].path;
}

static size_t find(const struct maps *maps, const char *program, struct target_range ranges[], size_t room)
{
	size_t length = 0;
	for (size_t i = 0; i < maps->length && length < room; i++) {
		const struct snapshot_mapping *at = &maps->at[i];
		if (!is_data(at) || (maps_of_system(at->path) && strcmp(at->path, program) != 0))
			continue;
		struct target_range *range = &ranges[length++];
		*range = (struct target_range){at->low, at->high};
		if (goes_on(maps, i + 1, range->high))
			range->high = maps->at[++i].high;
	}
	return length;
}

size_t target_variables(const struct target *target, struct target_range ranges[], size_t room)
{
	char path[32], program[4096];
	struct maps maps;
	snprintf(path, sizeof path, "/proc/%d", target->pid);
	const int folder = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return 0;
	const ssize_t named = readlinkat(folder, "exe", program, sizeof program - 1);
	program[named > 0 ? named : 0] = '\0';
	const enum status status = maps_read(folder, &maps);
	close(folder);
	if (status != STATUS_OK)
		return 0;
	const size_t found = find(&maps, program, ranges, room);
	maps_release(&maps);
	return found;
}
