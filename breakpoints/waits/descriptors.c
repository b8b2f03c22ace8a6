#include "breakpoints/waits/descriptors.h"

#include <fmc/supervisor/in_flight.h>
#include <fmc/tracer/array.h>

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool descriptor_link(pid_t pid, int fd, char link[256])
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
	ssize_t length = readlink(path, link, 255);
	link[length > 0 ? length : 0] = 0;
	return length > 0;
}

uint64_t descriptor_inode(const char *link, const char *kind)
{
	size_t length = strlen(kind);
	uint64_t inode = 0;
	if (strncmp(link, kind, length) != 0 || sscanf(link + length, ":[%" SCNu64 "]", &inode) != 1)
		return 0;
	return inode;
}

static bool add(struct ends *ends, size_t *room, const struct end *end)
{
	if (!ARRAY_GROW(ends->at, ends->length, *room))
		return false;
	ends->at[ends->length++] = *end;
	return true;
}

/* The owner's bits of such a link say how the file was opened. */
static bool look_at(struct ends *ends, size_t *room, pid_t pid, int process, int folder, const char *name)
{
	char link[64];
	struct stat stat_of;
	ssize_t length = readlinkat(folder, name, link, sizeof(link) - 1);
	if (length <= 0)
		return true;
	link[length] = 0;
	struct end end = {.pid = pid, .inode = descriptor_inode(link, "pipe")};
	if (end.inode == 0 && (end.inode = descriptor_inode(link, "socket")) != 0)
		ends->blind |= in_flight(process, "fd", name);
	if (end.inode == 0 || fstatat(folder, name, &stat_of, AT_SYMLINK_NOFOLLOW) != 0)
		return true;
	end.reads = stat_of.st_mode & S_IRUSR;
	end.writes = stat_of.st_mode & S_IWUSR;
	return add(ends, room, &end);
}

static void look_through(struct ends *ends, size_t *room, pid_t pid)
{
	char path[32];
	struct dirent *entry;
	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	int process = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd = process < 0 ? -1 : openat(process, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	if (!folder)
		ends->blind |= errno != ENOENT && errno != ESRCH;
	if (!folder && fd >= 0)
		close(fd);
	while (folder && (entry = readdir(folder)))
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    !look_at(ends, room, pid, process, fd, entry->d_name))
			ends->blind = true;
	if (folder)
		closedir(folder);
	if (process >= 0)
		close(process);
}

static int by_inode(const void *a, const void *b)
{
	const struct end *x = a, *y = b;
	return x->inode < y->inode ? -1 : x->inode > y->inode;
}

void ends_find(struct ends *ends)
{
	size_t room = 0;
	struct dirent *entry;
	if (ends->known)
		return;
	ends->known = true;
	DIR *processes = opendir("/proc");
	ends->blind = !processes;
	while (processes && (entry = readdir(processes)))
		if (isdigit((unsigned char)entry->d_name[0]))
			look_through(ends, &room, (pid_t)atoi(entry->d_name));
	if (processes)
		closedir(processes);
	if (ends->length)
		qsort(ends->at, ends->length, sizeof(*ends->at), by_inode);
}

void ends_release(struct ends *ends)
{
	free(ends->at);
	*ends = (struct ends){0};
}

size_t ends_first(const struct ends *ends, uint64_t inode)
{
	size_t low = 0, high = ends->length;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (ends->at[middle].inode < inode)
			low = middle + 1;
		else
			high = middle;
	}
	return low < ends->length && ends->at[low].inode == inode ? low : ends->length;
}
