#include "tracer/proc/maps.h"
#include "tracer/proc/proc.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

/* Numbers are parsed by hand: a process of a thousand threads, which waits meanwhile, has thousands of lines. */
static uint64_t hexadecimal(const char **at)
{
	uint64_t value = 0;
	for (;; ++*at) {
		const char c = **at;
		if (c >= '0' && c <= '9')
			value = value << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (uint64_t)(c - 'a' + 10);
		else
			return value;
	}
}

static bool skip(const char **at, char expected)
{
	if (**at != expected)
		return false;
	++*at;
	return true;
}

/* A line break in a path stands there as \012. */
static void unescape(char *path)
{
	char *to = path;
	for (const char *from = path; *from; to++) {
		const bool escaped = strncmp(from, "\\012", 4) == 0;
		*to = escaped ? '\n' : *from;
		from += escaped ? 4 : 1;
	}
	*to = 0;
}

/* low-high rwxp offset major:minor inode   path */
static bool parse_line(char *line, struct snapshot_mapping *mapping)
{
	const char *at = line;
	mapping->low = hexadecimal(&at);
	if (!skip(&at, '-'))
		return false;
	mapping->high = hexadecimal(&at);
	if (!skip(&at, ' ') || strnlen(at, 5) < 5)
		return false;
	mapping->readable = at[0] == 'r';
	mapping->writable = at[1] == 'w';
	mapping->executable = at[2] == 'x';
	mapping->shared = at[3] == 's';
	at += 4;
	if (!skip(&at, ' '))
		return false;
	mapping->offset = hexadecimal(&at);
	if (!skip(&at, ' '))
		return false;
	const uint64_t major = hexadecimal(&at);
	if (!skip(&at, ':'))
		return false;
	mapping->device = makedev((unsigned)major, (unsigned)hexadecimal(&at));
	if (!skip(&at, ' '))
		return false;
	mapping->inode = 0;
	for (; *at >= '0' && *at <= '9'; at++)
		mapping->inode = mapping->inode * 10 + (uint64_t)(*at - '0');
	at += strspn(at, " ");
	if (*at) {
		char *path = line + (at - line);
		unescape(path);
		mapping->path = path;
	}
	return true;
}

enum status maps_parse(char *text, struct maps *maps)
{
	size_t lines = 0;
	for (const char *at = text; *at; at++)
		lines += *at == '\n';
	*maps = (struct maps){.text = text, .at = calloc(lines + 1, sizeof *maps->at)};
	if (!maps->at) {
		maps_release(maps);
		return STATUS_NO_MEMORY;
	}
	for (char *line = text; lines--;) {
		char *end = strchr(line, '\n');
		*end = 0;
		if (parse_line(line, &maps->at[maps->length]))
			maps->length++;
		line = end + 1;
	}
	return STATUS_OK;
}

const struct snapshot_mapping *maps_find(const struct maps *maps, uint64_t address)
{
	size_t low = 0, high = maps->length;
	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		if (address < maps->at[middle].low)
			high = middle;
		else if (address >= maps->at[middle].high)
			low = middle + 1;
		else
			return &maps->at[middle];
	}
	return NULL;
}

bool maps_of_system(const char *path)
{
	static const char *const folders[] = {"/lib/", "/lib64/", "/usr/lib/", "/usr/lib64/"};
	for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
		if (strncmp(path, folders[i], strlen(folders[i])) == 0)
			return true;
	return false;
}

void maps_release(struct maps *maps)
{
	free(maps->at);
	free(maps->text);
	*maps = (struct maps){0};
}

enum status maps_read(int process, struct maps *maps)
{
	size_t length;
	char *text = proc_all(process, "maps", &length);
	return text ? maps_parse(text, maps) : STATUS_GONE;
}

char *maps_text(pid_t pid)
{
	char path[32];
	size_t length = 0;
	snprintf(path, sizeof path, "/proc/%d/maps", pid);
	char *text = proc_all(AT_FDCWD, path, &length);
	if (length > 0)
		return text;
	free(text);
	return NULL;
}

enum status maps_of(pid_t pid, struct maps *maps)
{
	char *text = maps_text(pid);
	return text ? maps_parse(text, maps) : STATUS_GONE;
}
