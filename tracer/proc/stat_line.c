#include <fmc/tracer/stat_line.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool stat_line_parse(const char *text, struct stat_line *line)
{
	const char *at = strrchr(text, ')');
	if (!at || at[1] != ' ' || !at[2])
		return false;
	*line = (struct stat_line){.state = at[2]};
	at += 3;
	for (int i = STAT_PARENT; i < STAT_FIELDS && *at == ' '; i++) {
		char *end;
		line->field[i] = *++at == '-' ? (uint64_t)strtoll(at, &end, 10) : strtoull(at, &end, 10);
		at = end;
	}
	return true;
}

bool stat_line_at(int folder, const char *path, struct stat_line *line)
{
	char text[1024];
	const int file = openat(folder, path, O_RDONLY | O_CLOEXEC);
	const ssize_t length = file < 0 ? -1 : read(file, text, sizeof text - 1);
	const int error = errno;
	if (file >= 0)
		close(file);
	errno = error;
	text[length > 0 ? length : 0] = '\0';
	return stat_line_parse(text, line);
}

bool stat_line_of(pid_t pid, struct stat_line *line)
{
	char path[32];
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	return stat_line_at(AT_FDCWD, path, line);
}

bool stat_line_ended(const struct stat_line *line)
{
	return line->state == 'Z' || line->state == 'X';
}
