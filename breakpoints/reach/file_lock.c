#include "breakpoints/reach/reach.h"
#include "breakpoints/waits/inspector.h"

#include <fmc/tracer/pid_namespace.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The holder of a file lock that is waited for, by /proc/locks: a lock, then its waiters, marked by an arrow, all with its number. The
 * locks of processes (POSIX) have an owner there. Those of open files (FLOCK, OFDLCK) belong to all that have such an open file: the
 * kernel tells of them with each descriptor.
 */

#define OFD_SETLKW 38

bool file_lock_parse(const char *text, struct file_lock *lock)
{
	char arrow[4] = "";
	lock->waits = sscanf(text, "%u: %3s", &lock->number, arrow) == 2 && strcmp(arrow, "->") == 0;
	const char *rest = strstr(text, lock->waits ? "-> " : ": ");
	return rest && sscanf(rest + (lock->waits ? 3 : 2), "%15s %*s %*s %d %x:%x:%" SCNu64, lock->kind,
			      &lock->owner, &lock->major, &lock->minor, &lock->inode) == 5;
}

/* Some file systems have other devices there than they show to programs. */
static bool is_wanted(const struct file_lock *lock, const char *kind, pid_t pid, uint64_t inode)
{
	return lock->waits && lock->inode == inode && strcmp(lock->kind, kind) == 0 &&
	       (lock->owner == (int)pid || lock->owner == -1);
}

struct lock_search {
	const struct reached *reached;
	struct file_lock holder;
	bool found, memory;
};

/* One of its lines is such a lock. */
static bool has_lock(char *description, const struct file_lock *wanted)
{
	struct file_lock lock;
	for (char *line = description; (line = strstr(line, "\nlock:")) != NULL; line++)
		if (file_lock_parse(line + strlen("\nlock:"), &lock) && lock.inode == wanted->inode &&
		    strcmp(lock.kind, wanted->kind) == 0 && lock.owner == wanted->owner)
			return true;
	return false;
}

static bool visit_file(void *context, pid_t pid, int process, const char *name, mode_t mode)
{
	struct lock_search *search = context;
	char path[64], text[8192];
	(void)process;
	(void)mode;
	snprintf(path, sizeof path, "fdinfo/%.20s", name);
	if (!text_of(pid, path, text, sizeof text) || !has_lock(text, &search->holder))
		return true;
	search->found = true;
	search->memory = reach_add(search->reached, pid);
	return search->memory;
}

/* Those who could give up this lock. *all: nobody else. False without memory. */
static bool add_holders(const struct reached *reached, const struct file_lock *holder, const char *link,
			bool *all)
{
	struct lock_search search = {.reached = reached, .holder = *holder, .memory = true};
	if (strcmp(holder->kind, "POSIX") == 0) {
		*all = holder->owner > 0;
		return holder->owner <= 0 || reach_add(reached, holder->owner);
	}
	*all = files_visit(link, visit_file, &search) && search.found;
	return search.memory;
}

static const char *kind_of(const struct snapshot_thread *thread)
{
	if (thread->syscall == SYS_flock)
		return "FLOCK";
	return thread->arguments[1] == OFD_SETLKW ? "OFDLCK" : "POSIX";
}

/* All waiters like this one are looked at: which of them it is isn't always told. */
static bool look_at_locks(const struct reached *reached, FILE *locks, const char *link, uint64_t inode)
{
	char text[256];
	const pid_t pid = snapshot_pid(reached->snapshot);
	struct file_lock lock, holder = {0};
	bool memory = true, closed = true, met = false, all;
	while (memory && fgets(text, sizeof text, locks)) {
		if (!file_lock_parse(text, &lock))
			continue;
		if (!lock.waits)
			holder = lock;
		else if (is_wanted(&lock, kind_of(reached->thread), pid, inode) &&
			 lock.number == holder.number) {
			memory = add_holders(reached, &holder, link, &all);
			closed = closed && all;
			met = true;
		}
	}
	reached->wait->reach.closed = met && closed && proc_shows_all();
	return memory;
}

bool reach_file_lock(const struct reached *reached)
{
	char path[64], link[256];
	struct stat file;
	const pid_t pid = snapshot_pid(reached->snapshot);
	const int fd = reached->wait->descriptor;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
	FILE *locks = fopen("/proc/locks", "re");
	bool memory = true;
	if (locks && descriptor_link(pid, fd, link) && stat(path, &file) == 0)
		memory = look_at_locks(reached, locks, link, file.st_ino);
	if (locks)
		fclose(locks);
	if (reached->wait->reach.own && reached->wait->reach.length == 0)
		wait_say(reached->wait, "this process has it locked itself");
	return memory;
}
