#include "breakpoints/reach/reach.h"

#include <fmc/tracer/stat_line.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What can be seen of processes in /proc. */

bool same_namespace(pid_t one, pid_t other, const char *kind)
{
	char path[64];
	struct stat of[2];
	const pid_t pids[2] = {one, other};
	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof path, "/proc/%d/ns/%s", (int)pids[i], kind);
		if (stat(path, &of[i]) != 0)
			return false;
	}
	return of[0].st_ino == of[1].st_ino;
}

static size_t read_at(int folder, const char *path, char *text, size_t room)
{
	const int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
	const ssize_t length = file < 0 ? -1 : read(file, text, room - 1);
	const int error = errno;
	if (file >= 0)
		close(file);
	errno = error;
	text[length > 0 ? length : 0] = 0;
	return length > 0 ? (size_t)length : 0;
}

size_t text_of(pid_t pid, const char *file, char *text, size_t room)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, file);
	return read_at(AT_FDCWD, path, text, room);
}

long status_number(const char *status, const char *name)
{
	char field[32];
	snprintf(field, sizeof field, "\n%s:", name);
	const char *at = strstr(status, field);
	return at ? strtol(at + strlen(field), NULL, 10) : 0;
}

static bool is_kernels(pid_t pid)
{
	struct stat_line line;
	return stat_line_of(pid, &line) && line.field[STAT_FLAGS] & STAT_KERNEL_THREAD;
}

bool hides(pid_t pid, int error)
{
	return error != ENOENT && error != ESRCH && pid != 1 && !is_kernels(pid);
}

static bool lives(int process, const char *part)
{
	char path[64];
	struct stat_line line;
	snprintf(path, sizeof path, "%sstat", part);
	return stat_line_at(process, path, &line) && !stat_line_ended(&line);
}

void living_part(int process, char part[32])
{
	*part = 0;
	if (lives(process, part))
		return;
	const int fd = openat(process, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *tasks = fd < 0 ? NULL : fdopendir(fd);
	if (!tasks && fd >= 0)
		close(fd);
	for (struct dirent *entry; tasks && (entry = readdir(tasks));) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(part, 32, "task/%.20s/", entry->d_name);
		if (lives(process, part))
			break;
		*part = 0;
	}
	if (tasks)
		closedir(tasks);
}

int open_descriptors(int process)
{
	char part[32], path[64];
	living_part(process, part);
	snprintf(path, sizeof path, "%sfd", part);
	return openat(process, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}
