#include "breakpoints/waits/descriptors.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
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
