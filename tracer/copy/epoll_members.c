#include "tracer/copy/channel.h"

#include <fmc/tracer/fdinfo.h>

#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
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
