#include "tracer/copy/channel.h"

#include <fmc/tracer/fdinfo.h>

#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* A set keeps the file that was put into it; the number may have become another's since. */
static bool is_as_put(pid_t pid, int set, int number)
{
	const struct kcmp_epoll_slot slot = {.efd = (__u32)set, .tfd = (__u32)number};
	return syscall(SYS_kcmp, pid, pid, KCMP_EPOLL_TFD, number, &slot) == 0;
}

static bool is_among(const struct channel_member *members, uint32_t length, int number)
{
	for (uint32_t i = 0; i < length; i++)
		if (members[i].number == number)
			return true;
	return false;
}

/* All lines; false: one of them can't be gone by. */
static bool read_lines(FILE *info, pid_t pid, int set, struct channel_member **members, uint32_t *length)
{
	char line[256];
	while (fgets(line, sizeof line, info)) {
		struct channel_member member;
		unsigned long long data;
		if (sscanf(line, "tfd: %d events: %x data: %llx", &member.number, &member.events, &data) != 3)
			continue;
		member.data = data;
		struct channel_member *more = realloc(*members, (*length + 1) * sizeof *more);
		if (!more)
			return false;
		*members = more;
		if (is_among(more, *length, member.number) || !is_as_put(pid, set, member.number))
			return false;
		more[(*length)++] = member;
	}
	return true;
}

bool epoll_is_set(pid_t pid, int descriptor)
{
	return fdinfo_leads_to(pid, descriptor, "anon_inode:[eventpoll]");
}

/* Counters, timers, sets and signals have one inode together; 0: it can't be told. */
static uint64_t events_inode(void)
{
	static uint64_t inode;
	struct stat file;
	const int set = inode ? -1 : epoll_create1(EPOLL_CLOEXEC);
	if (set < 0)
		return inode;
	if (fstat(set, &file) == 0)
		inode = file.st_ino;
	close(set);
	return inode;
}

/* Before Linux 4.13 nothing is told of the inode. */
static bool may_be_event(const char *line)
{
	unsigned long long inode;
	const char *told = strstr(line, " ino:");
	return !told || sscanf(told, " ino:%llx", &inode) != 1 || !events_inode() || inode == events_inode();
}

bool epoll_reads_signals(pid_t pid, int set)
{
	char line[256];
	int number;
	FILE *info = fdinfo_open(pid, set);
	bool reads = !info;
	while (!reads && fgets(line, sizeof line, info))
		reads = sscanf(line, "tfd: %d", &number) == 1 && may_be_event(line) &&
			fdinfo_leads_to(pid, number, "anon_inode:[signalfd]");
	if (info)
		fclose(info);
	return reads;
}

struct channel_member *epoll_members(pid_t pid, int set, uint32_t *length)
{
	struct channel_member *members = malloc(sizeof *members);
	FILE *info = fdinfo_open(pid, set);
	*length = 0;
	const bool known = info && members && read_lines(info, pid, set, &members, length);
	if (info)
		fclose(info);
	if (known)
		return members;
	free(members);
	return NULL;
}
