/* What the system tells of the program's process. */
#include "replay/gdb/process.h"

#include <fmc/breakpoints/place.h>

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Some thread that tells of the process: the main one may have exited, and then doesn't. False: all are gone. */
static bool first_alive(struct timeline *timeline, uint32_t memory, pid_t *tid)
{
	for (uint32_t t = 0; t < timeline_threads(timeline); t++) {
		const struct tracee *tracee =
		    timeline_alive(timeline, t) ? process_tracee(timeline_process(timeline), t) : NULL;
		if (!tracee || timeline_memory_of(timeline, t) != memory)
			continue;
		*tid = tracee->tid;
		return true;
	}
	return false;
}

static bool path_of(struct timeline *timeline, const char *file, char path[64])
{
	pid_t tid;
	if (!first_alive(timeline, timeline_shown(timeline), &tid))
		return false;
	snprintf(path, 64, "/proc/%d/%s", (int)tid, file);
	return true;
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
	pid_t tid;
	if (!first_alive(timeline, timeline_shown(timeline), &tid))
		return;
	if (target && places_update(process_places(process), target) == STATUS_OK &&
	    places_module(process_places(process), 0, &program, build_id)) {
		text_add(path, program, strlen(program));
		return;
	}
	ssize_t length = path_of(timeline, "exe", link) ? readlink(link, file, sizeof file) : -1;
	if (length > 0)
		text_add(path, file, (size_t)length);
}

/* Move after the name of a process, "self" or a number: the memory of which it is. False: there is none of that name. */
static bool pass_process(const struct timeline *timeline, const char **path, uint32_t *memory)
{
	const size_t length = strcspn(*path, "/");
	char *end;
	const unsigned long number = strtoul(*path, &end, 10);
	const bool numbered = end == *path + length && number > 0 && number <= timeline_memories(timeline);
	const bool self = length == 4 && strncmp(*path, "self", length) == 0;
	*memory = self ? timeline_shown(timeline) : (uint32_t)number - 1;
	*path += length;
	return self || numbered;
}

/* "task/3/FILE" of thread 3: it has a folder of its own, too. False: there is no such thread. */
static bool thread_of(struct timeline *timeline, uint32_t memory, const char **path, pid_t *tid)
{
	const char *number = *path + strlen("/task/");
	char *end;
	const unsigned long thread = strtoul(number, &end, 10);
	if (end == number || (*end && *end != '/') || thread == 0 || thread > timeline_threads(timeline) ||
	    !timeline_alive(timeline, (uint32_t)thread - 1) ||
	    timeline_memory_of(timeline, (uint32_t)thread - 1) != memory)
		return false;
	*path = end;
	*tid = process_tracee(timeline_process(timeline), (uint32_t)thread - 1)->tid;
	return true;
}

bool gdb_process_path(struct timeline *timeline, const char *path, struct text *real)
{
	const char *rest = path + strlen("/proc/");
	uint32_t memory;
	pid_t tid;
	if (strncmp(path, "/proc/", strlen("/proc/")) != 0 || !*rest ||
	    (!strchr("0123456789", *rest) && strncmp(rest, "self", 4) != 0)) {
		text_printf(real, "%s", path);
		return true;
	}
	if (!pass_process(timeline, &rest, &memory) || !first_alive(timeline, memory, &tid))
		return false;
	if (strncmp(rest, "/task/", strlen("/task/")) == 0 && !thread_of(timeline, memory, &rest, &tid))
		return false;
	text_printf(real, "/proc/%d%s", (int)tid, rest);
	return true;
}
