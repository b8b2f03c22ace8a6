#include "breakpoints/reach/reach.h"
#include "breakpoints/waits/descriptors.h"

#include <fmc/tracer/in_flight.h>
#include <fmc/tracer/array.h>
#include <fmc/tracer/pid_namespace.h>

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The ends of all pipes and sockets, and descriptors of files that have names. */

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
	if (length <= 0) {
		ends->blind |= hides(pid, errno);
		return true;
	}
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
	int fd = process < 0 ? -1 : open_descriptors(process);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	if (!folder)
		ends->blind |= hides(pid, errno);
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

static void look_at_all(struct ends *ends)
{
	size_t room = 0;
	struct dirent *entry;
	DIR *processes = opendir("/proc");
	ends->blind = !processes || !proc_shows_all();
	while (processes && (entry = readdir(processes)))
		if (isdigit((unsigned char)entry->d_name[0]))
			look_through(ends, &room, (pid_t)atoi(entry->d_name));
	if (processes)
		closedir(processes);
}

void ends_find(struct ends *ends)
{
	if (ends->known)
		return;
	ends->blind = true;
	for (int round = 0; round < MOST_ROUNDS && ends->blind; round++) {
		ends_release(ends);
		look_at_all(ends);
	}
	ends->known = true;
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

struct visit {
	const char *link;
	file_visitor *visit;
	void *context;
	bool blind, over;
};

static void visit_folder(struct visit *visit, pid_t pid, int process, DIR *folder)
{
	char link[4096];
	struct stat stat_of;
	for (struct dirent *entry; !visit->over && (entry = readdir(folder));) {
		if (entry->d_name[0] == '.')
			continue;
		const ssize_t length = readlinkat(dirfd(folder), entry->d_name, link, sizeof link - 1);
		link[length > 0 ? length : 0] = 0;
		visit->blind |= length <= 0 && hides(pid, errno);
		if (length <= 0 || strcmp(link, visit->link) != 0 ||
		    fstatat(dirfd(folder), entry->d_name, &stat_of, AT_SYMLINK_NOFOLLOW) != 0)
			continue;
		visit->over = !visit->visit(visit->context, pid, process, entry->d_name, stat_of.st_mode);
	}
}

static void visit_process(struct visit *visit, pid_t pid)
{
	char path[32];
	snprintf(path, sizeof path, "/proc/%d", (int)pid);
	const int process = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	const int fd = process < 0 ? -1 : open_descriptors(process);
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	if (folder)
		visit_folder(visit, pid, process, folder);
	else
		visit->blind |= hides(pid, errno);
	if (folder)
		closedir(folder);
	else if (fd >= 0)
		close(fd);
	if (process >= 0)
		close(process);
}

static void visit_all(struct visit *visit)
{
	DIR *processes = opendir("/proc");
	visit->blind = !processes || !proc_shows_all();
	for (struct dirent *entry; processes && !visit->over && (entry = readdir(processes));)
		if (isdigit((unsigned char)entry->d_name[0]))
			visit_process(visit, (pid_t)atoi(entry->d_name));
	if (processes)
		closedir(processes);
}

bool files_visit(const char *link, file_visitor *visitor, void *context)
{
	struct visit visit = {.link = link, .visit = visitor, .context = context, .blind = true};
	for (int round = 0; round < MOST_ROUNDS && visit.blind && !visit.over; round++)
		visit_all(&visit);
	return !visit.blind;
}
