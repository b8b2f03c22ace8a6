#include "tracer/contents/contents.h"
#include "tracer/proc/maps.h"
#include "tracer/proc/maps_query.h"

#include <fmc/tracer/array.h>
#include <fmc/tracer/maps.h>
#include <fmc/tracer/stat_line.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where brk() begins: it may be in the same mapping as the program's data. */
static uint64_t heap_start(pid_t pid)
{
	struct stat_line line;
	return stat_line_of(pid, &line) ? line.field[STAT_START_BRK] : 0;
}

bool mappings_open(struct contents *contents)
{
	char path[40];
	const pid_t pid = target_pid(contents->target);
	mappings_close(contents);
	snprintf(path, sizeof path, "/proc/%d/maps", pid);
	contents->maps = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof path, "/proc/%d/pagemap", pid);
	contents->pagemap = open(path, O_RDONLY | O_CLOEXEC);
	snprintf(path, sizeof path, "/proc/%d/exe", pid);
	const ssize_t named = readlink(path, contents->program, sizeof contents->program - 1);
	contents->program[named > 0 ? named : 0] = '\0';
	contents->heap_start = heap_start(pid);
	return contents->maps >= 0 && contents->pagemap >= 0;
}

void mappings_close(struct contents *contents)
{
	if (contents->maps >= 0)
		close(contents->maps);
	if (contents->pagemap >= 0)
		close(contents->pagemap);
	contents->maps = contents->pagemap = -1;
}

/* Data without a value in a library's file are after it, in memory that is no file's. */
static enum mapping_kind kind_of(const struct contents *contents, uint64_t start, uint64_t end,
				 const char *name)
{
	const struct mapping *last =
	    contents->mappings_length ? &contents->mappings[contents->mappings_length - 1] : NULL;
	if (contents->heap_start >= start && contents->heap_start < end)
		return MAPPING_HEAP;
	if (!*name)
		return last && last->end == start ? last->inode ? last->kind : MAPPING_DATA : MAPPING_DATA;
	if (strcmp(name, "[stack]") == 0)
		return MAPPING_STACK;
	return maps_of_system(name) && strcmp(name, contents->program) != 0 ? MAPPING_LIBRARY : MAPPING_DATA;
}

/* Pages of a file that haven't been written yet are those that others see. Programs and the system's libraries stay as they are. */
static bool is_changing(const struct contents *contents, const struct mapping *mapping, const char *name)
{
	return mapping->inode && strcmp(name, contents->program) != 0 && !maps_of_system(name);
}

static bool add(struct contents *contents, const struct mapping *mapping)
{
	if (!ARRAY_GROW(contents->mappings, contents->mappings_length, contents->mappings_room))
		return false;
	contents->mappings[contents->mappings_length++] = *mapping;
	return true;
}

/* One that hasn't changed since the last time, nor the one before it, is of the same kind as then; *i goes along. */
static const struct mapping *as_before(const struct contents *contents, const struct mapping *now, size_t *i)
{
	while (*i < contents->before_length && contents->before[*i].start < now->start)
		++*i;
	if (*i == contents->before_length)
		return NULL;
	const struct mapping *then = &contents->before[*i];
	return mapping_equal(then, now) && (now->inode || then->kind != MAPPING_LIBRARY) ? then : NULL;
}

static enum status ask(struct contents *contents)
{
	char name[4096];
	struct maps_query q;
	size_t before = 0;
	uint64_t at = 0;
	while (maps_query(contents->maps, MAPS_WRITABLE | MAPS_OR_NEXT, at, &q, NULL, 0)) {
		struct mapping mapping = {.start = q.start,
					  .end = q.end,
					  .offset = q.offset,
					  .inode = q.inode,
					  .shared = q.told & MAPS_SHARED};
		at = q.end;
		if (target_is_own(contents->target, q.start))
			continue;
		const struct mapping *then = as_before(contents, &mapping, &before);
		if (!then &&
		    !maps_query(contents->maps, MAPS_WRITABLE | MAPS_OR_NEXT, q.start, &q, name, sizeof name))
			break;
		mapping.changing = then ? then->changing : is_changing(contents, &mapping, name);
		mapping.kind = then ? then->kind : kind_of(contents, mapping.start, mapping.end, name);
		if (!add(contents, &mapping))
			return STATUS_NO_MEMORY;
	}
	return errno == ENOENT ? STATUS_OK : errno == ENOTTY ? STATUS_UNSUPPORTED : STATUS_GONE;
}

/* Where the kernel can't be asked. */
static enum status parse(struct contents *contents)
{
	struct maps maps;
	char *text = maps_text(target_pid(contents->target));
	enum status status = text ? maps_parse(text, &maps) : STATUS_GONE;
	if (status != STATUS_OK)
		return status;
	for (size_t i = 0; i < maps.length && status == STATUS_OK; i++) {
		const struct snapshot_mapping *at = &maps.at[i];
		const char *path = at->path ? at->path : "";
		struct mapping mapping = {.start = at->low,
					  .end = at->high,
					  .offset = at->offset,
					  .inode = at->inode,
					  .shared = at->shared,
					  .kind = kind_of(contents, at->low, at->high, path)};
		mapping.changing = is_changing(contents, &mapping, path);
		if (at->writable && !target_is_own(contents->target, at->low) && !add(contents, &mapping))
			status = STATUS_NO_MEMORY;
	}
	maps_release(&maps);
	return status;
}

enum status mappings_read_again(struct contents *contents)
{
	struct mapping *mappings = contents->before;
	const size_t room = contents->before_room;
	contents->before = contents->mappings;
	contents->before_length = contents->mappings_length;
	contents->before_room = contents->mappings_room;
	contents->mappings = mappings;
	contents->mappings_room = room;
	contents->mappings_length = 0;
	errno = 0;
	contents->unchanged = false;
	contents->mappings_known = target_mapping_calls(contents->target, &contents->mapping_calls);
	const enum status status = contents->maps < 0 ? STATUS_UNSUPPORTED : ask(contents);
	if (status != STATUS_UNSUPPORTED)
		return status;
	contents->mappings_length = 0;
	return parse(contents);
}

enum status mappings_read(struct contents *contents)
{
	uint64_t calls;
	contents->unchanged = target_mapping_calls(contents->target, &calls) && contents->mappings_known &&
			      contents->mapping_calls == calls;
	return contents->unchanged ? STATUS_OK : mappings_read_again(contents);
}
