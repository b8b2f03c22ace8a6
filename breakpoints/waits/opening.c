#include "breakpoints/waits/inspector.h"
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* A thread that opens a FIFO waits until somebody opens its other end. */

/* Text of the process, as far as it was kept; false if its end wasn't. */
static bool read_text(const struct inspector *inspector, uint64_t address, char text[PATH_MAX])
{
	for (size_t i = 0; i < PATH_MAX; i++) {
		if (!inspector_read(inspector, address + i, &text[i], 1))
			return false;
		if (!text[i])
			return true;
	}
	return false;
}

/* As it can be opened from here: below the folder that the call begins in. */
static void place_of(const struct inspector *inspector, int folder, const char *path, char *place,
		     size_t room)
{
	const int pid = (int)snapshot_pid(inspector->snapshot);
	if (path[0] == '/')
		snprintf(place, room, "/proc/%d/root%s", pid, path);
	else if (folder == AT_FDCWD)
		snprintf(place, room, "/proc/%d/cwd/%s", pid, path);
	else
		snprintf(place, room, "/proc/%d/fd/%d/%s", pid, folder, path);
}

void wait_on_opening(struct inspector *inspector, uint32_t thread, struct wait *wait)
{
	const struct snapshot_thread *standing = snapshot_thread(inspector->snapshot, thread);
	const bool at = standing->syscall == SYS_openat;
	const int folder = at ? (int)standing->arguments[0] : AT_FDCWD;
	const uint64_t flags = standing->arguments[at ? 2 : 1];
	char path[PATH_MAX], place[PATH_MAX + 64];
	struct stat file;
	if (snapshot_is_core(inspector->snapshot) ||
	    !read_text(inspector, standing->arguments[at ? 1 : 0], path))
		return;
	place_of(inspector, folder, path, place, sizeof(place));
	if (stat(place, &file) != 0 || !S_ISFIFO(file.st_mode))
		return;
	wait->kind = WAIT_PIPE;
	wait->writes = (flags & O_ACCMODE) == O_WRONLY;
	wait->name = strdup(path);
	wait_say(wait, "it opens it, and nobody has its other end");
}
