/* Whom a process may hear from: where its descriptors lead. */
#include "tracer/beside/state.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

/* Asked of each socket of a process, through a duplicate, and of what else it has open (socket -1); false ends it. */
typedef bool visitor(void *context, int socket, const char *link);

static bool visit_one(int process, const char *folder, const char *name, visitor *visit, void *context)
{
	char path[300], link[256];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	const ssize_t length = readlink(path, link, sizeof link - 1);
	if (length < 0)
		return true;
	link[length] = 0;
	if (strncmp(link, "socket:", 7) != 0)
		return visit(context, -1, link);
	const int copy = (int)syscall(SYS_pidfd_getfd, process, atoi(name), 0);
	const bool on = copy >= 0 && visit(context, copy, link);
	if (copy >= 0)
		close(copy);
	return on;
}

/* False as well: its descriptors can't be seen. */
static bool visit_all(pid_t pid, visitor *visit, void *context)
{
	char folder[32];
	snprintf(folder, sizeof folder, "/proc/%d/fd", (int)pid);
	const int process = (int)syscall(SYS_pidfd_open, pid, 0);
	DIR *dir = process < 0 ? NULL : opendir(folder);
	bool on = dir != NULL;
	for (const struct dirent *entry; on && (entry = readdir(dir));)
		on = entry->d_name[0] == '.' || visit_one(process, folder, entry->d_name, visit, context);
	if (dir)
		closedir(dir);
	if (process >= 0)
		close(process);
	return on;
}

/* Two ends of a connection, as one of them sees it. */
struct ends {
	struct sockaddr_storage own, other;
	socklen_t own_length, other_length;
};

static bool find_ends(int socket, struct ends *ends)
{
	*ends = (struct ends){.own_length = sizeof ends->own, .other_length = sizeof ends->other};
	return getsockname(socket, (struct sockaddr *)&ends->own, &ends->own_length) == 0 &&
	       getpeername(socket, (struct sockaddr *)&ends->other, &ends->other_length) == 0;
}

/* False: it is the other end. */
static bool is_no_end(void *context, int socket, const char *link)
{
	const struct ends *ends = context;
	struct ends theirs;
	(void)link;
	return socket < 0 || !find_ends(socket, &theirs) || theirs.own_length != ends->other_length ||
	       theirs.other_length != ends->own_length ||
	       memcmp(&theirs.own, &ends->other, ends->other_length) != 0 ||
	       memcmp(&theirs.other, &ends->own, ends->own_length) != 0;
}

struct circle {
	pid_t peer;
	const pid_t *family;
	size_t length;
};

static bool is_inside(const struct circle *circle, pid_t pid)
{
	bool inside = pid == circle->peer;
	for (size_t i = 0; i < circle->length && !inside; i++)
		inside = circle->family[i] == pid;
	return inside;
}

static bool has_clock(int socket, int option)
{
	struct timeval time = {0};
	socklen_t length = sizeof time;
	return getsockopt(socket, SOL_SOCKET, option, &time, &length) != 0 || time.tv_sec || time.tv_usec;
}

static bool socket_stays_inside(const struct circle *circle, int socket)
{
	int domain = 0;
	struct ucred other = {0};
	struct ends ends;
	socklen_t length = sizeof domain, size = sizeof other;
	if (has_clock(socket, SO_RCVTIMEO) || has_clock(socket, SO_SNDTIMEO) ||
	    getsockopt(socket, SOL_SOCKET, SO_DOMAIN, &domain, &length) != 0)
		return false;
	if (domain == AF_UNIX)
		return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &other, &size) == 0 &&
		       is_inside(circle, other.pid);
	return find_ends(socket, &ends) && !visit_all(circle->peer, is_no_end, &ends);
}

static bool stays_inside(void *context, int socket, const char *link)
{
	static const char *const others[] = {"anon_inode:[timerfd]", "anon_inode:inotify",
					     "anon_inode:[signalfd]", "anon_inode:[io_uring]",
					     "anon_inode:[fanotify]"};
	if (socket >= 0)
		return socket_stays_inside(context, socket);
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		if (strcmp(link, others[i]) == 0)
			return false;
	return true;
}

bool beside_leads_to(pid_t pid, pid_t peer, const pid_t *family, size_t length)
{
	struct circle circle = {peer, family, length};
	return visit_all(pid, stays_inside, &circle);
}
