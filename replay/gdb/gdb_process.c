/* What the system tells of the program's process. */
#include "gdb_process.h"

#include <fmc/place.h>

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* "/proc/TID/FILE" of some thread: the main one may have exited, and then tells nothing. False: all are gone. */
static bool path_of(struct timeline *timeline, const char *file, char path[64])
{
	for (uint32_t t = 0; t < timeline_threads(timeline); t++) {
		const struct tracee *tracee =
		    timeline_alive(timeline, t) ? process_tracee(timeline_process(timeline), t) : NULL;
		if (!tracee)
			continue;
		snprintf(path, 64, "/proc/%d/%s", (int)tracee->tid, file);
		return true;
	}
	return false;
}

void gdb_process_auxv(struct timeline *timeline, struct text *bytes)
{
	char path[64], part[1024];
	if (!path_of(timeline, "auxv", path))
		return;
	int file = open(path, O_RDONLY | O_CLOEXEC);
	for (ssize_t count; file >= 0 && (count = read(file, part, sizeof part)) > 0;)
		text_add(bytes, part, (size_t)count);
	if (file >= 0)
		close(file);
}

uint64_t gdb_process_auxv_value(struct timeline *timeline, uint64_t type)
{
	struct text bytes = {0};
	uint64_t value = 0;
	Elf64_auxv_t entry;
	gdb_process_auxv(timeline, &bytes);
	for (size_t i = 0; i + sizeof entry <= bytes.length && value == 0; i += sizeof entry) {
		memcpy(&entry, bytes.data + i, sizeof entry);
		if (entry.a_type == type)
			value = entry.a_un.a_val;
	}
	text_release(&bytes);
	return value;
}

void gdb_process_file(struct timeline *timeline, struct text *path)
{
	char link[64], file[PATH_MAX], build_id[65];
	struct process *process = timeline_process(timeline);
	struct target *target = process_target(process);
	const char *program;
	if (target && places_update(process_places(process), target) == STATUS_OK &&
	    places_module(process_places(process), 0, &program, build_id)) {
		text_add(path, program, strlen(program));
		return;
	}
	ssize_t length = path_of(timeline, "exe", link) ? readlink(link, file, sizeof file) : -1;
	if (length > 0)
		text_add(path, file, (size_t)length);
}
