#include "supervisor/cli/attach/find_process.h"
#include "supervisor/cli/output/exits.h"
#include "supervisor/cli/output/say.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* So many are listed where a name is that of several. */
#define MOST_LISTED 20

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

/* The first text of a small file in /proc, without a line feed; empty if it can't be read. */
static void read_first(pid_t pid, const char *name, char *text, size_t size)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/%d/%s", (int)pid, name);
	int file = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = file < 0 ? -1 : read(file, text, size - 1);
	if (file >= 0)
		close(file);
	text[length > 0 ? length : 0] = 0;
	text[strcspn(text, "\n")] = 0;
}

static bool is_called(pid_t pid, const char *name)
{
	char text[PATH_MAX], path[64];
	read_first(pid, "comm", text, sizeof text);
	if (strcmp(text, name) == 0)
		return true;
	read_first(pid, "cmdline", text, sizeof text);
	if (*text && (strcmp(text, name) == 0 || strcmp(last_part(text), name) == 0))
		return true;
	snprintf(path, sizeof path, "/proc/%d/exe", (int)pid);
	ssize_t length = readlink(path, text, sizeof text - 1);
	text[length > 0 ? length : 0] = 0;
	return length > 0 && strcmp(last_part(text), name) == 0;
}

/* The only process of that name; several are counted and listed. */
static pid_t find_by_name(const char *name, size_t *count, char *list, size_t size)
{
	DIR *dir = opendir("/proc");
	pid_t found = 0;
	size_t length = 0;
	const struct dirent *entry;
	*count = 0;
	*list = 0;
	while (dir && (entry = readdir(dir)) != NULL) {
		pid_t pid = (pid_t)atoi(entry->d_name);
		if (!isdigit((unsigned char)entry->d_name[0]) || pid == getpid() || !is_called(pid, name))
			continue;
		found = pid;
		if ((*count)++ < MOST_LISTED && length < size)
			length += (size_t)snprintf(list + length, size - length, "%s%d", length ? ", " : "",
						   (int)pid);
	}
	if (dir)
		closedir(dir);
	return found;
}

pid_t find_process(const char *text, int *exits)
{
	if (text[0] && text[strspn(text, "0123456789")] == 0) {
		unsigned long long number = strtoull(text, NULL, 10);
		if (number > 0 && number <= INT32_MAX)
			return (pid_t)number;
		say("%s isn't the number of any process", text);
		*exits = EXITS_UNAVAILABLE;
		return 0;
	}
	size_t count;
	char list[MOST_LISTED * 13];
	pid_t pid = find_by_name(text, &count, list, sizeof list);
	if (count == 1)
		return pid;
	if (count == 0)
		say("no process is called '%s'", text);
	else
		say("%zu processes are called '%s': %s%s; say which, by its number", count, text, list,
		    count > MOST_LISTED ? " ..." : "");
	*exits = EXITS_UNAVAILABLE;
	return 0;
}
