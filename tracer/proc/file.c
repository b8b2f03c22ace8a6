#include "tracer/proc/file.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int file_reopen_regular(int found)
{
	char path[32];
	struct stat file;
	int fd = -1;
	if (found < 0)
		return -1;
	snprintf(path, sizeof path, "/proc/self/fd/%d", found);
	if (fstat(found, &file) == 0 && S_ISREG(file.st_mode))
		fd = open(path, O_RDONLY | O_CLOEXEC);
	close(found);
	return fd;
}

int file_open_regular(int folder, const char *path)
{
	return file_reopen_regular(openat(folder, path, O_PATH | O_CLOEXEC));
}
