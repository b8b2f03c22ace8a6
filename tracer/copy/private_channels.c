#include "tracer/copy/channel.h"
#include "tracer/tracee/tracee.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

/*
 * What only the threads of a process have. That of a confined one for certain: nobody else has been given it, and it can't give
 * it to anybody.
 */

/* The link and the mode bits of a descriptor: whether it reads, whether it writes. */
static bool look(DIR *table, const char *name, char link[64], mode_t *mode)
{
	struct stat itself;
	const ssize_t length = readlinkat(dirfd(table), name, link, 63);
	if (length < 0 || fstatat(dirfd(table), name, &itself, AT_SYMLINK_NOFOLLOW) != 0)
		return false;
	link[length] = '\0';
	*mode = itself.st_mode & (S_IRUSR | S_IWUSR);
	return true;
}

/* Where the process has both ends of a pipe it has made it, or it was made for it: output leads to pipes of others. */
static bool has_other_end(DIR *table, const char *pipe, mode_t mode)
{
	char link[64];
	mode_t found;
	rewinddir(table);
	for (struct dirent *entry; (entry = readdir(table));)
		if (entry->d_name[0] != '.' && look(table, entry->d_name, link, &found) &&
		    strcmp(link, pipe) == 0 && found & ~mode)
			return true;
	return false;
}

static bool owns_end(const struct target *target, DIR *table, int descriptor, bool sets);

/* All that is in a set: nothing else tells it anything. */
static bool owns_members(const struct target *target, DIR *table, int set)
{
	uint32_t length;
	struct channel_member *members = epoll_members(target->pid, set, &length);
	bool owns = members != NULL;
	for (uint32_t i = 0; i < length && owns; i++)
		owns = owns_end(target, table, members[i].number, false);
	free(members);
	return owns;
}

/* A socket of a pair: its other end has no name either, and is this process. */
static bool is_of_pair(const struct target *target, int descriptor)
{
	struct sockaddr_un name;
	struct ucred other;
	socklen_t length = sizeof name, size = sizeof other;
	const int pidfd = (int)syscall(SYS_pidfd_open, target->pid, 0);
	const int copy = pidfd < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, pidfd, descriptor, 0);
	bool pair = copy >= 0 && getpeername(copy, (struct sockaddr *)&name, &length) == 0 &&
		    name.sun_family == AF_UNIX && length <= sizeof name.sun_family &&
		    getsockopt(copy, SOL_SOCKET, SO_PEERCRED, &other, &size) == 0 && other.pid == target->pid;
	if (copy >= 0)
		close(copy);
	if (pidfd >= 0)
		close(pidfd);
	return pair;
}

static bool owns_end(const struct target *target, DIR *table, int descriptor, bool sets)
{
	char name[16], link[64];
	mode_t mode;
	snprintf(name, sizeof name, "%d", descriptor);
	if (!look(table, name, link, &mode))
		return false;
	if (sets && strcmp(link, "anon_inode:[eventpoll]") == 0)
		return owns_members(target, table, descriptor);
	if (!target->world.confined && strncmp(link, "socket:", 7) == 0)
		return is_of_pair(target, descriptor);
	return strcmp(link, "anon_inode:[eventfd]") == 0 ||
	       (strncmp(link, "pipe:", 5) == 0 && has_other_end(table, link, mode));
}

bool target_made(const struct target *target, int descriptor)
{
	char path[32];
	snprintf(path, sizeof path, "/proc/%d/fd", target->pid);
	DIR *table = opendir(path);
	const bool owns = table && owns_end(target, table, descriptor, true);
	if (table)
		closedir(table);
	return owns;
}

bool target_owns(const struct target *target, int descriptor)
{
	return target->world.confined && !target->world.has_timers && target_made(target, descriptor);
}

static bool meets_others(const struct target *target, DIR *table, int descriptor)
{
	char name[16], link[64];
	mode_t mode;
	bool meets = false;
	uint32_t length;
	snprintf(name, sizeof name, "%d", descriptor);
	if (!look(table, name, link, &mode))
		return false;
	if (strcmp(link, "anon_inode:[eventpoll]") != 0)
		return strncmp(link, "socket:", 7) == 0 && !is_of_pair(target, descriptor);
	struct channel_member *members = epoll_members(target->pid, descriptor, &length);
	for (uint32_t i = 0; members && i < length && !meets; i++)
		meets = members[i].number != descriptor && meets_others(target, table, members[i].number);
	free(members);
	return meets;
}

bool target_meets_others(const struct target *target, int descriptor)
{
	char path[32];
	snprintf(path, sizeof path, "/proc/%d/fd", target->pid);
	DIR *table = opendir(path);
	const bool meets = table && meets_others(target, table, descriptor);
	if (table)
		closedir(table);
	return meets;
}
