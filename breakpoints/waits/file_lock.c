#include "breakpoints/waits/descriptors.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

/* The holder of a file lock that is waited for, by /proc/locks: a lock, then its waiters, marked by an arrow, all with its number. */

struct lock {
	unsigned number;
	bool waits;
	char kind[16]; /* FLOCK, POSIX, OFDLCK */
	int owner;
	unsigned major, minor;
	uint64_t inode;
};

static bool parse(const char *text, struct lock *lock)
{
	char arrow[4] = "";
	lock->waits = sscanf(text, "%u: %3s", &lock->number, arrow) == 2 && strcmp(arrow, "->") == 0;
	const char *rest = strstr(text, lock->waits ? "-> " : ": ");
	return rest && sscanf(rest + (lock->waits ? 3 : 2), "%15s %*s %*s %d %x:%x:%" SCNu64, lock->kind,
			      &lock->owner, &lock->major, &lock->minor, &lock->inode) == 5;
}

static bool is_about(const struct lock *lock, const struct stat *file, bool flock)
{
	/* Some file systems have other devices here than they show to programs. */
	return lock->inode == file->st_ino && (strcmp(lock->kind, "FLOCK") == 0) == flock;
}

pid_t file_lock_owner(pid_t pid, int fd, bool flock)
{
	char path[64], text[256];
	struct stat file;
	struct lock lock, holder = {0};
	pid_t owner = 0;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)pid, fd);
	FILE *locks = fopen("/proc/locks", "re");
	bool known = stat(path, &file) == 0;
	while (locks && known && owner == 0 && fgets(text, sizeof(text), locks)) {
		if (!parse(text, &lock) || !is_about(&lock, &file, flock))
			continue;
		if (!lock.waits)
			holder = lock;
		else if (lock.owner == (int)pid && lock.number == holder.number)
			owner = holder.owner;
	}
	if (locks)
		fclose(locks);
	return owner;
}
